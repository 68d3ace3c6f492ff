"""Rules about which experiments can be frozen, from the experiment and its flag alone."""

from flagtui.service.experiments.records import Experiment
from flagtui.service.flags.status import groups_of


def freezing_refusal(experiment: Experiment) -> str | None:
    """Return why the exposure cannot be frozen, or None. Who was exposed so far is not asked here."""
    filters = experiment.flag.filters
    has_holdout = experiment.fields["holdout_id"] or filters.get("holdout") or filters.get("holdout_groups")
    groups = groups_of(filters)
    refusals = (
        (not experiment.is_launched, "Experiment has not been launched yet."),
        (experiment.end is not None, "Experiment has already ended."),
        (experiment.flag.deleted, "The feature flag of the experiment has been deleted."),
        (experiment.status == "paused", "Cannot freeze a paused experiment."),
        (experiment.status == "exposure_frozen", "Experiment exposure is already frozen."),
        (
            any(part.get("aggregation_group_type_index") is not None for part in (filters, *groups)),
            "Group-aggregated experiments cannot be frozen.",
        ),
        (not groups, "The feature flag has no release conditions."),
        (bool(has_holdout), "An experiment with a holdout cannot be frozen."),
        (bool(filters.get("super_groups")), "A flag with an early access feature cannot be frozen."),
    )
    return next((detail for is_refused, detail in refusals if is_refused), None)
