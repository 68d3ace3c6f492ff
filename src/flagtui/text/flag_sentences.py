"""A flag's filters as sentences: who sees it. Every piece of server text is made safe here."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import fsum
from typing import Final, Protocol

from flagtui.changes.flags.flag_words import Role, property_words
from flagtui.evaluate.evaluation import VariantDraw
from flagtui.evaluate.operator_words import ROOM, listed
from flagtui.evaluate.parts import Flag as Parts
from flagtui.evaluate.parts import condition_problem
from flagtui.evaluate.parts import flag as read_flag
from flagtui.models.filters import Condition, Filters, Property, Variant, is_readable
from flagtui.models.flag_details import NO_NAMES, Names
from flagtui.models.json_value import JSON, as_dict, as_list, as_number, as_text
from flagtui.safe_text import safe_text
from flagtui.text.formats import percent
from flagtui.text.long_lists import in_short, more_line, shortened
from flagtui.text.styled import Piece


class Standing(Protocol):
    """Whether a flag can be seen at all; rows and whole flags tell it."""

    @property
    def active(self) -> bool: ...
    @property
    def archived(self) -> bool: ...
    @property
    def deleted(self) -> bool: ...


FIRST_FIT: Final = "the first condition that fits decides, also by its share"

LONG: Final = 4_000
"""Characters of a sentence's values at most, once what is invisible in them has been made visible."""
MOST_PROPERTIES: Final = 100
"""Properties of one condition in a pane."""
BULLET: Final = " ·  "
_COLOURS: Final[dict[Role, str]] = {
    "name": "$primary",
    "verb": "$text-muted",
    "value": "",
    "variant": "$secondary",
    "odd": "$warning",
    "note": "$faint",
}


def who_sees_it(filters: Filters, names: Names = NO_NAMES, lines: int | None = None) -> Iterator[list[Piece]]:
    """Yield one line after another; the first of each condition carries its number, as servers count them.

    With `lines`, conditions and properties beyond about so many lines are counted, not drawn.
    """
    if not filters.is_editable:
        yield [("rules of a newer kind; shown as JSON, not editable here", "$warning")]
        return
    yield from before_conditions(filters)
    total = len(filters.stored_conditions)
    if not total:
        why = filters.why_no_conditions
        yield [(f"nobody{' else' if decides_before(filters) else ''}: {why}", "$warning")]
        return
    blocks = condition_blocks(filters, names, None if lines is None else MOST_PROPERTIES)
    if lines is None:
        yield from (line for block in blocks for line in block)
    else:
        yield from shortened(blocks, total, "conditions", lines)
    if filters.early_exit and total > 1:
        yield [(BULLET, "$faint"), (FIRST_FIT, "")]


def condition_blocks(
    filters: Filters, names: Names = NO_NAMES, most: int | None = MOST_PROPERTIES
) -> Iterator[list[list[Piece]]]:
    """Yield the lines of each stored condition, however odd, with what keeps it from ever deciding.

    One walk over the conditions, as far as the caller reads. `most` limits the properties of each.
    """
    earlier, readable = _EarlierConditions(filters), iter(filters.conditions)
    for number, raw in enumerate(filters.stored_conditions, 1):
        condition = next(readable) if isinstance(raw, dict) else None
        problem = condition_problem(raw)
        if problem or condition is None:
            words = f"nobody can be decided by this condition: {safe_text(problem, 80)}"
            yield [[(f" {number} ", "bold $primary"), (words, "$warning")]]
        else:
            lines = condition_lines(number, condition, filters, names, most)
            if why := earlier.why_never(condition):
                lines.append([("      ", ""), (f"adds nobody: {why}", "$warning")])
            yield lines
        earlier.add(number, raw, condition)


def decides_before(filters: Filters) -> bool:
    """Whether early access or a holdout decides before any condition is evaluated."""
    parts = _beside_conditions({"filters": filters.raw})
    return parts.has_enrollment or parts.enrollment_condition is not None or parts.holdout is not None


def _beside_conditions(flag: Mapping[str, JSON]) -> Parts:
    """The flag as the evaluator reads it, without its conditions and variants, of which there may be many."""
    return read_flag(
        {**flag, "filters": {**as_dict(flag.get("filters")), "groups": [], "multivariate": None}}
    )


def before_conditions(filters: Filters) -> Iterator[list[Piece]]:
    """Who is decided before any condition is asked, in the order in which servers look."""
    parts = _beside_conditions({"filters": filters.raw})
    if parts.has_enrollment:
        yield [(BULLET, "$faint"), ("everyone who opted in to early access, nobody who opted out", "")]
    elif parts.enrollment_condition is not None:
        words = "a person who answered the early access question is decided by the answer"
        yield [(BULLET, "$faint"), (words, "")]
    if parts.holdout is not None:
        who = f"{percent(parts.holdout.percentage)} are held out of experiments and get "
        yield [
            (BULLET, "$faint"),
            (who, ""),
            (safe_text(f"holdout-{parts.holdout.id}", 60), "$secondary"),
        ]
    else:
        yield from _older_holdouts(filters)


def _older_holdouts(filters: Filters) -> Iterator[list[Piece]]:
    for held in as_list(filters.raw.get("holdout_groups")):
        share = as_number(as_dict(held).get("rollout_percentage"))
        variant = safe_text(as_text(as_dict(held).get("variant")), 40) or "a holdout"
        who = "a share" if share is None else percent(min(max(share, 0.0), 100.0))
        words = f" on older servers, which hold {who} out; newer ones do not look at that"
        yield [(BULLET, "$faint"), (variant, "$secondary"), (words, "$text-muted")]


