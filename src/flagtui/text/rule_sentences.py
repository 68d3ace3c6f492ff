"""Describe the rules of a flag (configuration version 2) in sentences. Server text is made safe here."""

import json
from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from flagtui.changes.flags.flag_words import NEVER_MATCHES
from flagtui.models.filters import Filters, Property
from flagtui.models.flag_details import NO_NAMES, Names
from flagtui.models.json_value import JSON, as_dict, as_list, as_number, as_text
from flagtui.safe_text import safe_text
from flagtui.text.formats import percent
from flagtui.text.long_lists import more_line, shorten
from flagtui.text.property_sentences import BULLET, property_pieces
from flagtui.text.styled import Piece

ORDER: Final = "the first rule that decides wins"
VALUE_ROOM: Final = 60
FAILS: Final = " (the server cannot evaluate this: the flag fails)"


def rule_lines(filters: Filters, names: Names = NO_NAMES, lines: int | None = None) -> Iterator[list[Piece]]:
    """Yield each rule with its properties, then the default value.

    With `lines`, rules beyond about that many lines are counted, not drawn.
    """
    if not isinstance(filters.raw.get("rules"), list):
        yield [("the server cannot evaluate this flag: its rules are malformed", "$warning")]
        return
    total = len(as_list(filters.raw["rules"]))
    yield from shorten(rule_blocks(filters, names), total, "rules", lines)
    who = "everyone else" if total else "everyone, since there is no rule"
    yield [(BULLET, "$faint"), (f"{who}: ", ""), *default_pieces(filters)]


def rule_blocks(filters: Filters, names: Names = NO_NAMES) -> Iterator[list[list[Piece]]]:
    """Yield the lines of each rule; each begins with its number, from 1."""
    for number, raw in enumerate(as_list(filters.raw.get("rules")), 1):
        yield _rule(number, as_dict(raw), names)


def default_pieces(filters: Filters) -> list[Piece]:
    """Return `default value "a"`, or whose default it is if none is stored."""
    if (value := filters.raw.get("default_value")) is None:
        return [("the caller's default", "$text-muted")]
    return [("default value ", "$text-muted"), value_piece(value)]


def value_piece(value: JSON) -> Piece:
    """Return a value as JSON on one line, so that `true` and `"true"` differ."""
    return safe_text(json.dumps(value, ensure_ascii=False), VALUE_ROOM), "$secondary"


def _rule(number: int, rule: dict[str, JSON], names: Names) -> list[list[Piece]]:
    head: list[Piece] = [(f" {number} ", "bold $primary")]
    properties = as_dict(rule.get("targeting")).get("properties")
    match rule.get("rule_type"):
        case _ if not isinstance(properties, list):
            return [[*head, ("malformed: the flag fails for users who reach it", "$warning")]]
        case "targeted_release":
            served = [value_piece(rule.get("value")), _audience(number, None, properties)]
        case "percentage_rollout":
            share = as_number(rule.get("rollout_percentage")) or 0.0
            served = [value_piece(rule.get("value")), _audience(number, share, properties)]
        case "experiment" if rule.get("paused") is True:
            words = _audience(number, None, properties)[0]
            served = [("the default", "$secondary"), (f"{words}; its split is paused", "$warning")]
        case "experiment":
            share = as_number(rule.get("rollout_percentage")) or 0.0
            served = [("a variant", "$secondary"), _audience(number, share, properties)]
        case _:
            return [[*head, ("of another type: the flag fails for users who reach it", "$warning")]]
    if properties:
        served.append((" where", ""))
    lines = [[*head, ("serves ", ""), *served]]
    for place, raw in enumerate(properties[:MOST_PROPERTIES]):
        lines.append([("      " if place == 0 else "  and ", "$faint"), *_property(as_dict(raw), names)])
    if len(properties) > MOST_PROPERTIES:
        lines.append(more_line(len(properties) - MOST_PROPERTIES, "properties"))
    return [*lines, *([("      ", ""), piece] for piece in _consequences(rule))]


MOST_PROPERTIES: Final = 100
"""The most properties of one rule in a pane."""


def _audience(number: int, share: float | None, properties: list[JSON]) -> Piece:
    """Return ` to 50 % of everyone`; without a share or with 100 %, ` to everyone`."""
    everyone = "everyone" if number == 1 else "everyone else"
    is_whole = share is None or share >= 100
    noun = "users" if properties else everyone
    return f" to {noun}" if is_whole else f" to {percent(share or 0.0)} of {noun}", ""


def _property(raw: dict[str, JSON], names: Names) -> list[Piece]:
    """Describe a property of a rule, where negation counts and an unusable value fails the flag."""
    item = Property.of(raw)
    pieces = property_pieces(replace(item, is_negated=False), names)
    fails = item.type != "person" or any(text == NEVER_MATCHES for text, _ in pieces)
    kept = [piece for piece in pieces if piece[0] != NEVER_MATCHES]
    negation: list[Piece] = [("not: ", "bold")] if item.is_negated else []
    return [*negation, *kept, *([(FAILS, "$warning")] if fails else [])]


def _consequences(rule: dict[str, JSON]) -> Iterator[Piece]:
    """Yield what happens to users in the holdout and outside the rollout, and the variants."""
    if rule.get("rule_type") == "targeted_release" or rule.get("paused") is True:
        return
    if rule.get("rule_type") == "experiment":
        if held := as_number(as_dict(rule.get("holdout")).get("exclusion_percentage")):
            yield f"{percent(held)} of them are held out and get the default", ""
        for variant in map(as_dict, as_list(rule.get("variants"))):
            key, value = safe_text(as_text(variant.get("key")), 40), value_piece(variant.get("value"))[0]
            yield f"{percent(as_number(variant.get('weight')) or 0.0)} of those get {value} ({key})", ""
    if (as_number(rule.get("rollout_percentage")) or 0.0) < 100:
        goal = "go to the next rule" if rule.get("on_rollout_miss") == "continue" else "get the default"
        yield f"the other matching users {goal}", "$text-muted"


def rule_values(filters: Filters) -> Iterator[list[Piece]]:
    """Yield the type of the values, and each value that a rule can serve with its rule, then the default."""
    yield [(f"values of type {safe_text(as_text(filters.raw.get('return_type')), 40) or 'not known'}", "")]
    for number, raw in enumerate(as_list(filters.raw.get("rules")), 1):
        rule = as_dict(raw)
        label: Piece = (f"rule {number}: ", "$text-muted")
        for variant in map(as_dict, as_list(rule.get("variants"))):
            key = safe_text(as_text(variant.get("key")), 40)
            share = percent(as_number(variant.get("weight")) or 0.0)
            yield [label, value_piece(variant.get("value")), (f" ({key} {share})", "$text-muted")]
        if "value" in rule:
            yield [label, value_piece(rule["value"])]
    yield default_pieces(filters)
