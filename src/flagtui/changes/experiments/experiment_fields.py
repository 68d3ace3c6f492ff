"""The editable fields of an experiment: as stored, their problems, and in words."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from flagtui.changes.difference import MISSING, arrow, brief, field_words
from flagtui.changes.draft import share_sum
from flagtui.changes.experiments.metric_nodes import events_of
from flagtui.changes.experiments.metric_words import (
    activated_by,
    counts_test_accounts,
    exposed_by,
    further_words,
    metric_name,
    metric_words,
    named_words,
    several_words,
    window_words,
)
from flagtui.changes.experiments.metrics import as_shown, problems_in_metric
from flagtui.changes.shares import SUM_TOLERANCE
from flagtui.local_time import as_moment, minute
from flagtui.models.editable_fields import is_plain_key
from flagtui.models.experiment import Experiment
from flagtui.models.json_value import JSON, as_dict, as_id, as_list, as_number, as_text, format_number
from flagtui.models.record_fields import EXPERIMENT_FIELDS

METHODS: Final = ("bayesian", "frequentist")
MOST_VARIANTS: Final = 20
BASELINE: Final = "control"
METRICS: Final = ("metrics", "metrics_secondary")
REORDERED: Final = "in another order"
_DATES: Final = ("start_date", "end_date")


def stored_field(fresh: Experiment, name: str) -> JSON:
    """Return a field as people edit it: without what servers compute from the rest."""
    value = fresh.raw.get(name)
    match name:
        case "metrics" | "metrics_secondary":
            return [_without(metric, "fingerprint") for metric in as_shown(fresh, name)]
        case "saved_metrics_ids":
            return [
                {"id": link.saved_metric, "metadata": dict(link.metadata)} for link in fresh.saved_metrics
            ]
        case "holdout_id":
            return fresh.holdout_id or (fresh.holdout.id if fresh.holdout else None)
        case "parameters":
            kept = dict(as_dict(value))
            if variants := as_list(kept.get("feature_flag_variants")):
                kept["feature_flag_variants"] = [
                    _without(as_dict(variant), "split_percent") for variant in variants
                ]
            return kept
    return value


def is_kept(experiment: Experiment, name: str, value: JSON, same: Callable[[JSON, JSON], bool]) -> bool:
    """Return whether a new value was stored. Servers fill in missing settings, variants and metrics."""
    stored = stored_field(experiment, name)
    if name == "parameters":
        return same(_shares(stored), _shares(value))
    if name in _DATES and stored and value:
        # Servers write a moment in their own way: with Z or +00:00, with or without microseconds.
        return as_moment(stored) == as_moment(value)
    if isinstance(value, list):
        return len(as_list(stored)) == len(value)
    if isinstance(value, dict):
        return all(same(as_dict(stored).get(key), part) for key, part in value.items())
    return same(stored, value) or not (stored or value)


def events_in(fields: Mapping[str, JSON]) -> frozenset[str]:
    """Return the names of the events that the metrics among these fields count."""
    metrics = (as_dict(metric) for name in METRICS for metric in as_list(fields.get(name)))
    return frozenset(event for metric in metrics for event in events_of(metric))


def variants_in(parameters: JSON) -> list[JSON]:
    """Return the variants themselves, to be changed."""
    return as_list(as_dict(parameters).get("feature_flag_variants"))


def baseline_of(settings: Mapping[str, JSON], keys: Sequence[str]) -> str:
    """Return the variant that others are compared with: the configured one, `control`, or the first."""
    candidates = (as_text(settings.get("baseline_variant_key")), BASELINE)
    return next((key for key in candidates if key in keys), keys[0] if keys else BASELINE)


def problems_in_fields(fields: Mapping[str, JSON], *, is_undo: bool = False) -> Iterator[str]:
    """Yield what a strict server would refuse of these new values, top to bottom."""
    yield from EXPERIMENT_FIELDS.problems(fields, is_undo=is_undo)
    if variants := variants_in(fields.get("parameters")):
        yield from _problems_in_variants(variants)
    for name in METRICS:
        for metric in as_list(fields.get(name)):
            yield from problems_in_metric(as_dict(metric))
    yield from _problems_in_statistics(as_dict(fields.get("stats_config")))


def _problems_in_variants(variants: list[JSON]) -> Iterator[str]:
    keys = [as_text(as_dict(variant).get("key")) for variant in variants]
    if len(keys) < 2:
        yield "an experiment needs at least two variants"
    if len(keys) > MOST_VARIANTS:
        yield f"an experiment has {MOST_VARIANTS} variants at most"
    for key in keys:
        if not is_plain_key(key):
            yield f"the variant {key or 'without a key'} needs letters, digits, - and _"
    if len(set(keys)) < len(keys):
        yield "two variants have the same key"
    total = share_sum(variants)
    if abs(total - 100) > SUM_TOLERANCE:
        yield f"the variants have {total:g} % together, which has to be 100 %"


def _problems_in_statistics(settings: Mapping[str, JSON]) -> Iterator[str]:
    method = settings.get("method")
    if method not in (None, *METHODS):
        yield f"statistics are {' or '.join(METHODS)}"
    level = as_number(as_dict(settings.get("bayesian")).get("ci_level"))
    alpha = as_number(as_dict(settings.get("frequentist")).get("alpha"))
    if any(part is not None and not 0 < part < 1 for part in (level, alpha)):
        yield "the confidence level is more than 0 and less than 100 %"


def change_words(
    name: str, before: JSON, after: JSON, shared: Mapping[int, str] = MappingProxyType({})
) -> tuple[str, ...]:
    """Return a phrase for each part of a change: `primary metrics: + Paid (funnel view → purchase)`.

    `shared` has the names of shared metrics, by id.
    """
    label = EXPERIMENT_FIELDS.words(name)
    match name:
        case "metrics" | "metrics_secondary":
            parts = _metric_changes(as_list(before), as_list(after))
        case "saved_metrics_ids":
            parts = _link_changes(as_list(before), as_list(after), shared)
        case "parameters":
            return tuple(_parameter_words(as_dict(before), as_dict(after)))
        case "stats_config" | "exposure_criteria":
            old, new = as_dict(before), as_dict(after)
            moved = [key for key in {**old, **new} if old.get(key) != new.get(key)]
            named = [(PARTS.get(key, key.replace("_", " ")), key) for key in moved]
            parts = (f"{words} {_part(key, old)} → {_part(key, new)}" for words, key in named)
        case "holdout_id":
            return (f"{label}: {f'#{before}' if before else 'none'} → {f'#{after}' if after else 'none'}",)
        case "start_date" | "end_date":
            return (f"{label}: {date_words(before)} → {date_words(after)}",)
        case _:
            return (field_words(EXPERIMENT_FIELDS, name, before, after),)
    return tuple(f"{label}: {part}" for part in parts) or (f"{label}: {REORDERED}",)


def date_words(value: JSON) -> str:
    """Return a moment to the minute, in the user's zone."""
    moment = as_moment(value)
    return as_text(value) or "none" if moment is None else minute(moment)


