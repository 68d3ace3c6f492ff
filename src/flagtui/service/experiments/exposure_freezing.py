"""Freezing the exposure of an experiment: its flag serves only the users exposed so far."""

from collections.abc import Mapping
from typing import Final

from flagtui.service.call import Call
from flagtui.service.database import fetch, find, update_row
from flagtui.service.errors import Json, invalid
from flagtui.service.evaluation.cohorts import make_cohort
from flagtui.service.experiments.analysis.metric import NotComputable
from flagtui.service.experiments.freeze_rules import freezing_refusal
from flagtui.service.experiments.records import Experiment, is_frozen
from flagtui.service.experiments.rows import change_flag
from flagtui.service.experiments.save import find_called, respond_experiment, save
from flagtui.service.experiments.stored_events import Reader
from flagtui.service.flags.levels import check_level
from flagtui.service.flags.save import change_flag as save_flag
from flagtui.service.flags.save import opened_values
from flagtui.service.flags.status import groups_of
from flagtui.service.responses import Response

SENTENCE: Final = "Added automatically when the experiment exposure was frozen to stop new enrollment."
_SNAPSHOT: Final = "Exposure snapshot for experiment "
_STAMPS: Final = ("exposure_frozen", "exposure_frozen_cohort")


def freeze_exposure(call: Call) -> Response:
    """Store the exposed users as a static cohort and require it in every condition of the flag.

    Raises:
        Fault: 400 where the experiment or its flag cannot be frozen; nothing is stored then.
    """
    experiment = find_called(call)
    call.body()
    refusal = freezing_refusal(experiment)
    if refusal is not None:
        raise invalid(refusal)
    check_level(call, experiment.flag.id, "editor")
    people = _exposed_people(call, experiment)
    name = f'{_SNAPSHOT}"{experiment.fields["name"]}"'
    cohort_id = make_cohort(call, {"name": name, "is_static": 1}, people)["id"]
    groups = [_frozen_group(group, cohort_id) for group in experiment.flag.filters["groups"]]
    row = fetch(call.db, "flags", experiment.flag.id)
    values = opened_values(call, row)
    # Saved without the check of approval policies: in the product they do not hold up a freeze.
    save_flag(call, row, {**values, "filters": {**values["filters"], "groups": groups}})
    # A condition that was added to a frozen flag makes it one to freeze again.
    delete_snapshots(call, experiment)
    return respond_experiment(call, save(call, experiment, {}))


def unfreeze_exposure(call: Call) -> Response:
    """Remove what freezing added to the flag, keep other edits, and soft-delete the cohort."""
    experiment = find_called(call)
    call.body()
    if experiment.status not in ("running", "exposure_frozen"):
        raise invalid("Experiment is not running.")
    if not any(is_frozen(group) for group in groups_of(experiment.flag.filters)):
        raise invalid("Experiment exposure is not frozen.")
    change_flag(call, experiment.flag, {"filters": unfrozen_filters(experiment.flag.filters)})
    delete_snapshots(call, experiment)
    return respond_experiment(call, save(call, experiment, {}))


def unfrozen_filters(filters: Mapping[str, Json]) -> dict[str, Json]:
    """Return the filters without the cohort conditions, keys and sentences that freezing added."""
    return {**filters, "groups": [_unfrozen_group(group) for group in filters.get("groups") or []]}


def delete_snapshots(call: Call, experiment: Experiment) -> None:
    """Soft-delete the snapshot cohorts of the flag as `experiment` had it, unless another flag uses them."""
    for group in groups_of(experiment.flag.filters):
        cohort = find(call.db, "cohorts", id=group.get("exposure_frozen_cohort"), project_id=call.project.id)
        # Of an experiment that has been renamed since, the snapshot has the earlier name.
        if cohort is None or not cohort["name"].startswith(_SNAPSHOT) or not cohort["is_static"]:
            continue
        if not _is_used_elsewhere(call, cohort["id"], experiment.flag.id):
            update_row(call.db, "cohorts", cohort["id"], {"deleted": 1})


def _exposed_people(call: Call, experiment: Experiment) -> set[int]:
    """Return the ids of exposed persons; at most 5 % of those exposed may have no person."""
    reader = Reader(call, experiment, call.now)
    try:
        exposures, people = reader.exposures(), reader.people()
    except NotComputable as problem:
        raise invalid(str(problem), "exposure_criteria") from None
    if not exposures:
        raise invalid("Cannot freeze: no users have been exposed yet.")
    unidentified = sum(entity.startswith("id:") for entity in exposures)
    if unidentified > MAX_UNIDENTIFIED * len(exposures):
        raise invalid("Too many of the exposed users are anonymous or deleted.")
    return people


MAX_UNIDENTIFIED: Final = 0.05
"""Share of exposed users without a person above which freezing is refused: 4 % pass and 6 % do not."""


def _frozen_group(group: dict[str, Json], cohort_id: int) -> dict[str, Json]:
    condition = {"key": "id", "type": "cohort", "value": cohort_id, "operator": "in"}
    cleared = _unfrozen_group(group)
    description = f"{SENTENCE} {cleared.get('description') or ''}".strip()
    return {
        **cleared,
        "properties": [*(cleared.get("properties") or []), condition],
        "description": description,
        "exposure_frozen": True,
        "exposure_frozen_cohort": cohort_id,
    }


def _unfrozen_group(group: dict[str, Json]) -> dict[str, Json]:
    if not is_frozen(group):
        return group
    cohort_id = group.get("exposure_frozen_cohort")
    restored = {name: value for name, value in group.items() if name not in _STAMPS}
    restored["properties"] = [
        item
        for item in group.get("properties") or []
        if not (item.get("type") == "cohort" and item.get("value") == cohort_id)
    ]
    description = str(group.get("description") or "").replace(SENTENCE, "", 1).strip()
    if description:
        restored["description"] = description
    else:
        restored.pop("description", None)
    return restored


def _is_used_elsewhere(call: Call, cohort_id: int, flag_id: int) -> bool:
    query = (
        "SELECT 1 FROM flags, json_tree(flags.filters) AS item"
        " WHERE flags.project_id = ? AND flags.id <> ? AND flags.deleted = 0 AND item.key = 'value'"
        " AND item.atom = ? AND json_extract(flags.filters, item.path || '.type') = 'cohort'"
    )
    return call.db.execute(query, (call.project.id, flag_id, cohort_id)).fetchone() is not None
