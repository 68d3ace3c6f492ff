"""The declaration of a field: its words, values, comparison and display.

Forms, questions, JSON editing, differences, comparison after saving, order and columns read it.
"""

import re
from collections.abc import Callable, Mapping
from typing import Final, Literal

from msgspec import Struct

from flagtui.models.json_value import JSON

Check = Callable[[JSON], str]
"""Returns the problem of a value as the end of a sentence: `must be text`; empty when it is valid."""
InputKind = Literal["text", "switch", "choice", "texts", "own"]
"""The input for a value; `own` has a dialog of its own, or none."""
Trait = Literal[
    "title", "for new", "for drafts", "old engine", "copied", "restored", "recreated", "newer", "blanked"
]
"""Properties of a field.

`title`: the name of the record. `for new`: only in the form of a new record. `for drafts`: fixed once
launched. `old engine`: editable even there. `copied` to another record, `restored` with an older version,
`recreated` after a deletion. `newer`: not on older servers. `blanked`: responses may hide it.
"""

TAG_LIMIT: Final = 255
_PLAIN_KEY: Final = re.compile("[A-Za-z0-9_-]{1,400}")


def trim(value: JSON) -> JSON:
    """Return a new value as servers store it: text without white space at its ends."""
    return value.strip() if isinstance(value, str) else value


def is_plain_key(key: str) -> bool:
    """Return whether a server would accept the text as the key of a flag or a variant."""
    return _PLAIN_KEY.fullmatch(key) is not None


class Option(Struct, frozen=True):
    """One of a few values: its word in differences, and a longer description."""

    value: JSON
    words: str
    about: str = ""


class Takes(Struct, frozen=True):
    """The values that a field accepts."""

    input_kind: InputKind
    wrong: Check
    options: tuple[Option, ...] = ()


def text(most: int = 0, *, least: int = 0, is_null: bool = False) -> Takes:
    """Accept a text of `least` to `most` characters; 0 for no limit."""

    def wrong(value: JSON) -> str:
        if value is None and is_null:
            return ""
        if not isinstance(value, str):
            return f"must be text{' or null' if is_null else ''}"
        if len(value.strip()) < least:
            return f"must have {least} to {most:,} characters"
        return f"must have {most:,} characters at most" if most and len(value) > most else ""

    return Takes("text", wrong)


def switch(
    off: str = "off", on: str = "on", about: tuple[str, str] = ("", ""), *, is_null: bool = False
) -> Takes:
    """Accept on and off, under these names."""

    def wrong(value: JSON) -> str:
        if isinstance(value, bool) or (is_null and value is None):
            return ""
        return "must be true, false or null" if is_null else "must be true or false"

    return Takes("switch", wrong, (Option(False, off, about[0]), Option(True, on, about[1])))


def one_of(*options: Option, is_null: bool = True) -> Takes:
    """Accept one of a few words, and null where that means none or the first."""

    def wrong(value: JSON) -> str:
        if any(value == option.value for option in options) or (is_null and value in (None, "")):
            return ""
        named = ", ".join(str(option.value) for option in options if option.value is not None)
        return f"must be {named}{' or null' if is_null else ''}"

    return Takes("choice", wrong, options)


def texts(most: int = 0) -> Takes:
    """Accept a list of texts such as tags, whose order has no meaning; at most `most` of them."""

    def wrong(value: JSON) -> str:
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            return "must be a list of texts"
        if any(not item.strip() or len(item) > TAG_LIMIT for item in value):
            return f"must have 1 to {TAG_LIMIT} characters each"
        return f"must be {most} at most" if most and len(value) > most else ""

    return Takes("texts", wrong)


def own(type_: type, noun: str, *, is_null: bool = True) -> Takes:
    """Accept a type with rules and words of its own."""

    def wrong(value: JSON) -> str:
        is_right = isinstance(value, type_) and not (type_ is int and isinstance(value, bool))
        return (
            ""
            if is_right or (is_null and value is None)
            else f"must be {noun}{' or null' if is_null else ''}"
        )

    return Takes("own", wrong)


KEY: Final = Takes(
    "text",
    lambda value: (
        ""
        if isinstance(value, str) and is_plain_key(value)
        else "must be 1 to 400 letters, digits, - and _, and nothing else"
    ),
)


class FieldColumn(Struct, frozen=True):
    """The column of a field: its name, title and width in cells."""

    name: str
    title: str
    width: int
    row: str = ""
    """The row's attribute with the value, where its name differs from the column's."""

    @property
    def attribute(self) -> str:
        return self.row or self.name


class EditableField(Struct, frozen=True):
    """One field. `words` are its name on screens."""

    name: str
    words: str
    takes: Takes
    blank: JSON = None
    """The empty value; None for a field that cannot be emptied."""
    line: str = ""
    """Its label in the form; empty for none."""
    about: str = ""
    """A further explanation in its question."""
    traits: tuple[Trait, ...] = ()
    shown: FieldColumn | None = None
    is_edited: bool = True
    """Whether the JSON in an editor includes it."""
    is_self_explanatory: bool = False
    """Whether its values need no label: `off → on`."""

    @property
    def label(self) -> str:
        """Return the label of a line about the field."""
        return self.line or self.words

    def option(self, value: JSON) -> Option | None:
        """Return the option for `value`; None selects the blank option."""
        value = self.blank if value is None else value
        return next(
            (
                option
                for option in self.takes.options
                if type(option.value) is type(value) and option.value == value
            ),
            None,
        )

    def value_of(self, row: object) -> JSON:
        return getattr(row, self.shown.attribute if self.shown is not None else self.name)


class FieldTable(dict[str, EditableField]):
    """The fields of one kind of record by name, in display order."""

    def __init__(self, *fields: EditableField) -> None:
        super().__init__((field.name, field) for field in fields)

    @property
    def edited(self) -> tuple[str, ...]:
        """Return the names of the fields in the JSON of an editor."""
        return tuple(name for name, field in self.items() if field.is_edited)

    def shown_field(self, name: str) -> EditableField:
        """Return the field shown in the column of this name. Raises KeyError."""
        fields = (field for field in self.values() if field.shown is not None and field.shown.name == name)
        return next(fields, None) or self[name]

    def having(self, trait: Trait) -> frozenset[str]:
        return frozenset(name for name, field in self.items() if trait in field.traits)

    def words(self, name: str) -> str:
        """Return the field's name on screens; an unknown field has its own name."""
        return self[name].words if name in self else name.replace("_", " ")

    def comparable(self, name: str, value: JSON) -> JSON:
        """Return the value in the form used for comparison; that of an unknown field is unchanged."""
        is_unordered = name in self and self[name].takes.input_kind == "texts" and isinstance(value, list)
        return sorted(map(str, value)) if is_unordered else value

    def problems(self, values: Mapping[str, JSON], *, is_undo: bool = False) -> list[str]:
        """Return the problems of these values, each as a sentence that begins with the field.

        An undo sets earlier values of the server, which can have other words to choose from.
        """
        kinds: tuple[InputKind, ...] = ("choice",) if is_undo else ()
        fields = [self[name] for name in values if name in self and self[name].takes.input_kind not in kinds]
        problems = [(field.name, field.takes.wrong(values[field.name])) for field in fields]
        return [f"{name} {wrong}" for name, wrong in problems if wrong]
