"""What the server stored held against what was planned; how it rewrites `filters` by rule does not count."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from flagtui.changes.difference import DifferenceLine, Path, difference
from flagtui.changes.flags.canonical_filters import normal_filters
from flagtui.changes.flags.flag_plan import Plan, live_key
from flagtui.changes.flags.flag_words import hidden, in_words
from flagtui.changes.proposal import DiffLine
from flagtui.models.flag import Flag
from flagtui.models.json_value import JSON
from flagtui.models.record_fields import FLAG_FIELDS

IGNORED: Final = frozenset(
    {
        "version",
        "updated_at",
        "last_modified_by",
        "last_called_at",
        "status",
        "usage_dashboard",
        "has_enriched_analytics",
        "experiment_set_metadata",
        "is_eligible_for_experiment",
        "is_simple_flag",
        "rollout_percentage",
        "user_access_level",
        "can_edit",
        "created_by",
    }
)
"""Fields that move with every write, or by themselves."""
_MAY_BE_BLANKED: Final = FLAG_FIELDS.having("blanked")


@dataclass(frozen=True, slots=True)
class Report:
    """How the stored record differs from the planned one."""

    missing: tuple[DiffLine, ...] = ()
    """Planned and not so: from the planned value to what is there."""
    beyond: tuple[DiffLine, ...] = ()
    """Not planned and moved all the same: from what was there to what is."""
    others: int = 0
    """How many more writes happened between the read and the answer, as the version counts them."""
    is_applied: bool = True
    """Whether anything of the plan is there."""

    @property
    def is_clean(self) -> bool:
        return not (self.missing or self.beyond or self.others)


def compare(plan: Plan, found: Flag) -> Report:
    """What of the plan is there, and what moved besides."""
    before = normal(plan.fresh)
    expected = {**before, **_normal_values(plan)}
    stored = _seen_like(before, expected, normal(found))
    planned = [line.path for line in difference(before, expected)]
    moved = difference(expected, stored)
    missing = tuple(line for line in moved if _is_about(line.path, planned))
    beyond = tuple(line for line in difference(before, stored) if not _is_about(line.path, planned))
    missing_paths = [line.path for line in missing]
    shown = hidden if plan.is_secret else _as_is
    return Report(
        missing=tuple(DiffLine(shown(line), in_words(line, expected, stored)) for line in missing),
        beyond=tuple(DiffLine(shown(line), in_words(line, before, stored)) for line in beyond),
        others=_others(plan, found),
        is_applied=any(not _is_about(path, missing_paths) for path in planned),
    )


def normal(flag: Flag) -> dict[str, JSON]:
    """The flag's fields in one form, however this generation of server writes them."""
    kept = {name: value for name, value in flag.raw.items() if name not in IGNORED}
    kept["key"] = live_key(flag)
    if "filters" in kept:
        kept["filters"] = normal_filters(flag.filters)
    return {name: FLAG_FIELDS.comparable(name, value) for name, value in kept.items()}


def _normal_values(plan: Plan) -> dict[str, JSON]:
    values = dict(plan.values)
    if "filters" in values:
        values["filters"] = normal_filters(values["filters"])
    return {name: FLAG_FIELDS.comparable(name, value) for name, value in values.items()}


def _seen_like(
    before: Mapping[str, JSON], expected: Mapping[str, JSON], stored: dict[str, JSON]
) -> dict[str, JSON]:
    """What is stored, as far as it can be compared: answers may lack fields, or show what reading blanks."""
    shown = {name: value for name, value in stored.items() if name in expected}
    for name in before:
        is_blanked = name in _MAY_BE_BLANKED and before[name] == []
        if (name not in stored or is_blanked) and before[name] == expected[name]:
            shown[name] = before[name]
    return shown


def _as_is(line: DifferenceLine) -> DifferenceLine:
    return line


def _others(plan: Plan, found: Flag) -> int:
    if plan.version is None or found.version is None:
        return 0
    return max(found.version - plan.version - 1, 0)


def _is_about(path: Path, planned: list[Path]) -> bool:
    return any(path[: len(other)] == other or other[: len(path)] == path for other in planned)
