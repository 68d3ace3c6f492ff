"""Describe a flag's filters in sentences: who sees the flag. Server text is made safe here."""

import json
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import fsum
from typing import Final, Protocol

from flagtui.evaluate import wire
from flagtui.evaluate.evaluation import VariantDraw
from flagtui.evaluate.operator_words import ROOM, list_values
from flagtui.evaluate.parts import FlagParts, read_flag
from flagtui.models.filters import Condition, Filters, Variant
from flagtui.models.flag_details import NO_NAMES, Names
from flagtui.models.json_value import JSON, as_dict, as_list, as_number, as_text
from flagtui.safe_text import safe_text
from flagtui.text.formats import percent
from flagtui.text.long_lists import in_short, more_line, shorten
from flagtui.text.property_sentences import BULLET, LONG, property_pieces
from flagtui.text.styled import Piece


class FlagState(Protocol):
    """The fields that decide whether anyone can see a flag; rows and full flags have them."""

    @property
    def active(self) -> bool: ...
    @property
    def archived(self) -> bool: ...
    @property
    def deleted(self) -> bool: ...


EARLY_EXIT: Final = "early exit: the first matching condition decides, even by its rollout"

MOST_PROPERTIES: Final = 100
"""The most properties of one condition in a pane."""


def who_sees_it(filters: Filters, names: Names = NO_NAMES, lines: int | None = None) -> Iterator[list[Piece]]:
    """Yield the lines that describe who sees the flag; each condition begins with its number, from 1.

    With `lines`, conditions and properties beyond about that many lines are counted, not drawn.
    """
    if filters.has_rules:
        # Loaded here: few flags have rules.
        from flagtui.text.rule_sentences import rule_lines

        yield from rule_lines(filters, names, lines)
        return
    if not filters.is_editable:
        yield [unread_configuration(filters)]
        return
    yield from before_conditions(filters)
    total = len(filters.stored_conditions)
    if not total:
        why = filters.why_no_conditions
        yield [(f"no one{' else' if decides_before(filters) else ''}: {why}", "$warning")]
        return
    blocks = condition_blocks(filters, names, None if lines is None else MOST_PROPERTIES)
    yield from shorten(blocks, total, "conditions", lines)
    if filters.early_exit and total > 1:
        yield [(BULLET, "$faint"), (EARLY_EXIT, "")]


def condition_blocks(
    filters: Filters, names: Names = NO_NAMES, most: int | None = MOST_PROPERTIES
) -> Iterator[list[list[Piece]]]:
    """Yield the lines of each stored condition, valid or not, with the reason if it can never match anyone.

    Conditions are read lazily, once. `most` limits the properties of each.
    """
    earlier, readable = _EarlierConditions(filters), iter(filters.conditions)
    for number, raw in enumerate(filters.stored_conditions, 1):
        condition = next(readable) if isinstance(raw, dict) else None
        problem = wire.condition_problem(raw)
        if problem or condition is None:
            words = f"never matches: {safe_text(problem, 80)}"
            yield [[(f" {number} ", "bold $primary"), (words, "$warning")]]
        else:
            lines = condition_lines(number, condition, filters, names, most)
            if why := earlier.why_never(condition):
                lines.append([("      ", ""), (f"adds no one: {why}", "$warning")])
            yield lines
        earlier.add(number, raw, condition)


def unread_configuration(filters: Filters) -> Piece:
    """Return `configuration version 3, which only its JSON shows`: neither conditions nor rules."""
    version = safe_text(json.dumps(filters.config_version, ensure_ascii=False), 40)
    return f"configuration version {version}, which only its JSON shows", "$warning"


def decides_before(filters: Filters) -> bool:
    """Return whether early access or a holdout decides before any condition is evaluated."""
    parts = _beside_conditions({"filters": filters.raw})
    return parts.has_enrollment or parts.enrollment_condition is not None or parts.holdout is not None


def _beside_conditions(flag: Mapping[str, JSON]) -> FlagParts:
    """Return the flag as the evaluator reads it, without conditions and variants, which can be many."""
    filters = wire.with_conditions(wire.without_variants(flag.get("filters")), ())
    return read_flag({**flag, "filters": filters})


