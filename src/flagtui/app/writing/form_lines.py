"""Lines of a form: each knows what it is about, so that a key can be meant for it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from flagtui.changes.draft import Draft
from flagtui.changes.flags.filter_rules import SUM_TOLERANCE
from flagtui.models.editable_fields import EditableField
from flagtui.models.json_value import JSON, as_dict, as_list, as_number, as_text
from flagtui.safe_text import safe_text
from flagtui.text.formats import percent
from flagtui.text.styled import Piece

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
LineId = tuple[Part, str, int, int]
LABEL: Final = 14


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
    def id(self) -> LineId:
        """What the cursor stays on while lines come and go."""
        return self.part, self.name, self.place, self.within


def heading_line(word: str, about: str) -> FormLine:
    """The name of a part; the cursor passes it by."""
    return FormLine("heading", (("\n ", ""), (word, "$text-muted"), (f"   {about}", "$faint")))


def label_piece(label: str) -> Piece:
    """What a line is about, in the column of labels."""
    return f" {label:<{LABEL}}", "$text-muted"


def field_line(field: EditableField, value: JSON) -> FormLine:
    """A field as the form shows it."""
    return FormLine("field", (label_piece(field.label), *field_pieces(field, value)), field.name)


def field_pieces(field: EditableField, value: JSON) -> list[Piece]:
    """Its value: `#web #checkout`, `on`, `server and client`, or that there is none."""
    if field.takes.asked == "texts":
        named: list[Piece] = [(f"#{safe_text(as_text(item), 40)}  ", "$primary") for item in as_list(value)]
        return named or [("none", "$faint")]
    option = field.option(value)
    if option is not None:
        style = "$text-muted" if option.value is False else "$success" if field.says_itself else ""
        return [(option.about or option.words, style)]
    text = safe_text(as_text(value), 200)
    return [(text, "bold" if "title" in field.traits else "")] if text else [("empty", "$faint")]


def variant_lines(copy: Draft) -> Iterator[FormLine]:
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
        hint = "  = even shares" if is_whole else "  must be 100 %"
        yield FormLine("sum", (sum_words, (hint, "$faint")))
    yield FormLine("add variant", ((" + a variant", "$faint"),))


BAR: Final = 10
