"""What a field of a record is, said once: its words, what it takes, how values are compared and shown.

Forms, questions, JSON editing, differences, comparison after saving, order and columns read it from here.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final, Literal

from msgspec import Struct

from flagtui.models.json_value import JSON

Check = Callable[[JSON], str]
"""What is wrong with a value, as the end of a sentence: `must be text`; empty when nothing is."""
Asked = Literal["text", "switch", "choice", "texts", "own"]
"""How a value is asked for; `own` has a question of its own, or none."""
Trait = Literal[
    "title", "for new", "for drafts", "old engine", "copied", "restored", "made again", "newer", "blanked"
]
"""`title`: what the record is known by. `for new`: in the form of a new record only, `for drafts`: fixed
once launched, `old engine`: can be changed even there. `copied` to another record, `restored` with an older
version, `made again` after a deletion. `newer`: not on older servers. `blanked`: answers may hide it."""

TAG_LIMIT: Final = 255
_PLAIN_KEY: Final = re.compile("[A-Za-z0-9_-]{1,400}")


def is_plain_key(key: str) -> bool:
    """Whether a server would take it as the key of a flag or a variant."""
    return _PLAIN_KEY.fullmatch(key) is not None


class Option(Struct, frozen=True):
    """One value of a few, as people call it in differences, and in more words."""

    value: JSON
    words: str
    about: str = ""


class Takes(Struct, frozen=True):
    """What values a field takes."""

    asked: Asked
    wrong: Check
    options: tuple[Option, ...] = ()


def text(most: int = 0, *, least: int = 0, is_null: bool = False) -> Takes:
    """A text of so many characters; 0 for no limit."""

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
    """On or off, under these names."""

    def wrong(value: JSON) -> str:
        if isinstance(value, bool) or (is_null and value is None):
            return ""
        return "must be true, false or null" if is_null else "must be true or false"

    return Takes("switch", wrong, (Option(False, off, about[0]), Option(True, on, about[1])))


def one_of(*options: Option, is_null: bool = True) -> Takes:
    """One of a few words, and null where that stands for none or for the first."""

    def wrong(value: JSON) -> str:
        if any(value == option.value for option in options) or (is_null and value in (None, "")):
            return ""
        named = ", ".join(str(option.value) for option in options if option.value is not None)
        return f"must be {named}{' or null' if is_null else ''}"

    return Takes("choice", wrong, options)


def texts(most: int = 0) -> Takes:
    """Texts such as tags, whose order says nothing; at most so many of them."""

    def wrong(value: JSON) -> str:
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            return "must be a list of texts"
        if any(not item.strip() or len(item) > TAG_LIMIT for item in value):
            return f"must have 1 to {TAG_LIMIT} characters each"
        return f"must be {most} at most" if most and len(value) > most else ""

    return Takes("texts", wrong)


def own(type_: type, noun: str, *, is_null: bool = True) -> Takes:
    """Something with rules and words of its own."""

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
    """A field in a list: the name of its column, the title and the width in cells."""

    name: str
    title: str
    width: int
    row: str = ""
    """The attribute of a row with its value, where that is called otherwise than the column."""

    @property
    def attribute(self) -> str:
        return self.row or self.name


class EditableField(Struct, frozen=True):
    """One field. `words` are what people call it."""

    name: str
    words: str
    takes: Takes
    blank: JSON = None
    """What stands for it being empty; None where it cannot be emptied."""
    line: str = ""
    """Its label in the form; empty for none."""
    about: str = ""
    """What its question says besides."""
    traits: tuple[Trait, ...] = ()
    shown: FieldColumn | None = None
    is_edited: bool = True
    """Whether the JSON in an editor has it."""
    says_itself: bool = False
    """Whether its values tell what they are about: `off → on`."""

    @property
    def label(self) -> str:
        """What a line about it begins with."""
        return self.line or self.words

    def option(self, value: JSON) -> Option | None:
        """The option with this value; what stands for empty is what nothing stands for."""
        value = self.blank if value is None else value
        return next(
            (one for one in self.takes.options if type(one.value) is type(value) and one.value == value), None
        )

    def comparable(self, value: JSON) -> JSON:
        """The value in the form in which two of them are compared."""
        return sorted(map(str, value)) if self.takes.asked == "texts" and isinstance(value, list) else value

    def value_of(self, row: object) -> JSON:
        """What a row of a list has of it."""
        return getattr(row, self.shown.attribute if self.shown is not None else self.name)


class FieldTable(Mapping[str, EditableField]):
    """The fields of one kind of record, in the order they are shown."""

    def __init__(self, *fields: EditableField) -> None:
        self._fields = {field.name: field for field in fields}

    def __getitem__(self, name: str) -> EditableField:
        return self._fields[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __len__(self) -> int:
        return len(self._fields)

    @property
    def edited(self) -> tuple[str, ...]:
        """Those in the JSON of an editor."""
        return tuple(name for name, field in self.items() if field.is_edited)

    def shown(self, name: str) -> EditableField:
        """The field of the column with this name. Raises KeyError."""
        found = (field for field in self.values() if field.shown is not None and field.shown.name == name)
        return next(found, None) or self[name]

    def having(self, trait: Trait) -> frozenset[str]:
        """Those of which this is so."""
        return frozenset(name for name, field in self.items() if trait in field.traits)

    def words(self, name: str) -> str:
        """What people call the field; an unknown one by its own name."""
        return self[name].words if name in self else name.replace("_", " ")

    def comparable(self, name: str, value: JSON) -> JSON:
        """The value as two of them are compared; of an unknown field as it is."""
        return self[name].comparable(value) if name in self else value

    def problems(self, values: Mapping[str, JSON]) -> list[str]:
        """What is wrong with these values, each as a sentence that begins with the field."""
        found = [(name, self[name].takes.wrong(value)) for name, value in values.items() if name in self]
        return [f"{name} {wrong}" for name, wrong in found if wrong]