def before_conditions(filters: Filters) -> Iterator[list[Piece]]:
    """Yield the decisions before any condition, in the server's order of evaluation."""
    parts = _beside_conditions({"filters": filters.raw})
    if parts.has_enrollment:
        yield [(BULLET, "$faint"), ("everyone who opted in to early access, no one who opted out", "")]
    elif parts.enrollment_condition is not None:
        words = "early access: the user's own choice decides"
        yield [(BULLET, "$faint"), (words, "")]
    if parts.holdout is not None:
        who = f"{percent(parts.holdout.percentage)} are held out of experiments and get "
        yield [(BULLET, "$faint"), (who, ""), (safe_text(f"holdout-{parts.holdout.id}", 60), "$secondary")]
    else:
        yield from _older_holdouts(filters)


def _older_holdouts(filters: Filters) -> Iterator[list[Piece]]:
    for held in as_list(filters.raw.get("holdout_groups")):
        share = as_number(wire.share(held))
        variant = safe_text(as_text(as_dict(held).get("variant")), 40) or "a holdout"
        who = "a share" if share is None else percent(min(max(share, 0.0), 100.0))
        words = f" on older servers, which hold out {who}; newer servers ignore it"
        yield [(BULLET, "$faint"), (variant, "$secondary"), (words, "$text-muted")]


def steps_to_serve(flag: FlagState) -> str:
    """Return what has to be done for the flag to be served: `unarchived and turned on`; empty if it is."""
    is_on = flag.active and not flag.archived
    steps = ["restored"] * flag.deleted + ["unarchived"] * flag.archived + ["turned on"] * (not is_on)
    return " and ".join(steps)


def state_lines(flag: FlagState) -> Iterator[list[Piece]]:
    """Yield the reason if no one sees the flag at present: it is deleted, archived or off."""
    if steps := steps_to_serve(flag):
        state = "deleted" if flag.deleted else "archived" if flag.archived else "off"
        yield [(f"no one: the flag is {state}; once {steps}, it matches", "$warning")]


def manner_lines(flag: Mapping[str, JSON]) -> Iterator[list[Piece]]:
    """Yield whether values persist across sign-in, and the bucketed subject. `flag` is the API's JSON."""
    parts = _beside_conditions(flag)
    if parts.has_continuity:
        yield [(BULLET, "$faint"), ("users keep their value across sign-in", "")]
    if parts.is_by_device and parts.group_index is None:
        yield [(BULLET, "$faint"), ("bucketed by device, not by user", "")]


def condition_lines(
    number: int, condition: Condition, filters: Filters, names: Names = NO_NAMES, most: int | None = None
) -> list[list[Piece]]:
    """Return `1 50 % of users where` and a line for each property, or for the first `most` of them."""
    colour = "bold $success" if condition.rollout > 0 else "bold $text-muted"
    head: list[Piece] = [(f" {number} ", "bold $primary"), (percent(condition.rollout), colour)]
    head.append((_audience(number, condition, filters, names), ""))
    if condition.variant:
        head += [(", as ", "$text-muted"), (safe_text(condition.variant, 40), "$secondary")]
        if condition.variant not in filters.variant_keys:
            head.append((" (not a variant of this flag)", "$warning"))
    if condition.properties:
        head.append((" where", ""))
    lines, audience = [head], filters.group_type_of(condition)
    for place, item in enumerate(condition.properties[:most]):
        lines.append(
            [("      " if place == 0 else "  and ", "$faint"), *property_pieces(item, names, audience)]
        )
    if most is not None and len(condition.properties) > most:
        lines.append(more_line(len(condition.properties) - most, "properties"))
    return lines


def _audience(number: int, condition: Condition, filters: Filters, names: Names) -> str:
    index = filters.group_type_of(condition)
    noun = "users" if index is None else safe_text(names.group_noun(index), 40)
    if condition.properties:
        return f" of {noun}"
    if number == 1:
        return " of everyone" if index is None else f" of all {noun}"
    return " of everyone else" if index is None else f" of all other {noun}"


