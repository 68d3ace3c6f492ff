"""Compare stored targeting with the parsed sentences about it."""

import json
import re
from collections.abc import Iterator
from typing import Any, Final

from tests.doubles.targeting_reader import LISTS, Asked, Claimed, is_told, read_clause, read_targeting

from flagtui.safe_text import safe_text

JSON = Any
NAME_ROOM = 60
"""Characters of a property, a cohort or a flag that a sentence names."""
AND: Final = re.compile(r" and (?![\d,]+ more)")
SHORT: Final = re.compile(
    r"(?P<share>[\d.]+) % of (?P<audience>those|everyone|(?:all )?groups of type \d+)"
    r"(?: where (?P<asks>.*?))?(?:, as (?P<variant>\w+))?"
)


def filters_in(value: JSON) -> Iterator[dict[str, JSON]]:
    """Every stored targeting anywhere in an answer."""
    if isinstance(value, dict):
        if isinstance(value.get("filters"), dict) and "groups" in value["filters"]:
            yield value["filters"]
        for inner in value.values():
            yield from filters_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from filters_in(inner)


def compare(filters: dict[str, JSON], lines: list[str]) -> None:
    """Reads the sentences about one flag and holds each claim against what is stored."""
    found = read_targeting(lines)
    stored = filters.get("groups") or []
    assert sorted(found.before) == sorted(said_before(filters)), lines
    assert bool(found.nobody) is not bool(stored), lines
    assert [one.number for one in found.conditions] == list(range(1, len(stored) + 1)), lines
    is_early = filters.get("early_exit") is True and len(stored) > 1
    assert (
        found.after == ["early exit: the first matching condition decides, even by its rollout"] * is_early
    ), lines
    variants = {one["key"] for one in (filters.get("multivariate") or {}).get("variants") or []}
    for claimed, raw in zip(found.conditions, stored, strict=True):
        assert not claimed.unreadable, lines
        compare_condition(claimed, raw, filters.get("aggregation_group_type_index"), variants)


def compare_short(text: str, raw: dict[str, JSON], index: JSON) -> None:
    """Read a condition on one line and compare each claim with what a flag of this group type stores."""
    parts = SHORT.fullmatch(text)
    assert parts, text
    stored = raw["rollout_percentage"]
    assert is_share(parts["share"], 100 if stored is None else stored), (text, raw)
    assert parts["variant"] == (raw.get("variant") or None), (text, raw)
    own = raw.get("aggregation_group_type_index", index)
    groups = None if own is None else f"groups of type {own}"
    filters = raw["properties"]
    people = "those" if filters else "everyone"
    assert parts["audience"] == (people if groups is None else groups if filters else f"all {groups}"), text
    clauses = AND.split(parts["asks"]) if parts["asks"] else []
    assert len(clauses) == len(filters), (text, raw)
    for clause, raw_filter in zip(clauses, filters, strict=True):
        assert differs(read_clause(clause), raw_filter, own) == "", (clause, raw_filter)


def said_before(filters: dict[str, JSON]) -> Iterator[str]:
    if filters.get("feature_enrollment") is True:
        yield "everyone who opted in to early access, no one who opted out"
    elif filters.get("super_groups"):
        yield "early access: the user's own choice decides"
    holdout = filters.get("holdout") or {}
    if holdout.get("id") is not None and holdout.get("exclusion_percentage") is not None:
        share = min(max(holdout["exclusion_percentage"], 0), 100)
        yield f"{share:g} % are held out of experiments and get holdout-{holdout['id']}"
    else:
        for held in filters.get("holdout_groups") or []:
            share = min(max(held["rollout_percentage"], 0), 100)
            rest = f"which hold out {share:g} %; newer servers ignore it"
            yield f"{held['variant']} on older servers, {rest}"


def compare_condition(claimed: Claimed, raw: dict[str, JSON], flag_index: JSON, variants: set[str]) -> None:
    stored = raw.get("rollout_percentage")
    assert is_share(claimed.share, 100 if stored is None else stored), (claimed, raw)
    index = raw.get("aggregation_group_type_index", flag_index)
    asked = raw.get("properties") or []
    assert claimed.has_all is not bool(asked), (claimed, raw)
    everyone = "everyone" if not asked else "users"
    audience = everyone if index is None else f"groups of type {index}"
    is_else = not asked and claimed.number > 1
    assert claimed.audience == (f"{audience} else" if is_else else audience), (claimed, raw)
    assert claimed.variant == (raw.get("variant") or None), (claimed, raw)
    assert claimed.is_variant_unknown is (claimed.variant not in {None, *variants}), (claimed, raw)
    assert len(claimed.asks) == len(asked), (claimed, raw)
    for said, one in zip(claimed.asks, asked, strict=True):
        assert differs(said, one, index) == "", (said, one)


def is_share(told: str, share: float) -> bool:
    if told.startswith("<"):
        return 0 < share < float(told[1:])
    if told.startswith(">"):
        return float(told[1:]) < share < 100
    return abs(float(told) - share) <= 0.005 and (float(told) in (0, 100)) is (share in (0, 100))


def differs(said: Asked, raw: dict[str, JSON], audience: JSON = None) -> str:
    """In what a clause and a stored property differ; empty where in nothing."""
    kind = raw.get("type") if raw.get("type") in ("cohort", "flag") else "property"
    if said.kind != kind:
        return "kind"
    operator, value = raw.get("operator") or "exact", raw.get("value")
    if kind == "flag":
        return flag_differs(said, raw)
    if kind == "cohort":
        name = raw.get("cohort_name") or "cohort " + json.dumps(value).strip('"')
        return "" if operator in said.operators and said.key == safe_text(name, NAME_ROOM) else "cohort"
    if said.key != safe_text(owner(raw, audience) + (raw.get("key") or '""'), NAME_ROOM):
        return "key"
    if operator not in said.operators:
        return "operator"
    if said.is_negated is not (raw.get("negation") is True):
        return "negation"
    return values_differ(said, operator, value)


def owner(raw: dict[str, JSON], audience: JSON) -> str:
    """Whose property it is, where it is not one of those the condition is about."""
    index = raw.get("group_type_index")
    if raw.get("type") == "group":
        return "" if index in (None, audience) else f"the group of type {index}'s "
    is_own = raw.get("type", "person") == "person" and audience is not None
    return "the person's " if is_own else ""


def flag_differs(said: Asked, raw: dict[str, JSON]) -> str:
    wanted, name = raw.get("value"), raw.get("label") or str(raw.get("key") or "")
    if said.key != safe_text(name, NAME_ROOM):
        return "name"
    if not name:
        return "" if said.note == "never" else "value"
    words = {True: "on", False: "off"}.get(wanted) if isinstance(wanted, bool) else wanted
    if not isinstance(words, str) or raw.get("operator") != "flag_evaluates_to":
        return "" if said.note == "never" else "value"
    expected = json.dumps(words) if words in ("true", "false") else words
    return "" if said.values == (expected,) and not said.note else "value"


def values_differ(said: Asked, operator: str, value: JSON) -> str:
    if operator in ("is_set", "is_not_set"):
        return "value" if said.values else ""
    is_list = operator in LISTS and isinstance(value, list)
    stored = value if is_list and value else [] if is_list and not said.values else [value]
    if len(said.values) + said.more != len(stored):
        return "count"
    told = all(is_told(text, one) for text, one in zip(said.values, stored, strict=False))
    return "" if told else "value"
