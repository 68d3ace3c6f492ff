"""A flag being edited as lines: each knows what it is about, so that a key can be meant for it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal, Protocol

from flagtui.app.widgets.line import Piece
from flagtui.changes.flags.filter_rules import SUM_TOLERANCE
from flagtui.changes.flags.flag_draft import GROUP_TYPE, WorkingCopy
from flagtui.changes.flags.flag_words import group_noun
from flagtui.changes.flags.mask import MASK
from flagtui.models.filters import Property, as_index
from flagtui.models.json_value import JSON, as_dict, as_number, as_text
from flagtui.models.names import NO_NAMES, Names
from flagtui.safe_text import safe_text
from flagtui.text.flag_sentences import property_pieces
from flagtui.text.formats import percent

Part = Literal[
    "field",
    "heading",
    "counted",
    "condition",
    "property",
    "add property",
    "add condition",
    "variant",
    "add variant",
    "sum",
    "payload",
    "metric",
    "add metric",
]
LABEL: Final = 14
BAR: Final = 10

FIELDS: Final[tuple[tuple[str, str], ...]] = (
    ("key", "key"),
    ("name", "description"),
    ("tags", "tags"),
    ("active", "state"),
    ("evaluation_runtime", "runs on"),
    ("ensure_experience_continuity", "continuity"),
)
"""Fields of the form and what people call them."""
_NEW_ONLY: Final = ("key", "active")
"""For flags that are there, these have keys of their own, or are dangerous enough for the editor."""


class HasVariants(Protocol):
    """A record being edited that gives people variants."""

    @property
    def variants(self) -> list[JSON]: ...
    @property
    def share_sum(self) -> float: ...


@dataclass(frozen=True)
class FormLine:
    """One line. `name` is a field or the key of a payload; places count from 0."""

    part: Part
    pieces: tuple[Piece, ...]
    name: str = ""
    place: int = -1
    within: int = -1
    """The place of a property in its condition."""

    @property
    def id(self) -> tuple[str, str, int, int]:
        """What the cursor stays on while lines come and go."""
        return self.part, self.name, self.place, self.within


def form_lines(copy: WorkingCopy, names: Names = NO_NAMES) -> Iterator[FormLine]:
    """The whole form, top to bottom."""
    for name, label in FIELDS:
        if name in copy.values and (copy.is_new or name not in _NEW_ONLY):
            yield FormLine("field", ((f" {label:<{LABEL}}", "$text-muted"), *_field(copy, name)), name)
    if "filters" not in copy.values:
        words = "its targeting is of a newer kind: it is shown, and cannot be edited here"
        yield FormLine("heading", ((f" {words}", "$warning"),))
        return
    yield heading_line("CONDITIONS", "the first that fits decides")
    if names.groups or any(kind is not None for kind in copy.group_types):
        yield FormLine("counted", ((f" {'about':<{LABEL}}", "$text-muted"), _counted(copy, names)))
    yield from _conditions(copy, names)
    yield heading_line("VARIANTS", "" if copy.variants else "none: the flag is on or off")
    yield from variant_lines(copy)
    yield heading_line("PAYLOADS", "JSON handed out with the value")
    for key in copy.payload_keys:
        yield FormLine("payload", tuple(_payload(copy, key)), key)


def heading_line(word: str, about: str) -> FormLine:
    """The name of a part; the cursor passes it by."""
    return FormLine("heading", (("\n ", ""), (word, "$text-muted"), (f"   {about}", "$faint")))


def _field(copy: WorkingCopy, name: str) -> list[Piece]:
    value = copy.values[name]
    match name:
        case "tags":
            tags = [(f"#{safe_text(as_text(tag), 40)}  ", "$primary") for tag in value or ()]
            return tags or [("none", "$faint")]
        case "active":
            return [("on", "$success")] if value else [("off", "$text-muted")]
        case "evaluation_runtime":
            return [({"all": "server and client"}.get(value or "all", safe_text(as_text(value), 20)), "")]
        case "ensure_experience_continuity":
            return [("kept across sign-in", "")] if value else [("not kept across sign-in", "$text-muted")]
    text = safe_text(as_text(value), 200)
    return [(text, "bold" if name == "key" else "")] if text else [("empty", "$faint")]


def counted_noun(kind: int | None, names: Names) -> str:
    """`users`, `company groups`."""
    return "users" if kind is None else safe_text(group_noun(kind, names), 40)


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
        whom = "of everyone" if kind is None and not properties else f"of {counted_noun(kind, names)}"
        pieces: list[Piece] = [
            (f" {place + 1} ", "bold $primary"),
            (f"{percent(share):>6}", "bold $success" if share > 0 else "bold $text-muted"),
            (f" {whom}{' where' if properties else ''}", ""),
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


def variant_lines(copy: HasVariants) -> Iterator[FormLine]:
    """Each variant with its share, what they have together, and one more."""
    for place, raw in enumerate(copy.variants):
        variant = as_dict(raw)
        share = as_number(variant.get("rollout_percentage")) or 0.0
        filled = min(max(round(share / 100 * BAR), 0), BAR)
        yield FormLine(
            "variant",
            (
                (f" {safe_text(as_text(variant.get('key')), 20):<22}", "bold $secondary"),
                ("━" * filled, "$secondary"),
                ("━" * (BAR - filled), "$track"),
                (f" {percent(share):>7}", ""),
                (f"   {safe_text(as_text(variant.get('name')), 40)}", "$text-muted"),
            ),
            place=place,
        )
    if copy.variants:
        is_whole = abs(copy.share_sum - 100) <= SUM_TOLERANCE
        sum_words = (
            f" {'together':<{23 + BAR}}{percent(copy.share_sum):>7}",
            "$success" if is_whole else "bold $error",
        )
        hint = "   = distributes evenly" if is_whole else "   must be 100 %; = distributes evenly"
        yield FormLine("sum", (sum_words, (hint, "$faint")))
    yield FormLine("add variant", ((" + a variant", "$faint"),))


def _payload(copy: WorkingCopy, key: str) -> list[Piece]:
    label = "when on" if key == "true" and not copy.variants else key
    payload = copy.payloads.get(key)
    name: Piece = (f" {safe_text(label, 30):<{LABEL}}", "$text-muted")
    if payload is None:
        return [name, ("none", "$faint")]
    if payload == MASK:
        return [name, (MASK, "$faint"), ("  encrypted", "$faint")]
    return [name, (safe_text(payload if isinstance(payload, str) else str(payload), 120), "")]
