"""Changing an experiment field by field, as PATCH does: without the checks the actions have."""

from msgspec.structs import replace

from flagtui.service.call import Call
from flagtui.service.errors import Json, invalid, not_found
from flagtui.service.experiments.creation import (
    Input,
    check_dates,
    check_metrics,
    link_flag,
    orders,
    read_input,
)
from flagtui.service.experiments.fields import check_baseline, check_excluded, check_included
from flagtui.service.experiments.flag_config import (
    UNCHANGED_FLAG,
    FlagConfig,
    check_variants_of,
    default_variants,
)
from flagtui.service.experiments.holdouts import holdout_of
from flagtui.service.experiments.records import Experiment, baseline_of
from flagtui.service.experiments.representation import is_old, saved_metric_links
from flagtui.service.experiments.rows import change_flag
from flagtui.service.experiments.save import find_called, respond_experiment, save
from flagtui.service.experiments.saved_metrics import replace_links
from flagtui.service.flags.status import variants_of
from flagtui.service.responses import Response

_OF_OLD = ("name", "description", "end_date", "deleted")
_FLAG_DELETED = "Experiment cannot be launched because its feature flag has been deleted."
_CANNOT_RESTORE = (
    "Cannot restore experiment: the linked feature flag has been deleted. "
    "Restore the feature flag first, then restore the experiment."
)
_RUNNING_CONFIG = (
    "This experiment is running. To change its flag config, send update_feature_flag_params=true "
    "(or edit the feature flag directly)."
)
_MOVES_ALONE = (
    "A draft moves to another flag without a holdout, and not in the request that starts it. "
    "Remove the holdout first, and start it afterwards."
)
_VARIANTS = "Can't update feature_flag_variants on Experiment"


def update_experiment(call: Call) -> Response:
    experiment = find_called(call, deleted=True)
    sent = call.body()
    if experiment.fields["deleted"] and sent.get("deleted") is not False:
        raise not_found()
    given = read_input(call, sent, new=call.method == "PUT")
    _check_fixed(call, experiment, given)
    _check_old(call, experiment, given)
    return respond_experiment(call, change(call, experiment, given))


def change(call: Call, experiment: Experiment, given: Input) -> Experiment:
    """Store the fields that were sent and apply them to the flag; a fault changes nothing."""
    columns = dict(given.columns)
    check_dates(columns)
    before = experiment
    checked = columns
    if given.flag_key not in (None, experiment.flag.key):
        experiment = _change_flag(call, experiment, given)
        columns["flag_id"] = experiment.flag.id
        checked = {**experiment.fields, **columns}
    if columns.get("deleted") == 0 and experiment.fields["deleted"] and experiment.flag.deleted:
        raise invalid(_CANNOT_RESTORE)
    if (
        experiment.is_launched
        and columns.get("holdout_id", experiment.fields["holdout_id"]) != experiment.fields["holdout_id"]
    ):
        raise invalid("Can't update holdout on running Experiment")
    flag_changes = _flag_changes(call, experiment, given)
    if columns.get("start_date") is not None and not experiment.is_launched:
        check_launchable(call, experiment)
        if not experiment.flag.active:
            flag_changes["active"] = True
    keys = [
        str(variant["key"]) for variant in variants_of(flag_changes.get("filters", experiment.flag.filters))
    ]
    after = {**experiment.fields, **checked}
    baseline = baseline_of(after["stats_config"], keys)
    if "stats_config" in checked:
        check_baseline(after["stats_config"], keys)
        check_included(baseline, after["excluded_variants"])
    if "excluded_variants" in checked:
        check_excluded(after["excluded_variants"], keys, baseline)
    check_metrics(call, columns, given)
    columns |= orders(columns, experiment.fields, given)
    if flag_changes:
        change_flag(call, experiment.flag, flag_changes)
    if given.links is not None:
        replace_links(call, experiment.id, given.links)
    return save(call, before, columns)


def _change_flag(call: Call, experiment: Experiment, given: Input) -> Experiment:
    """Return a draft on the flag that the body names; at most one flag is written.

    Raises a fault where the move would have to write to a second flag, or to one flag twice.
    """
    columns = {**experiment.fields, **given.columns}
    if experiment.fields["holdout_id"] or columns["holdout_id"] or columns["start_date"]:
        raise invalid(_MOVES_ALONE, "feature_flag_key")
    return replace(experiment, flag=link_flag(call, given, columns))


def check_launchable(call: Call, experiment: Experiment) -> None:
    """Raise unless an experiment can start on the flag."""
    if experiment.flag.deleted:
        raise invalid(_FLAG_DELETED)
    check_variants_of(experiment.flag, call.generation)


def _flag_changes(call: Call, experiment: Experiment, given: Input) -> dict[str, Json]:
    """Return the changes of the flag that the body requests."""
    config = _config(call, experiment, given)
    filters = config.apply_to(experiment.flag.filters)
    if "holdout_id" in given.columns and given.columns["holdout_id"] != experiment.fields["holdout_id"]:
        filters["holdout"] = holdout_of(call, given.columns["holdout_id"])
    changes: dict[str, Json] = {}
    if filters != experiment.flag.filters:
        changes["filters"] = filters
    if config.continuity not in (None, experiment.flag.continuity):
        changes["ensure_experience_continuity"] = config.continuity
    return changes


def _config(call: Call, experiment: Experiment, given: Input) -> FlagConfig:
    """Return the configuration to apply, after the rules of experiments that have started."""
    if call.generation.is_older:
        return _older_config(experiment, given)
    if given.flag.repeats(experiment.flag):
        return UNCHANGED_FLAG
    if experiment.is_launched:
        if not given.update_flag:
            raise invalid(_RUNNING_CONFIG, "feature_flag")
        if _moves_variants(experiment, given.flag):
            raise invalid(_VARIANTS)
    return given.flag


def _older_config(experiment: Experiment, given: Input) -> FlagConfig:
    if experiment.is_launched:
        if _moves_variants(experiment, given.flag):
            raise invalid(_VARIANTS)
        return given.flag if given.update_flag else UNCHANGED_FLAG
    if "parameters" in given.sent and not given.has_variants:
        return FlagConfig(variants=default_variants())
    return given.flag


def _moves_variants(experiment: Experiment, config: FlagConfig) -> bool:
    if config.variants is None:
        return False
    return sorted(str(variant["key"]) for variant in config.variants) != sorted(experiment.flag.variant_keys)


def _check_fixed(call: Call, experiment: Experiment, given: Input) -> None:
    """Refuse fields that only a new experiment takes; the flag's key is named as the product names it."""
    fixed = list(call.generation.body("experiment").create_only & given.sent)
    is_free = call.generation.relinks_drafts and not experiment.is_launched
    if given.flag_key not in (None, experiment.flag.key) and not is_free:
        fixed.append("get_feature_flag_key")
    if fixed:
        raise invalid(f"Can't update keys: {', '.join(sorted(fixed))} on Experiment")


def _check_old(call: Call, experiment: Experiment, given: Input) -> None:
    refused = sorted(name for name in given.sent if name not in _OF_OLD)
    if refused and is_old(experiment, saved_metric_links(call, experiment)):
        raise invalid(
            "This experiment uses legacy metric formats and can only have its name, description, or end_date "
            f"updated. Cannot update: {', '.join(refused)}"
        )
