"""From draft to archive: the actions, each with the states it is allowed in; giving everybody one variant."""

from flagtui.service.answers import Answer
from flagtui.service.bodies import Fields
from flagtui.service.call import Call
from flagtui.service.errors import Json, forbidden, invalid
from flagtui.service.experiments.exposure_freezing import delete_snapshots, unfrozen_filters
from flagtui.service.experiments.fields import CONCLUSION
from flagtui.service.experiments.records import Experiment, LinkedFlag
from flagtui.service.experiments.rows import change_flag
from flagtui.service.experiments.save import called, save, shown
from flagtui.service.experiments.updates import check_launchable
from flagtui.service.field_kinds import Target


def _refuse(*faults: tuple[bool, str]) -> None:
    """Raises the first fault that is there."""
    for is_there, detail in faults:
        if is_there:
            raise invalid(detail)


def _not_launched(one: Experiment) -> tuple[bool, str]:
    return not one.is_launched, "Experiment has not been launched yet."


def _ended(one: Experiment) -> tuple[bool, str]:
    return one.fields["end_date"] is not None, "Experiment has already ended."


def launch(call: Call) -> Answer:
    one = called(call)
    call.body()
    _refuse((one.is_launched, "Experiment has already been launched."))
    check_launchable(one)
    if not one.flag.active:
        change_flag(call, one.flag, {"active": True})
    return shown(call, save(call, one, {"start_date": call.stamp}))


def pause(call: Call) -> Answer:
    return _switch(call, False, "Experiment is already paused.")


def resume(call: Call) -> Answer:
    return _switch(call, True, "Experiment is not paused.")


def _switch(call: Call, active: bool, is_so_already: str) -> Answer:
    one = called(call)
    call.body()
    no_flag = (one.flag.deleted, "Experiment does not have a feature flag linked.")
    _refuse(_not_launched(one), _ended(one), no_flag, (one.flag.active == active, is_so_already))
    change_flag(call, one.flag, {"active": active})
    return shown(call, save(call, one, {}))


def end(call: Call) -> Answer:
    """Sets the conclusion to what is said, and to nothing when nothing is."""
    one = called(call)
    conclusion = CONCLUSION.read(Fields(call.body()), Target(call))
    _refuse(_not_launched(one), _ended(one))
    changes = {"conclusion": None, "conclusion_comment": None, **conclusion, "end_date": call.stamp}
    return shown(call, save(call, one, changes))


def reset(call: Call) -> Answer:
    """Make the experiment a draft again; the flag keeps its settings, without a frozen exposure."""
    one = called(call)
    call.body()
    _refuse((not one.is_launched, "Experiment is already in draft state."))
    emptied = dict.fromkeys(("start_date", "end_date", "conclusion", "conclusion_comment"))
    filters = unfrozen_filters(one.flag.filters)
    if not one.flag.deleted and filters["groups"] != (one.flag.filters.get("groups") or []):
        change_flag(call, one.flag, {"filters": filters})
        delete_snapshots(call, one)
    return shown(call, save(call, one, {**emptied, "archived": 0}))


def archive(call: Call) -> Answer:
    one = called(call)
    disable = bool(Fields(call.body()).flag("disable_feature_flag"))
    if disable and not call.caller.may("feature_flag:write"):
        raise forbidden("API key missing required scope 'feature_flag:write'")
    _refuse(
        (bool(one.fields["archived"]), "Experiment is already archived."),
        (one.status != "stopped", "Experiment must be ended before it can be archived."),
    )
    is_there = not one.flag.fields["archived"] and not one.flag.deleted
    archives_flag = is_there and (disable or not one.flag.active) and _is_only_user(call, one)
    if archives_flag:
        change_flag(call, one.flag, {"active": False, "archived": True})
    return shown(call, save(call, one, {"archived": 1, "archived_flag": int(archives_flag)}))


def unarchive(call: Call) -> Answer:
    one = called(call)
    call.body()
    _refuse((not one.fields["archived"], "Experiment is not archived."))
    if one.fields["archived_flag"] and one.flag.fields["archived"]:
        change_flag(call, one.flag, {"archived": False})
    return shown(call, save(call, one, {"archived": 0, "archived_flag": 0}))


def _is_only_user(call: Call, one: Experiment) -> bool:
    """Whether no other experiment that is still looked at rests on the flag."""
    others = "SELECT 1 FROM experiments WHERE flag_id = ? AND id <> ? AND deleted = 0 AND archived = 0"
    return call.db.execute(others, (one.flag.id, one.id)).fetchone() is None


def ship_variant(call: Call) -> Answer:
    """Ends the experiment if it has not ended; a flag change that needs approval changes nothing."""
    one = called(call)
    fields = Fields(call.body())
    fields.require("variant_key")
    key = fields.text("variant_key", blank=False)
    to_everyone = bool(fields.flag("release_to_everyone"))
    changes = CONCLUSION.read(fields, Target(call))
    _refuse(
        _not_launched(one),
        (one.flag.deleted, "Experiment does not have a linked feature flag."),
        (key not in one.flag.variant_keys, f"Variant '{key}' not found on feature flag."),
    )
    change_flag(call, one.flag, {"filters": shipped_filters(one.flag, str(key), to_everyone)})
    delete_snapshots(call, one)
    if one.fields["end_date"] is None:
        changes["end_date"] = call.stamp
    return shown(call, save(call, one, changes))


def shipped_filters(flag: LinkedFlag, key: str, to_everyone: bool) -> dict[str, Json]:
    """The filters with one variant at 100; an open condition goes first when all people shall have it."""
    variants = [
        {**variant, "rollout_percentage": 100 if variant.get("key") == key else 0}
        for variant in flag.variants
    ]
    groups = unfrozen_filters(flag.filters)["groups"]
    if to_everyone:
        groups = [{"properties": [], "rollout_percentage": 100}, *groups]
    multivariate = {**(flag.filters.get("multivariate") or {}), "variants": variants}
    return {**flag.filters, "multivariate": multivariate, "groups": groups}
