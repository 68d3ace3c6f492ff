"""The steps from draft to archive, each with the states it is allowed in; shipping a variant."""

import uuid

from flagtui.service.bodies import Fields
from flagtui.service.call import Call
from flagtui.service.errors import Json, forbidden, invalid, missing_scope
from flagtui.service.experiments.exposure_freezing import delete_snapshots, unfrozen_filters
from flagtui.service.experiments.fields import CONCLUSION
from flagtui.service.experiments.records import Experiment, LinkedFlag
from flagtui.service.experiments.rows import change_flag
from flagtui.service.experiments.save import find_called, respond_experiment, save
from flagtui.service.experiments.updates import check_launchable
from flagtui.service.field_kinds import Target
from flagtui.service.flags.levels import load_levels
from flagtui.service.responses import Response

_NO_FLAG_ACCESS = (
    "You don't have feature flag write access, so this experiment's feature flag can't be disabled."
)


def _refuse(*faults: tuple[bool, str]) -> None:
    for is_there, detail in faults:
        if is_there:
            raise invalid(detail)


def _not_launched(experiment: Experiment) -> tuple[bool, str]:
    return not experiment.is_launched, "Experiment has not been launched yet."


def _refuses_ended(experiment: Experiment) -> tuple[bool, str]:
    return experiment.fields["end_date"] is not None, "Experiment has already ended."


def launch(call: Call) -> Response:
    experiment = find_called(call)
    call.body()
    _refuse((experiment.is_launched, "Experiment has already been launched."))
    check_launchable(call, experiment)
    if not experiment.flag.active:
        change_flag(call, experiment.flag, {"active": True})
    return respond_experiment(call, save(call, experiment, {"start_date": call.stamp}))


def pause(call: Call) -> Response:
    return _switch(call, False, "Experiment is already paused.")


def resume(call: Call) -> Response:
    return _switch(call, True, "Experiment is not paused.")


def _switch(call: Call, active: bool, is_so_already: str) -> Response:
    experiment = find_called(call)
    call.body()
    no_flag = (experiment.flag.deleted, "Experiment does not have a feature flag linked.")
    _refuse(
        _not_launched(experiment),
        _refuses_ended(experiment),
        no_flag,
        (experiment.flag.active == active, is_so_already),
    )
    change_flag(call, experiment.flag, {"active": active})
    return respond_experiment(call, save(call, experiment, {}))


def end(call: Call) -> Response:
    """Set the conclusion, or clear it if the body has none."""
    experiment = find_called(call)
    fields = Fields(call.body())
    conclusion = CONCLUSION.read(fields, Target(call))
    is_cleaned = _wants_cleanup(call, fields)
    _refuse(_not_launched(experiment), _refuses_ended(experiment))
    changes = {"conclusion": None, "conclusion_comment": None, **conclusion, "end_date": call.stamp}
    changes |= _cleanup_task(changes["conclusion"], is_cleaned=is_cleaned)
    return respond_experiment(call, save(call, experiment, changes))


def _wants_cleanup(call: Call, fields: Fields) -> bool:
    """Return whether the body asks for a pull request that removes the flag from code."""
    wants = bool(fields.flag("open_cleanup_pr"))
    if wants and not call.caller.may("task:write"):
        raise missing_scope("task:write")
    return wants


def _cleanup_task(conclusion: Json, *, is_cleaned: bool) -> dict[str, Json]:
    """Return the id of a new task; none without a conclusion, which decides what stays in code.

    This service has no programs that would do the task.
    """
    return {"flag_cleanup_task_id": str(uuid.uuid4())} if is_cleaned and conclusion else {}


