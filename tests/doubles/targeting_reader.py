"""Parse sentences about targeting into their claims, from their words alone.

Nothing of the program but the way of making text drawable is used here: what the words mean is written down
a second time, so that a sentence that leaves something out or adds something is seen.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from flagtui.safe_text import safe_text

JSON = Any
LONG: Final = 100_000
VERBS: Final[dict[str, str]] = {
    "is any of": "exact", "is none of": "is_not", "is": "exact", "is not": "is_not",
    "contains any of": "icontains_multi", "contains none of": "not_icontains_multi",
    "contains": "icontains", "does not contain": "not_icontains",
    "starts with": "starts_with", "does not start with": "not_starts_with",
    "ends with": "ends_with", "does not end with": "not_ends_with",
    "matches": "regex", "does not match": "not_regex",
    ">": "gt", "≥": "gte min", "<": "lt", "≤": "lte max", "is set": "is_set", "is not set": "is_not_set",
    "is between": "between", "is not between": "not_between",
    "is on": "is_date_exact", "is before": "is_date_before", "is after": "is_date_after",
    "is version": "semver_eq", "is not version": "semver_neq", "is a version above": "semver_gt",
    "is at least version": "semver_gte", "is a version below": "semver_lt",
    "is at most version": "semver_lte", "is a patch of version": "semver_tilde",
    "is compatible with version": "semver_caret", "is a version like": "semver_wildcard",
}  # fmt: skip
"""The operators that each of the words may stand for."""
ABOUT_TRUTH: Final[dict[str, str]] = {
    r"is anything but true \((.*) is required\)": "exact",
    r"is true or not set \((.*) is required\)": "is_not",
    r"is true \((no value) is listed\)": "exact",
    r"is not true \((no value) is listed\)": "is_not",
}
LISTS: Final = frozenset(("exact", "is_not", "icontains_multi", "not_icontains_multi"))
SPANS: Final = frozenset(("between", "not_between"))
_VERB: Final = "|".join(map(re.escape, sorted(VERBS, key=len, reverse=True)))
_CLAUSE: Final = re.compile(rf"(?P<key>.+?) (?P<verb>{_VERB})(?: (?P<values>.*))?", re.DOTALL)
_ODD: Final = re.compile(r"(?P<key>.+?) (?P<operator>[a-z_]+)(?: (?P<values>.*))?")
_NEGATED: Final = " (marked as negated, which counts in cohorts only)"
_MORE: Final = re.compile(r" and ([\d,]+) more$")
_CUT: Final = re.compile(r"(.*?)… \(([\d,]+) more characters?\)", re.DOTALL)
_HEAD: Final = re.compile(
    r" (?P<number>\d+) (?P<share>[<>\d.]+) % of (?P<all>all other |all )?(?P<audience>.+?)"
    r"(?:, as (?P<variant>.+?)(?P<unknown> \(not a variant of this flag\))?)?(?P<where> where)?"
)


@dataclass(frozen=True)
class Asked:
    """What a clause claims to be asked: kind, of what, how, which values, and how many more there are."""

    kind: str
    key: str
    operators: frozenset[str] = frozenset()
    values: tuple[str, ...] = ()
    more: int = 0
    is_negated: bool = False
    note: str = ""


@dataclass
class Claimed:
    """What the lines of one condition claim."""

    number: int
    share: str = ""
    audience: str = ""
    has_all: bool = False
    variant: str | None = None
    is_variant_unknown: bool = False
    asks: list[Asked] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    unreadable: str = ""


@dataclass
class Read:
    """What all lines about a flag claim."""

    before: list[str] = field(default_factory=list)
    conditions: list[Claimed] = field(default_factory=list)
    after: list[str] = field(default_factory=list)
    nobody: str = ""


def read_targeting(lines: Sequence[str]) -> Read:
    """All lines of a flag; a line that cannot be read raises."""
    found = Read()
    for line in lines:
        if line.startswith(" ·  "):
            (found.after if found.conditions else found.before).append(line[4:])
        elif told := re.fullmatch(r" (\d+) never matches: (.+)", line):
            found.conditions.append(Claimed(int(told[1]), unreadable=told[2]))
        elif told := _HEAD.fullmatch(line):
            found.conditions.append(_head(told))
        elif told := re.fullmatch(r"      adds no one: (.+)", line):
            found.conditions[-1].notes.append(told[1])
        elif told := re.fullmatch(r"(      |  and )(.+)", line, re.DOTALL):
            assert (told[1] == "  and ") is bool(found.conditions[-1].asks), line
            found.conditions[-1].asks.append(read_clause(told[2]))
        elif told := re.fullmatch(r"no one(?: else)?: (.+)", line):
            found.nobody = told[1]
        else:
            raise AssertionError(f"nobody can read {line!r}")
    return found


def read_clause(text: str) -> Asked:
    """One thing that is asked for."""
    if told := re.fullmatch(r"people (in|not in|[a-z_]+) (.+)", text):
        words = {"in": frozenset(("in", "exact")), "not in": frozenset(("not_in",))}
        name = told[2].removesuffix(" (can never match)")
        return Asked("cohort", name, words.get(told[1], frozenset((told[1],))))
    if text == "a flag that is not named: matches no one":
        return Asked("flag", "", note="never")
    if text.startswith("flag "):
        return _dependency(text[5:])
    text = text.removesuffix(" (can never match)")
    is_negated = text.endswith(_NEGATED)
    text = text.removesuffix(_NEGATED)
    for pattern, operator in ABOUT_TRUTH.items():
        if told := re.fullmatch(rf"(.+?) {pattern}", text):
            values, more = ((), 0) if told[2] == "no value" else read_values(told[2], operator, is_list=True)
            return Asked("property", told[1], frozenset((operator,)), values, more, is_negated)
    if told := _CLAUSE.fullmatch(text):
        operators = frozenset(VERBS[told["verb"]].split())
    elif told := _ODD.fullmatch(text):
        operators = frozenset((told["operator"],))
    else:
        raise AssertionError(f"nobody can read {text!r}")
    if told["values"] is None:
        return Asked("property", told["key"], operators, is_negated=is_negated)
    is_list = bool(operators & LISTS) and told.groupdict().get("verb") not in ("is", "is not")
    values, more = read_values(told["values"], min(operators), is_list=is_list)
    return Asked("property", told["key"], operators, values, more, is_negated)


def read_values(text: str, operator: str, *, is_list: bool) -> tuple[tuple[str, ...], int]:
    """The values as they are told, and how many more there are said to be."""
    if operator in SPANS:
        return tuple(text.split(" and ")), 0
    if not is_list:
        return (text,), 0
    told = _MORE.search(text)
    more = int(told[1].replace(",", "")) if told else 0
    return tuple(_several(_MORE.sub("", text))), more


def _several(text: str) -> Iterator[str]:
    while text:
        if text[0] in '"[{' and (end := _end_of_json(text)) and text[end : end + 2] in ("", ", "):
            value, text = text[:end], text[end:]
        elif text[0] == '"' and (cut := _CUT.match(text)):
            value, text = cut[0], text[cut.end() :]
        else:
            value = text.partition(", ")[0]
            text = text[len(value) :]
        yield value
        text = text.removeprefix(", ")


def _end_of_json(text: str) -> int:
    try:
        return int(json.JSONDecoder().raw_decode(text)[1])
    except ValueError:
        return 0


def _dependency(text: str) -> Asked:
    told = re.fullmatch(r"(\S+) (?:is (on|off)|serves (.+?))(?: \((.+)\))?", text)
    if told and not text.endswith(": matches no one"):
        return Asked("flag", told[1], values=(told[2] or told[3],), note=told[4] or "")
    told = re.fullmatch(r"(\S+) (.+): matches no one", text)
    assert told, text
    return Asked("flag", told[1], note="never")


def _head(told: re.Match[str]) -> Claimed:
    audience = told["audience"]
    has_all = audience.startswith("everyone") or told["all"] is not None
    if told["all"] == "all other ":
        audience = f"{audience} else"
    return (
        Claimed(
            int(told["number"]),
            told["share"],
            audience,
            has_all,
            told["variant"],
            told["unknown"] is not None,
        )
        if (told["where"] is None) is has_all
        else _at_odds(told[0])
    )


def _at_odds(line: str) -> Claimed:
    raise AssertionError(f"all of them, and asked for something: {line!r}")


def is_told(text: str, value: JSON) -> bool:
    """Whether this is how a value reads: itself, or as JSON; or its beginning and how much is missing."""
    forms = [json.dumps(value, ensure_ascii=False, default=str)]
    if isinstance(value, str):
        forms.insert(0, value)
    if cut := _CUT.fullmatch(text):
        left = int(cut[2].replace(",", ""))
        return any(len(form) > left and safe_text(form[:-left], LONG) == cut[1] for form in forms)
    return any(safe_text(form, LONG) == text for form in forms)
