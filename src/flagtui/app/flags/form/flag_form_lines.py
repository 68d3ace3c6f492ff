"""A flag being edited as lines."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from rich.cells import cell_len

from flagtui.app.flags.form.live_reach import LiveReach
from flagtui.app.forms.form_lines import LABEL, FormLine, field_line, heading_line, label_piece
from flagtui.app.forms.shortened_lines import shortened_lines, variant_lines
from flagtui.app.widgets.line import cells_of, cut
from flagtui.changes.flags.flag_draft import WorkingCopy
from flagtui.changes.flags.flag_words import GROUP_TYPE
from flagtui.evaluate import wire
from flagtui.models.filters import Property, as_index
from flagtui.models.flag_details import NO_NAMES, Names
from flagtui.models.json_value import JSON, as_dict, as_number, as_text
from flagtui.models.record_fields import FLAG_FIELDS
from flagtui.safe_text import MASK, safe_text
from flagtui.text.formats import percent
from flagtui.text.property_sentences import property_pieces
from flagtui.text.styled import Piece

CLAUSES: Final = 50
"""Properties of one condition that have lines."""


def form_lines(
    copy: WorkingCopy, names: Names = NO_NAMES, reach: LiveReach | None = None, width: int = 80
) -> Iterator[FormLine]:
    """Yield the whole form, top to bottom; a condition has one line of so many cells."""
    for name, field in FLAG_FIELDS.items():
        # For flags that are there, these have keys of their own, or are dangerous enough for the editor.
        if field.line and name in copy.values and (copy.is_new or "for new" not in field.traits):
            yield field_line(field, copy.values[name])
    if "filters" not in copy.values:
        yield FormLine("heading", ((f" {copy.why_read_only}", "$warning"),))
        return
    trouble = f"; reach not counted: {safe_text(reach.trouble, 60)}" if reach and reach.trouble else ""
    yield heading_line("CONDITIONS", f"first match wins{trouble}")
    kinds = [*dict.fromkeys(copy.group_types)]
    if names.groups or any(kind is not None for kind in kinds):
        counted = _unit_piece(kinds or [as_index(copy.filters.get(GROUP_TYPE))], names)
        yield FormLine("counted", (label_piece("about"), counted))
    yield from shortened_lines(
        copy,
        len(copy.groups),
        "conditions",
        lambda place: _condition(copy, names, place, (reach.piece(place) if reach else None, width)),
    )
    yield FormLine("add condition", ((" + a condition", "$faint"),))
    yield heading_line("VARIANTS", "" if copy.variants else "none: the flag is on or off")
    yield from variant_lines(copy)
    yield heading_line("PAYLOADS", "JSON served with the value")
    keys, payloads = copy.payload_keys, copy.payloads

    def draw_payload(place: int) -> Iterator[FormLine]:
        yield FormLine("payload", tuple(_payload(copy, keys[place], payloads)), keys[place])

    yield from shortened_lines(copy, len(keys), "payloads", draw_payload)


def counted_noun(kind: int | None, names: Names) -> str:
    """Return `users` or `company groups`."""
    return "users" if kind is None else safe_text(names.group_noun(kind), 40)


def _unit_piece(kinds: Sequence[int | None], names: Names) -> Piece:
    nouns = " and ".join(counted_noun(kind, names) for kind in kinds)
    return (nouns if len(kinds) == 1 else f"{nouns}, condition by condition", "")


Beside = tuple[Piece | None, int]
"""The reach of a condition, and the cells of its line."""
REACH_COLUMN: Final = 36
"""Cells before the reach, so that those of short conditions are below each other."""
REACH_CELLS: Final = 28
"""Cells of a reach, so that what follows stays where it is while it is counted."""


def _condition(copy: WorkingCopy, names: Names, place: int, beside: Beside) -> Iterator[FormLine]:
    group = as_dict(copy.groups[place])
    share = as_number(wire.share(group))
    share = 100.0 if share is None else share
    properties = copy.properties(place)
    kind = copy.group_type(place)
    audience = "of everyone" if kind is None and not properties else f"of {counted_noun(kind, names)}"
    pieces: list[Piece] = [
        (f" {place + 1} ", "bold $primary"),
        (f"{percent(share):>6}", "bold $success" if share > 0 else "bold $text-muted"),
        (f" {audience}{' where' if properties else ''}", ""),
    ]
    if variant := as_text(group.get("variant")):
        pieces += [(", as ", "$text-muted"), (safe_text(variant, 40), "$secondary")]
    pieces += _beside(as_text(group.get("description")), beside, cells_of(pieces))
    yield FormLine("condition", tuple(pieces), place=place)

    def draw_property(within: int) -> Iterator[FormLine]:
        opening = "         " if within == 0 else "     and "
        words = property_pieces(Property.of(as_dict(properties[within])), names, kind)
        yield FormLine("property", ((opening, "$faint"), *words), place=place, within=within)

    yield from shortened_lines(copy, len(properties), "properties", draw_property, CLAUSES)
    yield FormLine("add property", (("         + a property", "$faint"),), place=place)


def _beside(note: str, beside: Beside, taken: int) -> Iterator[Piece]:
    """Yield the reach and the note of a condition, as far as its line has room."""
    reach, width = beside
    room = width - taken
    if reach is not None and cell_len(reach[0]) + 3 <= room:
        gap = " " * min(max(3, REACH_COLUMN - taken), room - cell_len(reach[0]))
        words = f"{gap}{reach[0]:<{REACH_CELLS}}" if note else f"{gap}{reach[0]}"
        yield cut(words, room), reach[1]
        room -= cell_len(words)
    if note and room > REACH_CELLS // 2:
        yield cut(f"   {safe_text(note, 60)}", room), "$faint"


def _payload(copy: WorkingCopy, key: str, payloads: Mapping[str, JSON]) -> list[Piece]:
    label = safe_text("when on" if key == "true" and not copy.variants else key, 30)
    payload = payloads.get(key)
    name: Piece = (f" {label}{' ' * max(2, LABEL - cell_len(label))}", "$text-muted")
    if payload is None:
        return [name, ("none", "$faint")]
    if payload == MASK:
        return [name, (MASK, "$faint"), ("  encrypted", "$faint")]
    return [name, (safe_text(payload if isinstance(payload, str) else str(payload), 120), "")]