def reset(call: Call) -> Response:
    """Make the experiment a draft again; the flag keeps its settings, without a frozen exposure."""
    experiment = find_called(call)
    call.body()
    _refuse((not experiment.is_launched, "Experiment is already in draft state."))
    emptied = dict.fromkeys(("start_date", "end_date", "conclusion", "conclusion_comment"))
    filters = unfrozen_filters(experiment.flag.filters)
    if not experiment.flag.deleted and filters["groups"] != (experiment.flag.filters.get("groups") or []):
        change_flag(call, experiment.flag, {"filters": filters})
        delete_snapshots(call, experiment)
    return respond_experiment(call, save(call, experiment, {**emptied, "archived": 0}))


def archive(call: Call) -> Response:
    experiment = find_called(call)
    disable = bool(Fields(call.body()).flag("disable_feature_flag"))
    if disable and not call.caller.may("feature_flag:write"):
        raise missing_scope("feature_flag:write")
    if disable and not load_levels(call.db, call.caller, call.project).reaches(experiment.flag.id, "editor"):
        raise forbidden(_NO_FLAG_ACCESS)
    _refuse(
        (bool(experiment.fields["archived"]), "Experiment is already archived."),
        (experiment.status != "stopped", "Experiment must be ended before it can be archived."),
    )
    is_there = not experiment.flag.fields["archived"] and not experiment.flag.deleted
    archives_flag = is_there and (disable or not experiment.flag.active) and _is_only_user(call, experiment)
    if archives_flag:
        change_flag(call, experiment.flag, {"active": False, "archived": True})
    return respond_experiment(
        call, save(call, experiment, {"archived": 1, "archived_flag": int(archives_flag)})
    )


def unarchive(call: Call) -> Response:
    experiment = find_called(call)
    call.body()
    _refuse((not experiment.fields["archived"], "Experiment is not archived."))
    if experiment.fields["archived_flag"] and experiment.flag.fields["archived"]:
        change_flag(call, experiment.flag, {"archived": False})
    return respond_experiment(call, save(call, experiment, {"archived": 0, "archived_flag": 0}))


def _is_only_user(call: Call, experiment: Experiment) -> bool:
    """Return whether no other experiment that is still looked at rests on the flag."""
    others = "SELECT 1 FROM experiments WHERE flag_id = ? AND id <> ? AND deleted = 0 AND archived = 0"
    return call.db.execute(others, (experiment.flag.id, experiment.id)).fetchone() is None


def ship_variant(call: Call) -> Response:
    """End the experiment if it has not ended; a flag change that needs approval changes nothing."""
    experiment = find_called(call)
    fields = Fields(call.body())
    fields.require("variant_key")
    key = fields.text("variant_key", blank=False)
    to_everyone = bool(fields.flag("release_to_everyone"))
    changes = CONCLUSION.read(fields, Target(call))
    is_cleaned = _wants_cleanup(call, fields)
    conclusion = changes.get("conclusion", experiment.fields["conclusion"])
    changes |= _cleanup_task(conclusion, is_cleaned=is_cleaned)
    _refuse(
        _not_launched(experiment),
        (experiment.flag.deleted, "Experiment does not have a linked feature flag."),
        (key not in experiment.flag.variant_keys, f"Variant '{key}' not found on feature flag."),
    )
    change_flag(call, experiment.flag, {"filters": shipped_filters(experiment.flag, str(key), to_everyone)})
    delete_snapshots(call, experiment)
    if experiment.fields["end_date"] is None:
        changes["end_date"] = call.stamp
    return respond_experiment(call, save(call, experiment, changes))


def shipped_filters(flag: LinkedFlag, key: str, to_everyone: bool) -> dict[str, Json]:
    """Return the filters with one variant at 100.

    An open condition goes first when all people shall have it.
    """
    variants = [
        {**variant, "rollout_percentage": 100 if variant.get("key") == key else 0}
        for variant in flag.variants
    ]
    groups = unfrozen_filters(flag.filters)["groups"]
    if to_everyone:
        groups = [{"properties": [], "rollout_percentage": 100}, *groups]
    multivariate = {**(flag.filters.get("multivariate") or {}), "variants": variants}
    return {**flag.filters, "multivariate": multivariate, "groups": groups}
