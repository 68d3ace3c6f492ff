"""Steps of experiments in the activity, by any user, as entries of the journal that can be undone."""

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Final

from flagtui.changes.experiments.experiment_fields import stored_field
from flagtui.changes.experiments.step_save import RESET
from flagtui.changes.experiments.steps import STEPS, StepName
from flagtui.changes.journal_entries import Entry
from flagtui.changes.revert_refusals import NOT_LOGGED, not_kept, not_settable
from flagtui.changes.skipped import Blocked
from flagtui.models.activity import Activity, Change
from flagtui.models.experiment import Experiment
from flagtui.models.json_value import JSON
from flagtui.models.record_fields import EXPERIMENT_FIELDS

_CREATED: Final = Blocked(
    "created",
    "experiments have no versions, so later changes of it cannot be ruled out",
    "delete it in the list if you want that",
)
NO_VALUES: Final[Mapping[str, JSON]] = MappingProxyType({})
_SETTABLE: Final = frozenset({*EXPERIMENT_FIELDS.edited, *RESET})


def logged_step(entry: Activity) -> Entry | Blocked:
    """Return the step of an entry with the values before and after; blocked where the log lacks them."""
    changes = {change.field: change for change in entry.changes}
    deletion = changes.get("deleted")
    if entry.activity in ("created", "restored") or (deletion is not None and deletion.is_on is False):
        return _CREATED
    if entry.activity == "deleted" or deletion is not None:
        return _entry(entry, "delete")
    if not changes:
        return NOT_LOGGED
    settable = {name: change for name, change in changes.items() if name in _SETTABLE}
    if not settable:
        return not_settable(next(iter(changes)))
    for name, change in settable.items():
        # Servers log a value that was empty as created.
        if change.before is None and change.action != "created":
            return not_kept(name)
    before = {name: change.before for name, change in changes.items()}
    after = {name: change.after for name, change in changes.items()}
    sides = (Experiment.of({"name": entry.name, **side}) for side in (before, after))
    return _entry(entry, _step_of(settable), *(dict(_values(side, settable)) for side in sides))


def _step_of(changes: Mapping[str, Change]) -> StepName:
    if changes.keys() == {"archived"}:
        return "archive" if changes["archived"].is_on else "unarchive"
    start = changes.get("start_date")
    if start is not None and len(changes) == 1 and start.before is None:
        return "launch"
    return "reopen" if changes.keys() & {"start_date", "end_date", "archived"} else "edit"


def _entry(
    entry: Activity,
    step: StepName,
    before: Mapping[str, JSON] = NO_VALUES,
    after: Mapping[str, JSON] = NO_VALUES,
) -> Entry:
    return Entry(
        record=entry.record_id or 0,
        key=entry.name,
        verb=STEPS[step].verb.name,
        kind="experiment",
        before=before,
        after=after,
        ending="saved",
    )


def _values(side: Experiment, names: Iterable[str]) -> Iterator[tuple[str, JSON]]:
    """Yield the values of one side as an edit has them; the log has null for every kind of empty."""
    for name in names:
        if side.raw.get(name) is None:
            yield name, EXPERIMENT_FIELDS[name].blank if name in EXPERIMENT_FIELDS else None
        else:
            # The log has the links to shared metrics as they are sent.
            yield name, side.raw[name] if name == "saved_metrics_ids" else stored_field(side, name)
