"""Long lists in a form: the first items and the last ones have lines, and what lies between is counted."""

from collections.abc import Callable, Iterable, Iterator
from typing import Final

from flagtui.app.forms.form_lines import MOST, FormLine
from flagtui.app.widgets.line import fill
from flagtui.changes.draft import Draft
from flagtui.changes.shares import SUM_TOLERANCE
from flagtui.evaluate import wire
from flagtui.models.json_value import as_dict, as_number, as_text
from flagtui.safe_text import safe_text
from flagtui.text.formats import percent, share_bar
from flagtui.text.key_signs import key_sign
from flagtui.text.styled import Piece

LAST: Final = 10
"""Items at the end of a long list that have lines: an item that is added goes there."""
BAR: Final = 10
"""Cells of the bar of a share."""


def shortened_lines(
    copy: Draft, count: int, plural: str, draw: Callable[[int], Iterable[FormLine]], most: int = MOST
) -> Iterator[FormLine]:
    """Yield the lines of a limited number of items of a list; `draw` returns those of the item at a place.

    The items without lines are counted between the first ones and the last ones.
    """
    first = count if count <= most else most - LAST
    for place in range(first):
        yield from draw(place)
    if first == count:
        return
    words = f"   … and {count - most:,} more {plural}{explain_elsewhere(copy)}"
    yield FormLine("heading", ((words, "$faint"),))
    for place in range(count - LAST, count):
        yield from draw(place)


def explain_elsewhere(copy: Draft) -> str:
    """Return where the whole value can be edited, to follow a sentence; empty for a new record."""
    leave, edit = key_sign("form.back"), key_sign(f"{copy.noun}s.edit_json")
    return "" if copy.is_new else f"; leave with {leave}; {edit} edits the whole {copy.noun} as JSON"


def variant_lines(copy: Draft) -> Iterator[FormLine]:
    """Yield each variant with its share, their total, and a line to add one."""
    yield from shortened_lines(copy, len(copy.variants), "variants", lambda place: [_variant(copy, place)])
    if copy.variants:
        share_sum = copy.share_sum
        is_whole = abs(share_sum - 100) <= SUM_TOLERANCE
        sum_words = (
            f" {'total':<{23 + BAR}}{percent(round(share_sum, 6)):>7}",
            "$success" if is_whole else "bold $error",
        )
        hint = " = even shares" if is_whole else " must be 100 %"
        yield FormLine("sum", (sum_words, (hint, "$faint")))
    yield FormLine("add variant", ((" + a variant", "$faint"),))


def _variant(copy: Draft, place: int) -> FormLine:
    variant = as_dict(copy.variants[place])
    share = as_number(wire.share(variant)) or 0.0
    pieces: tuple[Piece, ...] = (
        (f" {fill(safe_text(as_text(variant.get('key'))), 21)} ", "bold $secondary"),
        *share_bar(share / 100, BAR, "$secondary"),
        (f" {percent(share):>7}", ""),
        (f"   {safe_text(as_text(variant.get('name')), 40)}", "$text-muted"),
    )
    return FormLine("variant", pieces, place=place)
