"""What identifies the way a metric is computed: the same fingerprint means stored results are still valid."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

_IGNORED = frozenset({"uuid", "name", "kind", "fingerprint", "only_count_matured_users"})


@dataclass(frozen=True, slots=True)
class Conditions:
    """What an experiment adds to the definition of a metric."""

    start: str | None = None
    """ISO text in UTC with `+00:00`."""
    stats_config: Mapping[str, Any] | None = None
    exposure_criteria: Mapping[str, Any] | None = None
    excluded_variants: Iterable[str] | None = None
    only_matured: bool = False


def fingerprint(metric: Mapping[str, Any], under: Conditions) -> str:
    """SHA-256 of the compact sorted JSON of all that changes the numbers, 64 hex digits."""
    kept = {key: value for key, value in metric.items() if key not in _IGNORED}
    if not kept.get("breakdownFilter", True):
        del kept["breakdownFilter"]
    parts: dict[str, Any] = {
        "metric": kept,
        "start_date": under.start,
        "stats_method": (under.stats_config or {}).get("method", "bayesian"),
    }
    if under.exposure_criteria:
        parts["exposure_criteria"] = under.exposure_criteria
    if under.only_matured:
        parts["only_count_matured_users"] = True
    if excluded := sorted(under.excluded_variants or ()):
        parts["excluded_variants"] = excluded
    text = json.dumps(parts, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
