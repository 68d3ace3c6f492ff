"""Reads what a metric is said to measure back into its parts, from the words alone."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from tests.doubles.targeting_reader import Asked, read_clause

Tree = Any
"""A leaf, or `("and" | "or", (tree, …))`."""
UNNAMED: Final = "an event without a name"
OWNERS: Final[dict[str, str]] = {f"the {one}'s ": one for one in ("person", "group", "session", "element")}
_FURTHER: Final[tuple[tuple[str, str], ...]] = (
    ("goal", "lower wins"),
    ("split", r"broken down by (.+)"),
    ("tests", r"(with|without) test accounts"),
    ("exposure", r"exposed by (.+)"),
    ("denominator", r"denominator: values clamped to (.+? quantile(?:, zeros excluded)?)"),
    ("numerator", r"numerator: values clamped to (.+? quantile(?:, zeros excluded)?)"),
    ("bounds", r"values clamped to (.+? quantile(?:, zeros excluded)?)"),
    ("back", r"back (.+? after the (?:first|last) time)"),
    ("window", r"within ([\d.]+ \w+)"),
)
"""What may follow, the last first."""


@dataclass(frozen=True)
class Node:
    """Something that is counted: which, how, of what, and what is asked of it."""

    name: str
    counting: str = "total"
    of: str = ""
    asked: Tree = None


@dataclass
class Measured:
    """What a metric is said to measure."""

    kind: str
    nodes: tuple[Node, ...]
    least: float | None = None
    order: str = ""
    further: dict[str, Any] = field(default_factory=dict)


def read_metric(text: str) -> Measured:
    """The whole of it; words that cannot be read raise."""
    further: dict[str, Any] = {}
    for name, pattern in _FURTHER:
        if told := re.fullmatch(rf"(.+?), {pattern}", text):
            further[name] = told[2] if told.re.groups > 1 else True
            text = told[1]
    if "exposure" in further:
        further["exposure"] = read_node(further["exposure"])
    found = _read_phrase(text)
    found.further = further
    return found


def _read_phrase(text: str) -> Measured:
    if told := re.fullmatch(r"share of people with at least ([\d.]+) of (.+)", text):
        return Measured("mean", (read_node(told[2]),), float(told[1]))
    if told := re.fullmatch(r"share of people with (.+)", text):
        return Measured("share", (read_node(told[1]),))
    if told := re.fullmatch(r"(mean|count|goal) of (.+)", text):
        return Measured(told[1], tuple(map(read_node, _apart(told[2], ", "))))
    if told := re.fullmatch(r"retention (.+)", text):
        return Measured("retention", tuple(map(read_node, _apart(told[1], " → "))))
    if told := re.fullmatch(r"funnel (.+?)( in any order|, with nothing between)?", text):
        order = {" in any order": "unordered", ", with nothing between": "strict"}.get(told[2] or "", "")
        between = ", " if order == "unordered" else " → "
        return Measured("funnel", tuple(map(read_node, _apart(told[1], between))), None, order)
    sides = _apart(text, " per ")
    assert len(sides) == 2, f"nobody can read {text!r}"
    return Measured("ratio", tuple(map(read_node, sides)))


def read_node(text: str) -> Node:
    """`sum of price of order (plan is pro)`."""
    if told := re.fullmatch(r"(people|sessions) with (.+)", text):
        name, asked = _named(told[2])
        return Node(name, {"people": "dau", "sessions": "unique_session"}[told[1]], "", asked)
    if told := re.fullmatch(r"groups of type (\d+) with (.+)", text):
        name, asked = _named(told[2])
        return Node(name, "unique_group", told[1], asked)
    if told := re.fullmatch(r"(\w+\(.*?\)) of (.+)", text):
        name, asked = _named(told[2])
        return Node(name, "hogql", told[1], asked)
    if told := re.fullmatch(r"(sum|avg|min|max|p\d+|median) of (\S+) of (.+)", text):
        name, asked = _named(told[3])
        return Node(name, told[1], told[2], asked)
    name, asked = _named(text)
    return Node(name, asked=asked)


def _named(text: str) -> tuple[str, Tree]:
    name, bracket, rest = text.partition(" (")
    if not bracket:
        return name, None
    assert rest.endswith(")"), text
    return name, read_asked(rest[:-1])


def read_asked(text: str) -> Tree:
    """Filters joined by `or`, closer by `and`, and closest in brackets."""
    for joint in ("or", "and"):
        parts = _apart(text, f" {joint} ")
        if len(parts) > 1:
            return flat(joint, [read_asked(part) for part in parts])
    if text.startswith("(") and text.endswith(")"):
        return read_asked(text[1:-1])
    if text.endswith(": no value is listed"):
        owner, key = _owner(text.removesuffix(": no value is listed"))
        return owner, Asked("property", key, frozenset(("exact",)))
    if text == "properties.price > 5":
        return "hogql", text
    owner, rest = _owner(text)
    return owner, read_clause(rest)


def _owner(text: str) -> tuple[str, str]:
    found = next((words for words in OWNERS if text.startswith(words)), "")
    return OWNERS.get(found, ""), text.removeprefix(found)


def flat(joint: str, parts: list[Tree]) -> Tree:
    """A tree in which no part is joined in the same way as the whole."""
    found: list[Tree] = []
    for part in parts:
        found += part[1] if isinstance(part, tuple) and part[0] == joint else [part]
    return found[0] if len(found) == 1 else (joint, tuple(found))


def _apart(text: str, between: str) -> list[str]:
    """The parts of a text, taken apart outside of brackets only, and not at the count of what is left out."""
    return [*_parts(text, between)]


def _parts(text: str, between: str) -> Iterator[str]:
    depth, begun, place = 0, 0, 0
    while place < len(text):
        depth += (text[place] == "(") - (text[place] == ")")
        is_joint = depth == 0 and text.startswith(between, place)
        if is_joint and not re.match(r" and [\d,]+ more", text[place:]):
            yield text[begun:place]
            place += len(between)
            begun = place
        else:
            place += 1
    yield text[begun:]