class _EarlierConditions:
    """Tracks which users and groups earlier conditions match, to find later conditions that match no one.

    One hash decides all conditions for users, or for groups of one type: an earlier condition for everyone of
    that type with at least the same rollout matches everyone whom the later one could match.
    """

    def __init__(self, filters: Filters) -> None:
        self._filters = filters
        self._end: tuple[int, str] | None = None
        """The number of the first condition after which no one is left, and the reason."""
        self._matched: dict[int | None, tuple[list[float], list[int]]] = {}
        """By group type: rising rollouts of everyone, in percent, and the numbers of their conditions."""
        self._filtered: list[tuple[int, Condition, frozenset[Identity]]] = []
        """The first conditions with properties: later ones with the same or more properties add no one."""

    def why_never(self, condition: Condition) -> str:
        """Return why no one can match this condition; empty if someone can."""
        shares, numbers = self._matched.get(self._filters.group_type_of(condition), ((), ()))
        place = bisect_left(shares, condition.rollout)
        if place < len(shares) and (self._end is None or numbers[place] < self._end[0]):
            return f"condition {numbers[place]} already matches them"
        if self._end is not None:
            return self._end[1]
        return self._why_narrower(condition)

    def _why_narrower(self, condition: Condition) -> str:
        """Return which earlier condition matches everyone who has the properties of this one."""
        own, kind = _identities(condition), self._filters.group_type_of(condition)
        for number, wider, identities in self._filtered if own else ():
            if self._filters.group_type_of(wider) != kind or not identities <= own:
                continue
            if self._filters.early_exit:
                return f"condition {number} matches all of them and decides, even by its rollout"
            if wider.rollout >= condition.rollout:
                return f"condition {number} already matches them"
        return ""

    def add(self, number: int, raw: JSON, condition: Condition | None) -> None:
        if self._end is not None:
            return
        if condition is None or wire.condition_problem(raw):
            self._end = (number, f"condition {number} is malformed and ends the evaluation")
        elif condition.properties:
            if len(self._filtered) < COMPARED and (identities := _identities(condition)):
                self._filtered.append((number, condition, identities))
        elif self._filters.early_exit and self._filters.matches_everyone(condition):
            self._end = (number, f"condition {number} matches everyone and decides, even by its rollout")
        else:
            kind = self._filters.group_type_of(condition)
            shares, numbers = self._matched.setdefault(kind, ([], []))
            if not shares or condition.rollout > shares[-1]:
                shares.append(condition.rollout)
                numbers.append(number)


COMPARED: Final = 20
"""Earlier conditions with properties that each condition is compared with."""


Identity = tuple[str, str, str, str, int | None]
"""What servers look at in a property filter; they ignore its negation."""


def _identities(condition: Condition) -> frozenset[Identity]:
    """Return the identities of the properties; empty where a pane does not show all of them."""
    sizes = (len(item.value) for item in condition.properties if isinstance(item.value, list))
    if len(condition.properties) > MOST_PROPERTIES or max(sizes, default=0) > MOST_PROPERTIES:
        return frozenset()
    return frozenset(
        (item.type, item.key, item.operator, repr(item.value), item.group_type_index)
        for item in condition.properties
    )


def value_text(value: JSON, room: int = ROOM) -> str:
    """Format a property's value on one line: `DE, FR, NL`."""
    return safe_text(list_values(value, room=room), LONG)


def plain(lines: Iterable[Iterable[Piece]]) -> str:
    """Return the text without its colours."""
    return "\n".join("".join(text for text, _ in line) for line in lines)


MOST_VARIANTS: Final = 20
"""The most variants that one sentence names."""
TOLERANCE: Final = 0.01
"""Percentage points by which a sum of shares may differ from 100 and still count as 100."""


def rest_words(variants: Sequence[Variant]) -> str:
    """Describe the result of variants whose shares do not add up to 100 %; empty if they do."""
    total = round(fsum(variant.rollout for variant in variants), 6)
    if not variants or abs(total - 100) < TOLERANCE:
        return ""
    if total < 100:
        who = f"the other {percent(round(100 - total, 6))} of matching users" if total else "matching users"
        return f"{who} get plain true, unless a condition sets the variant"
    ranges = VariantDraw.among(0.0, [(variant.key, variant.rollout) for variant in variants]).ranges
    actual = [(key, (min(high, 1.0) - min(low, 1.0)) * 100) for key, low, high in ranges]
    reduced = [
        f"{safe_text(key, 30)} gets {percent(round(share, 6))}"
        for (key, share), variant in zip(actual, variants, strict=True)
        if share < variant.rollout - TOLERANCE
    ]
    return f"shares beyond 100 % reach no one: {in_short(reduced, MOST_VARIANTS)}"
