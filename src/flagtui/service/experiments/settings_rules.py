"""What the other settings of an experiment must be like: exposure criteria, statistics, variants left out."""

from collections.abc import Sequence

from flagtui.service.errors import Json, invalid

CONCLUSIONS = ("won", "lost", "inconclusive", "stopped_early", "invalid")
TYPES = ("product", "web")
METHODS = ("bayesian", "frequentist")
EXPOSURE_KINDS = ("ExperimentEventExposureConfig", "ActionsNode")
RUNNING_TIME_KEYS = (
    "minimum_detectable_effect",
    "recommended_running_time",
    "recommended_sample_size",
    "exposure_estimate_config",
)


def checked_criteria(sent: Json) -> Json:
    """Exposure criteria; null is allowed."""
    attr = "exposure_criteria"
    if sent is None:
        return None
    if not isinstance(sent, dict):
        raise invalid("exposure_criteria must be an object", attr)
    if "filterTestAccounts" in sent and not isinstance(sent["filterTestAccounts"], bool):
        raise invalid("exposure_criteria.filterTestAccounts must be a boolean", attr)
    handling = sent.get("multiple_variant_handling")
    if handling not in (None, "exclude", "first_seen"):
        raise invalid("exposure_criteria.multiple_variant_handling must be 'exclude' or 'first_seen'", attr)
    config = sent.get("exposure_config")
    if config is not None:
        _check_exposure_config(config, attr)
    return sent


def _check_exposure_config(config: Json, attr: str) -> None:
    if not isinstance(config, dict):
        raise invalid("exposure_criteria.exposure_config must be an object", attr)
    if config.get("kind", "ExperimentEventExposureConfig") not in EXPOSURE_KINDS:
        raise invalid(f"exposure_criteria.exposure_config.kind must be one of {list(EXPOSURE_KINDS)}", attr)
    filters = config.get("properties", [])
    is_filters = isinstance(filters, list) and all(isinstance(one, dict) for one in filters)
    if config.get("kind") == "ActionsNode":
        is_right = isinstance(config.get("id"), int) and not isinstance(config["id"], bool)
    else:
        is_right = isinstance(config.get("event"), str) and is_filters
    if not is_right:
        raise invalid("Invalid exposure_criteria.exposure_config", attr)


def checked_stats(sent: Json) -> Json:
    """Statistics settings; unknown keys stay."""
    if sent is None:
        return None
    if not isinstance(sent, dict):
        raise invalid("stats_config must be an object", "stats_config")
    method = sent.get("method")
    if method is not None and method not in METHODS:
        raise invalid(
            f"Invalid stats method: '{method}'. Must be one of: {', '.join(METHODS)}", "stats_config"
        )
    return sent


def check_baseline(stats: Json, variant_keys: Sequence[str]) -> None:
    key = (stats or {}).get("baseline_variant_key")
    if key is not None and key not in variant_keys:
        listed = ", ".join(variant_keys)
        raise invalid(f"Invalid baseline_variant_key: '{key}'. Must be one of: {listed}", "stats_config")


def checked_running_time(sent: Json) -> Json:
    attr = "running_time_calculation"
    if sent is None:
        return None
    if not isinstance(sent, dict):
        raise invalid("running_time_calculation must be an object", attr)
    unknown = [name for name in sent if name not in RUNNING_TIME_KEYS]
    if unknown:
        raise invalid(f"running_time_calculation got unknown keys: {unknown}", attr)
    return sent


def checked_excluded(sent: Json) -> list[str] | None:
    if sent is None:
        return None
    if not isinstance(sent, list) or not all(isinstance(one, str) for one in sent):
        raise invalid("excluded_variants must be a list of strings", "excluded_variants")
    holdouts = [one for one in sent if one.startswith("holdout-")]
    if holdouts:
        raise invalid(f"cannot exclude holdout pseudo-variants: {holdouts}", "excluded_variants")
    return sent


def check_excluded(excluded: Sequence[str] | None, variant_keys: Sequence[str], baseline: str) -> None:
    """Against the variants there are: the baseline and one more must remain."""
    attr = "excluded_variants"
    if not excluded:
        return
    if baseline in excluded:
        raise invalid(f"baseline variant cannot be excluded ('{baseline}')", attr)
    unknown = [one for one in excluded if one not in variant_keys]
    if unknown:
        raise invalid(f"unknown variants for this experiment: {unknown}", attr)
    if all(key in excluded for key in variant_keys if key != baseline):
        raise invalid("at least one test variant must remain in analysis", attr)


def checked_filters(sent: Json) -> dict[str, Json]:
    if sent is None:
        return {}
    if not isinstance(sent, dict):
        raise invalid("filters must be an object", "filters")
    if sent.get("properties"):
        raise invalid("Experiments do not support global filter properties", "filters")
    return sent


def checked_order(sent: Json, name: str) -> list[str] | None:
    if sent is None:
        return None
    if not isinstance(sent, list) or not all(isinstance(one, str) for one in sent):
        raise invalid(f"{name} must be a list of UUIDs", name)
    return sent
