"""Giving everybody one variant."""

from flagtui.service.answers import Answer
from flagtui.service.bodies import Fields
from flagtui.service.call import Call
from flagtui.service.errors import Json, invalid
from flagtui.service.experiments.fields import CONCLUSION
from flagtui.service.experiments.flag_changes import change_flag
from flagtui.service.experiments.lifecycle import NOT_LAUNCHED
from flagtui.service.experiments.records import LinkedFlag
from flagtui.service.experiments.save import called, save, shown
from flagtui.service.field_kinds import Target


def ship_variant(call: Call) -> Answer:
    """Ends the experiment if it has not ended; a flag change that needs approval changes nothing."""
    one = called(call)
    fields = Fields(call.body())
    fields.require("variant_key")
    key = fields.text("variant_key", blank=False)
    to_everyone = bool(fields.flag("release_to_everyone", False))
    changes = CONCLUSION.read(fields, Target(call))
    if not one.is_launched:
        raise invalid(NOT_LAUNCHED)
    if one.flag.deleted:
        raise invalid("Experiment does not have a linked feature flag.")
    if key not in one.flag.variant_keys:
        raise invalid(f"Variant '{key}' not found on feature flag.")
    change_flag(call, one.flag, {"filters": shipped_filters(one.flag, str(key), to_everyone)})
    if one.fields["end_date"] is None:
        changes["end_date"] = call.stamp
    return shown(call, save(call, one, changes))


def shipped_filters(flag: LinkedFlag, key: str, to_everyone: bool) -> dict[str, Json]:
    """The filters with one variant at 100; an open condition goes first when all people shall have it."""
    variants = [
        {**variant, "rollout_percentage": 100 if variant.get("key") == key else 0}
        for variant in flag.variants
    ]
    groups = list(flag.filters.get("groups") or [])
    if to_everyone:
        groups = [{"properties": [], "rollout_percentage": 100}, *groups]
    multivariate = {**(flag.filters.get("multivariate") or {}), "variants": variants}
    return {**flag.filters, "multivariate": multivariate, "groups": groups}