def _metric_changes(before: list[JSON], after: list[JSON]) -> Iterator[str]:
    old, new = _by_uuid(before), _by_uuid(after)
    for uuid, metric in new.items():
        if uuid not in old:
            yield f"+ {named_words(metric)}"
        elif old[uuid] != metric:
            yield metric_change(old[uuid], metric)
    for uuid, metric in old.items():
        if uuid not in new:
            yield f"− {metric_name(metric)}"
    if [uuid for uuid in old if uuid in new] != [uuid for uuid in new if uuid in old]:
        yield REORDERED


def metric_change(before: Mapping[str, JSON], after: Mapping[str, JSON]) -> str:
    """Return the name of a metric with every changed setting: `Paid: goal increase → decrease`. Raw."""
    moved = [key for key in {**before, **after} if before.get(key) != after.get(key)]
    words = metric_words(before), metric_words(after)
    differences = [f"{words[0]} → {words[1]}"] if words[0] != words[1] else []
    for key in ("name", "goal"):
        if key in moved:
            differences.append(f"{key} {arrow(*(each.get(key) or 'none' for each in (before, after)))}")
    windows = [window_words(each) or "none" for each in (before, after)]
    if windows[0] != windows[1]:
        differences.append(f"conversion window {arrow(*windows)}")
    # The goal and the window have their own words above.
    others = [further_words({**each, "goal": None, "conversion_window": None}) for each in (before, after)]
    if others[0] != others[1]:
        parts = ([words for words in side if words not in other] for side, other in (others, others[::-1]))
        differences.append(" → ".join(", ".join(words) or "none" for words in parts))
    return f"{metric_name(before)}: {', '.join(differences) or ', '.join(moved)}"


