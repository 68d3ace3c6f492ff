"""A flag's filters as sentences: who sees it. Every piece of server text is made safe here."""

import json
from collections.abc import Iterable, Iterator

from flagtui.app.formats import percent
from flagtui.app.widgets.line import Piece
from flagtui.changes.describing import group_noun
from flagtui.evaluate import reading
from flagtui.evaluate.operator_words import (
    COHORT_WORDS,
    RANGES,
    WITHOUT_VALUE,
    joined,
    operator_words,
    property_name,
)
from flagtui.models.filters import Condition, Filters, Property
from flagtui.models.json_value import JSON, as_dict, as_list, as_number
from flagtui.models.names import NO_NAMES, Names
from flagtui.safe_text import safe_text


def who_sees_it(filters: Filters, names: Names = NO_NAMES) -> list[list[Piece]]:
    """One line after another; the first of each condition carries its number, as the server counts them."""
    if not filters.is_editable:
        return [[("rules of a newer kind; shown as JSON, not editable here", "$warning")]]
    if filters.problem:
        return [[(f"nobody: its conditions cannot be read, {filters.problem}", "$warning")]]
    lines = [*_before_conditions(filters)]
    conditions = as_list(filters.raw.get("groups"))
    if not conditions:
        words = "nobody else: it has no condition" if lines else "nobody: it has no condition"
        return [*lines, [(words, "$warning")]]
    for number, raw in enumerate(conditions, 1):
        lines += numbered_lines(number, raw, filters, names)
    if filters.early_exit and len(conditions) > 1:
        lines.append([(" ·  ", "$faint"), ("the first condition that fits decides, also by its share", "")])
    return lines


def _before_conditions(filters: Filters) -> Iterator[list[Piece]]:
    if filters.raw.get("feature_enrollment") is True:
        yield [(" ·  ", "$faint"), ("everyone who opted in to early access, nobody who opted out", "")]
    elif filters.feature_enrollment:
        words = "whoever answered the early access question is decided by the answer"
        yield [(" ·  ", "$faint"), (words, "")]
    if filters.holdout_id is not None:
        share = as_number(as_dict(filters.raw.get("holdout")).get("exclusion_percentage"))
        who = f"{percent(min(max(share, 0.0), 100.0))} are" if share is not None else "a share is"
        yield [
            (" ·  ", "$faint"),
            (f"{who} held out of experiments and get ", ""),
            (f"holdout-{filters.holdout_id}", "$secondary"),
        ]


def numbered_lines(number: int, raw: JSON, filters: Filters, names: Names) -> list[list[Piece]]:
    """One stored condition, however odd: its lines, with what keeps it from ever deciding."""
    problem = reading.condition(raw, filters.group_type_index).problem
    if problem or not isinstance(raw, dict):
        words = f"nobody can be decided by this condition: {safe_text(problem, 80)}"
        return [[(f" {number} ", "bold $primary"), (words, "$warning")]]
    condition = Condition.of(raw)
    lines = condition_lines(number, condition, filters, names)
    if (taken := _taken_by(number, condition, filters)) is not None:
        lines.append([("      ", ""), (f"adds nobody: condition {taken} already takes them", "$warning")])
    return lines


def condition_lines(
    number: int, condition: Condition, filters: Filters, names: Names = NO_NAMES
) -> list[list[Piece]]:
    """`1 50 % of users where` and a line for each property."""
    colour = "bold $success" if condition.rollout > 0 else "bold $text-muted"
    head: list[Piece] = [(f" {number} ", "bold $primary"), (percent(condition.rollout), colour)]
    head.append((_of_whom(number, condition, filters, names), ""))
    if condition.variant:
        head += [(", as ", "$text-muted"), (safe_text(condition.variant, 40), "$secondary")]
        if condition.variant not in {variant.key for variant in filters.variants}:
            head.append((" (a variant it does not have)", "$warning"))
    if condition.properties:
        head.append((" where", ""))
    lines = [head]
    for place, item in enumerate(condition.properties):
        lines.append([("      " if place == 0 else "  and ", "$faint"), *property_pieces(item, names)])
    return lines


def _of_whom(number: int, condition: Condition, filters: Filters, names: Names) -> str:
    index = filters.group_type_of(condition)
    noun = "users" if index is None else safe_text(group_noun(index, names), 40)
    if condition.properties:
        return f" of {noun}"
    if number == 1:
        return " of everyone" if index is None else f" of all {noun}"
    return " of everyone else" if index is None else f" of all other {noun}"


def _taken_by(number: int, condition: Condition, filters: Filters) -> int | None:
    """An earlier condition for everyone of the same kind with at least this share: one hash decides both."""
    for place, raw in enumerate(as_list(filters.raw.get("groups"))[: number - 1], 1):
        if not isinstance(raw, dict) or reading.condition(raw, None).problem or raw.get("properties"):
            continue
        earlier = Condition.of(raw)
        is_same_kind = filters.group_type_of(earlier) == filters.group_type_of(condition)
        if is_same_kind and earlier.rollout >= condition.rollout:
            return place
    return None


def property_pieces(item: Property, names: Names = NO_NAMES) -> list[Piece]:
    """`email ends with @acme.com`, in the words and colours of the preview."""
    if item.type == "cohort":
        words = COHORT_WORDS.get(item.operator)
        verb = (f"{words or safe_text(item.operator, 30)} ", "$text-muted" if words else "$warning")
        known = item.label or names.cohorts.get(item.cohort_id or 0)
        return [verb, (safe_text(known or f"cohort {value_text(item.value)}", 60), "$primary")]
    if item.type == "flag":
        return _dependency_pieces(item, names)
    words = operator_words(item.operator, item.value)
    name = safe_text(property_name(item.key, item.type), 80)
    pieces: list[Piece] = [(name or '""', "$primary")]
    pieces.append((f" {words or safe_text(item.operator, 30)}", "$text-muted" if words else "$warning"))
    if item.operator in RANGES and isinstance(item.value, list) and item.value:
        pieces.append((f" {joined(item.operator, map(value_text, item.value[:40]))}", ""))
    elif item.operator not in WITHOUT_VALUE:
        pieces.append((f" {value_text(item.value)}", ""))
    if item.is_negated:
        # Servers and libraries look at the mark only inside the definition of a cohort.
        pieces.append((" (marked as negated, which counts in cohorts only)", "$faint"))
    return pieces


def _dependency_pieces(item: Property, names: Names) -> list[Piece]:
    known = names.flags.get(item.flag_id or 0)
    name = known or item.label or item.key
    pieces: list[Piece] = [("flag ", "$text-muted"), (safe_text(name, 60), "$primary")]
    if names.flags and known is None and item.flag_id is not None:
        pieces.append((f" #{item.flag_id}, not in the list,", "$warning"))
    if item.operator != "flag_evaluates_to" or item.value is None:
        return [*pieces, (f" {safe_text(item.operator, 30)}: matches nobody", "$warning")]
    if isinstance(item.value, bool):
        return [*pieces, (" is ", "$text-muted"), ("on" if item.value else "off", "")]
    return [*pieces, (" gives ", "$text-muted"), (value_text(item.value, 60), "$secondary")]


def value_text(value: JSON, limit: int = 120) -> str:
    """A property's value on one line: `DE, FR, NL`."""
    if isinstance(value, list):
        return safe_text(", ".join(_plain(item) for item in value[:40]), limit) or "nothing"
    return safe_text(_plain(value), limit) or '""'


def plain(lines: Iterable[Iterable[Piece]]) -> str:
    """The words without their colours."""
    return "\n".join("".join(text for text, _ in line) for line in lines)


def _plain(value: JSON) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