def state_lines(flag: Standing) -> Iterator[list[Piece]]:
    """Why nobody sees a flag now, whatever its conditions say: it is deleted, archived or off."""
    if flag.deleted:
        way = "deleted. Restored" if flag.active else "deleted. Restored and turned on"
    elif flag.archived:
        way = "archived. Brought back and turned on"
    elif not flag.active:
        way = "off. Turned on"
    else:
        return
    yield [(f"nobody: it is {way}, it would be seen by", "$warning")]


def manner_lines(flag: Mapping[str, JSON]) -> Iterator[list[Piece]]:
    """What shares of a flag, as the server sent it, go by, and what outlasts them."""
    parts = _beside_conditions(flag)
    if parts.has_continuity:
        yield [(BULLET, "$faint"), ("people keep the value they had before signing in", "")]
    if parts.is_by_device and parts.group_index is None:
        yield [(BULLET, "$faint"), ("shares go by device, not by person", "")]


def condition_lines(
    number: int, condition: Condition, filters: Filters, names: Names = NO_NAMES, most: int | None = None
) -> list[list[Piece]]:
    """`1 50 % of users where` and a line for each property, or for the first `most` of them."""
    colour = "bold $success" if condition.rollout > 0 else "bold $text-muted"
    head: list[Piece] = [(f" {number} ", "bold $primary"), (percent(condition.rollout), colour)]
    head.append((_audience(number, condition, filters, names), ""))
    if condition.variant:
        head += [(", as ", "$text-muted"), (safe_text(condition.variant, 40), "$secondary")]
        if condition.variant not in filters.variant_keys:
            head.append((" (a variant it does not have)", "$warning"))
    if condition.properties:
        head.append((" where", ""))
    lines = [head]
    for place, item in enumerate(condition.properties[:most]):
        lines.append([("      " if place == 0 else "  and ", "$faint"), *property_pieces(item, names)])
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
    """What the conditions so far leave to later ones.

    One hash decides all conditions for people, or for groups of one kind: an earlier one for everyone of the
    same kind with at least this share has taken them all.
    """

    def __init__(self, filters: Filters) -> None:
        self._filters = filters
        self._end: tuple[int, str] | None = None
        """The number of the first condition after which nobody is left, and why."""
        self._taken: dict[int | None, tuple[list[float], list[int]]] = {}
        """By kind: shares of everyone, each higher than all before, and the numbers of their conditions."""

    def why_never(self, condition: Condition) -> str:
        """What keeps everybody from ever being decided by this condition; empty where nothing does."""
        shares, numbers = self._taken.get(self._filters.group_type_of(condition), ((), ()))
        place = bisect_left(shares, condition.rollout)
        if place < len(shares) and (self._end is None or numbers[place] < self._end[0]):
            return f"condition {numbers[place]} already takes them"
        return self._end[1] if self._end is not None else ""

    def add(self, number: int, raw: JSON, condition: Condition | None) -> None:
        """Take account of the condition of this number."""
        if self._end is not None:
            return
        if condition is None or not is_readable(raw):
            self._end = (number, f"condition {number} cannot be read and ends the evaluation")
        elif condition.properties:
            return
        elif self._filters.early_exit and self._filters.fits_everybody(condition):
            self._end = (number, f"condition {number} fits everybody and decides, also by its share")
        else:
            kind = self._filters.group_type_of(condition)
            shares, numbers = self._taken.setdefault(kind, ([], []))
            if not shares or condition.rollout > shares[-1]:
                shares.append(condition.rollout)
                numbers.append(number)


def property_pieces(item: Property, names: Names = NO_NAMES) -> list[Piece]:
    """`email ends with @acme.com`, in the words and colours of the preview."""
    return [
        (safe_text(text, 60 if role == "name" else LONG), _COLOURS[role])
        for role, text in property_words(item, names)
    ]


def value_text(value: JSON, room: int = ROOM) -> str:
    """A property's value on one line: `DE, FR, NL`."""
    return safe_text(listed(value, room=room), LONG)


def plain(lines: Iterable[Iterable[Piece]]) -> str:
    """The words without their colours."""
    return "\n".join("".join(text for text, _ in line) for line in lines)


MOST_VARIANTS: Final = 20
"""Variants that one sentence names."""
WHOLE: Final = 0.01
"""Percent by which shares may miss 100 and still be called whole."""


def rest_words(variants: Sequence[Variant]) -> str:
    """Who gets what where the shares of the variants are not 100 % together; empty where they are."""
    total = round(fsum(variant.rollout for variant in variants), 6)
    if not variants or abs(total - 100) < WHOLE:
        return ""
    if total < 100:
        who = f"the other {percent(100 - total)} of those let in get" if total else "those let in get"
        return f"{who} plain true, unless a condition says which variant"
    ranges = VariantDraw.among(0.0, [(variant.key, variant.rollout) for variant in variants]).ranges
    drawn = [(key, (min(high, 1.0) - min(low, 1.0)) * 100) for key, low, high in ranges]
    less = [
        f"{safe_text(key, 30)} gets {percent(round(share, 6))}"
        for (key, share), variant in zip(drawn, variants, strict=True)
        if share < variant.rollout - WHOLE
    ]
    return f"beyond 100 % nobody is left: {in_short(less, MOST_VARIANTS)}"