def _by_uuid(metrics: list[JSON]) -> dict[str, dict[str, JSON]]:
    """Return items by UUID; those without one by their place."""
    objects = (as_dict(metric) for metric in metrics)
    return {as_text(metric.get("uuid")) or f"new {place}": metric for place, metric in enumerate(objects)}


def _link_changes(before: list[JSON], after: list[JSON], shared: Mapping[int, str]) -> Iterator[str]:
    old, new = ({as_dict(link).get("id"): _role(link) for link in links} for links in (before, after))
    names = {id: f"{shared.get(as_id(id) or 0, '')} #{id}".strip() for id in (*old, *new)}
    for id, role in new.items():
        if id not in old:
            yield f"+ {names[id]} ({role})"
        elif old[id] != role:
            yield f"{names[id]}: {old[id]} → {role}"
    for id in old:
        if id not in new:
            yield f"− {names[id]}"


def _role(link: JSON) -> str:
    return as_text(as_dict(as_dict(link).get("metadata")).get("type")) or "primary"


def _parameter_words(before: Mapping[str, JSON], after: Mapping[str, JSON]) -> Iterator[str]:
    old, new = _shares(before), _shares(after)
    if old != new:
        yield f"variants: {_split(old)} → {_split(new)}" if old else f"variants: {_split(new)}"
    elif before.get("feature_flag_variants") != after.get("feature_flag_variants"):
        yield "variants: other descriptions"
    for key in {**before, **after}:
        if key != "feature_flag_variants" and before.get(key) != after.get(key):
            name = "rollout" if key == "rollout_percentage" else key.replace("_", " ")
            unit = " %" if key == "rollout_percentage" else ""
            sides = [f"{brief(each[key])}{unit}" if key in each else MISSING for each in (before, after)]
            yield f"{name}: {arrow(*sides) if key in before else sides[1]}"


def _shares(parameters: JSON) -> dict[str, JSON]:
    variants = (as_dict(variant) for variant in variants_in(parameters))
    return {as_text(variant.get("key")): variant.get("rollout_percentage") for variant in variants}


def split_words(parameters: JSON) -> str:
    """Return `control 50 % · test 50 %`; empty without variants."""
    return _split(_shares(parameters))


def _split(shares: Mapping[str, JSON]) -> str:
    return " · ".join(f"{key} {format_number(as_number(share) or 0)} %" for key, share in shares.items())


def _part(key: str, settings: Mapping[str, JSON]) -> str:
    match key:
        case "filterTestAccounts":
            return "counted" if counts_test_accounts(settings) else "excluded"
        case "exposure_config":
            return exposed_by(settings)
        case "activation_config":
            return activated_by(settings) or "nothing"
        case "multiple_variant_handling":
            return several_words(settings)
    return _brief(settings.get(key))


PARTS: Final[Mapping[str, str]] = {
    "filterTestAccounts": "test accounts",
    "exposure_config": "by",
    "activation_config": "activated by",
    "multiple_variant_handling": "users who saw several variants",
    "baseline_variant_key": "compared with",
    "bayesian": "interval",
    "frequentist": "interval",
}


def _brief(value: JSON) -> str:
    match value:
        case None:
            return "default"
        case bool():
            return "yes" if value else "no"
        case {"ci_level": (int() | float()) as level}:
            return f"{level * 100:g} %"
        case {"alpha": (int() | float()) as alpha}:
            return f"{(1 - alpha) * 100:g} %"
    return brief(value)


def _without(item: Mapping[str, JSON], name: str) -> dict[str, JSON]:
    return {key: part for key, part in item.items() if key != name}
