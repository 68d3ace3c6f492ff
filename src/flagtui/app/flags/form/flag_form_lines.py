"""A flag being edited as lines: each knows what it is about, so that a key can be meant for it."""

from collections.abc import Iterator

from flagtui.app.writing.form_lines import (
    LABEL,
    FormLine,
    field_line,
    heading_line,
    label_piece,
    variant_lines,
)
from flagtui.changes.flags.flag_draft import GROUP_TYPE, WorkingCopy
from flagtui.changes.journal_entries import MASK
from flagtui.models.filters import Property, as_index
from flagtui.models.json_value import as_dict, as_number, as_text
from flagtui.models.names import NO_NAMES, Names
from flagtui.models.record_fields import FLAG_FIELDS
from flagtui.safe_text import safe_text
from flagtui.text.flag_sentences import property_pieces
from flagtui.text.formats import percent
from flagtui.text.styled import Piece


def form_lines(copy: WorkingCopy, names: Names = NO_NAMES) -> Iterator[FormLine]:
    """The whole form, top to bottom."""
    for name, field in FLAG_FIELDS.items():
        # For flags that are there, these have keys of their own, or are dangerous enough for the editor.
        if field.line and name in copy.values and (copy.is_new or "for new" not in field.traits):
            yield field_line(field, copy.values[name])
    if "filters" not in copy.values:
        words = "its targeting is of a newer kind: it is shown, and cannot be edited here"
        yield FormLine("heading", ((f" {words}", "$warning"),))
        return
    yield heading_line("CONDITIONS", "the first that fits decides")
    if names.groups or any(kind is not None for kind in copy.group_types):
        yield FormLine("counted", (label_piece("about"), _counted(copy, names)))
    yield from _conditions(copy, names)
    yield heading_line("VARIANTS", "" if copy.variants else "none: the flag is on or off")
    yield from variant_lines(copy)
    yield heading_line("PAYLOADS", "JSON handed out with the value")
    for key in copy.payload_keys:
        yield FormLine("payload", tuple(_payload(copy, key)), key)


def counted_noun(kind: int | None, names: Names) -> str:
    """`users`, `company groups`."""
    return "users" if kind is None else safe_text(names.group_noun(kind), 40)


def _counted(copy: WorkingCopy, names: Names) -> Piece:
    kinds = list(dict.fromkeys(copy.group_types)) or [as_index(copy.filters.get(GROUP_TYPE))]
    nouns = " and ".join(counted_noun(kind, names) for kind in kinds)
    return (nouns if len(kinds) == 1 else f"{nouns}, condition by condition", "")


def _conditions(copy: WorkingCopy, names: Names) -> Iterator[FormLine]:
    for place, raw in enumerate(copy.groups):
        group = as_dict(raw)
        share = as_number(group.get("rollout_percentage"))
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
        if about := as_text(group.get("description")):
            pieces.append((f"   {safe_text(about, 60)}", "$faint"))
        yield FormLine("condition", tuple(pieces), place=place)
        for within, item in enumerate(properties):
            opening = "         " if within == 0 else "     and "
            words = property_pieces(Property.of(as_dict(item)), names)
            yield FormLine("property", ((opening, "$faint"), *words), place=place, within=within)
        yield FormLine("add property", (("         + a property", "$faint"),), place=place)
    yield FormLine("add condition", ((" + a condition", "$faint"),))


def _payload(copy: WorkingCopy, key: str) -> list[Piece]:
    label = "when on" if key == "true" and not copy.variants else key
    payload = copy.payloads.get(key)
    name: Piece = (f" {safe_text(label, 30):<{LABEL}}", "$text-muted")
    if payload is None:
        return [name, ("none", "$faint")]
    if payload == MASK:
        return [name, (MASK, "$faint"), ("  encrypted", "$faint")]
    return [name, (safe_text(payload if isinstance(payload, str) else str(payload), 120), "")]
