"""Request bodies: from bytes to checked values, with the errors a field can have."""

import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Final, TypeGuard, TypeVar

import msgspec

from flagtui.service.clock import read_stamp
from flagtui.service.errors import Json, invalid, parse_error, unsupported_media_type

MemberT = TypeVar("MemberT")
NOT_JSON: Final = (msgspec.DecodeError, UnicodeError, RecursionError)
"""What decoding text raises if it is no JSON, has half a character or is nested too deeply."""
LARGEST = 2**63 - 1
"""The largest integer that the database holds."""
LONGEST_TAG = 255
_TRUE = ("true", "True", "TRUE", "1", "t", "T", "yes", "on", 1)
_FALSE = ("false", "False", "FALSE", "0", "f", "F", "no", "off", 0)
_DATES = "YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z]"


def parse_object(raw: bytes, content_type: str | None, max_depth: int) -> dict[str, Json]:
    value = parse_json(raw, content_type, max_depth)
    if not isinstance(value, dict):
        raise invalid(f"Invalid data. Expected a dictionary, but got {type_word(value)}.")
    return value


def parse_json(raw: bytes, content_type: str | None, max_depth: int) -> Json:
    """Parse a body; an empty one is {}. Refuse other media types with 415, broken or deep JSON with 400."""
    if not raw:
        return {}
    check_media_type(content_type)
    try:
        value = msgspec.json.decode(raw)
    except RecursionError:
        raise parse_error("nested too deeply") from None
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise parse_error(_where_it_breaks(raw)) from None
    _check_depth(value, max_depth)
    return value


def check_media_type(content_type: str | None) -> None:
    """Raise 415 for anything but JSON."""
    media = (content_type or "").split(";")[0].strip().lower()
    if media != "application/json":
        raise unsupported_media_type(content_type or "")


def _where_it_breaks(raw: bytes) -> str:
    """Return the place as the product's parser words it."""
    try:
        json.loads(raw.decode())
    except (ValueError, RecursionError) as error:
        return str(error)
    return "Out of range float values or lone surrogates are not JSON compliant"


def _check_depth(value: Json, max_depth: int) -> None:
    level = [value]
    for _ in range(max_depth):
        level = [inner for outer in level for inner in _children(outer)]
        if not level:
            return
    raise parse_error(f"nested deeper than {max_depth} levels")


def _children(value: Json) -> list[Json]:
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [inner for inner in inside if isinstance(inner, dict | list)]


def type_word(value: Json) -> str:
    """Return how error texts name the type of a JSON value."""
    return "null" if value is None else type(value).__name__


def is_number(value: Json) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


class Fields:
    """Reads fields of one body, in the order the caller asks: only the first fault is reported.

    Every reader returns None when the field was not sent. `attr` of a fault is `prefix` + the name.
    """

    def __init__(self, sent: Mapping[str, Json], prefix: str = "") -> None:
        self.sent = sent
        self._prefix = prefix

    def __contains__(self, name: str) -> bool:
        return name in self.sent

    def fault(self, name: str, detail: str, code: str = "invalid_input") -> Exception:
        return invalid(detail, self._prefix + name, code)

    def not_a_pk(self, name: str, value: Json) -> Exception:
        detail = f"Incorrect type. Expected pk value, received {type(value).__name__}."
        return self.fault(name, detail, "incorrect_type")

    def unknown_pk(self, name: str, value: Json) -> Exception:
        return self.fault(name, f'Invalid pk "{value}" - object does not exist.', "does_not_exist")

    def require(self, name: str) -> None:
        if name not in self.sent:
            raise self.fault(name, "This field is required.", "required")

    def text(
        self, name: str, *, longest: int | None = None, blank: bool = True, null: bool = False
    ) -> str | None:
        """Return trimmed text; numbers become text, other types are refused."""
        if (value := self._value(name, null)) is None:
            return None
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise self.fault(name, "Not a valid string.")
        text = str(value).strip()
        if "\x00" in text:
            raise self.fault(name, "Null characters are not allowed.", "null_characters_not_allowed")
        if not text and not blank:
            raise self.fault(name, "This field may not be blank.", "blank")
        if longest is not None and len(text) > longest:
            detail = f"Ensure this field has no more than {longest} characters."
            raise self.fault(name, detail, "max_length")
        return text

    def flag(self, name: str, *, null: bool = False) -> bool | None:
        if (value := self._value(name, null)) is None:
            return None
        if not isinstance(value, str | int) or value not in (*_TRUE, *_FALSE):
            raise self.fault(name, "Must be a valid boolean.")
        return value in _TRUE

    def number(self, name: str, *, null: bool = False, least: int | None = None) -> int | None:
        if (value := self._value(name, null)) is None:
            return None
        number = whole_number(value)
        if number is None:
            raise self.fault(name, "A valid integer is required.")
        if least is not None and number < least:
            detail = f"Ensure this value is greater than or equal to {least}."
            raise self.fault(name, detail, "min_value")
        return number

    def choice(self, name: str, allowed: tuple[str, ...], *, null: bool = False) -> str | None:
        if (value := self._value(name, null)) is None:
            return None
        if not isinstance(value, str) or value not in allowed:
            raise self.fault(name, f'"{value}" is not a valid choice.', "invalid_choice")
        return value

    def required_choice(self, name: str, allowed: Iterable[str]) -> str:
        self.require(name)
        chosen = self.choice(name, tuple(allowed))
        assert chosen is not None
        return chosen

    def moment(self, name: str, *, null: bool = True) -> datetime | None:
        if (value := self._value(name, null)) is None:
            return None
        try:
            if not isinstance(value, str) or "T" not in value.upper().replace(" ", "T"):
                raise ValueError
            return read_stamp(value).astimezone(UTC)
        except (ValueError, OverflowError):
            detail = f"Datetime has wrong format. Use one of these formats instead: {_DATES}."
            raise self.fault(name, detail) from None

    def items(self, name: str, *, null: bool = False) -> list[Json] | None:
        return self._holder(name, null, list, "list")

    def mapping(self, name: str, *, null: bool = False) -> dict[str, Json] | None:
        return self._holder(name, null, dict, "dictionary")

    def _holder(self, name: str, null: bool, kind: type[MemberT], word: str) -> MemberT | None:
        if (value := self._value(name, null)) is None or isinstance(value, kind):
            return value
        detail = f'Expected a {word} of items but got type "{type_word(value)}".'
        raise self.fault(name, detail, f"not_a_{kind.__name__}")

    def required_items(self, name: str, most: int) -> list[Json]:
        """Return a list that must be sent and have 1 to `most` items."""
        self.require(name)
        items = self.items(name) or []
        if not items:
            raise self.fault(name, "This list may not be empty.", "empty")
        self.check_length(name, items, most)
        return items

    def check_length(self, name: str, items: list[Json], most: int) -> None:
        if len(items) > most:
            detail = f"Ensure this field has no more than {most} elements."
            raise self.fault(name, detail, "max_length")

    def texts(self, name: str, longest: int | None = None) -> list[str]:
        items = self.items(name) or ()
        inner = Fields({str(position): item for position, item in enumerate(items)}, f"{name}__")
        return [inner.text(position, longest=longest) or "" for position in inner.sent]

    def tags(self, name: str = "tags") -> list[str]:
        """Return tags, trimmed, in lower case, sorted, without duplicates."""
        return sorted({tag for text in self.texts(name, LONGEST_TAG) if (tag := text.lower())})

    def _value(self, name: str, null: bool) -> Json:
        """Return the value; None if it was not sent, or null where that is allowed."""
        value = self.sent.get(name)
        if value is None and name in self.sent and not null:
            raise self.fault(name, "This field may not be null.", "null")
        return value


def whole_number(value: Json) -> int | None:
    """Return the integer of 64 bits that a number or text holds; None otherwise."""
    if isinstance(value, bool) or (isinstance(value, float) and not value.is_integer()):
        return None
    if not isinstance(value, int | float | str) or (isinstance(value, str) and len(value) > 20):
        return None
    try:
        number = int(value)
    except ValueError:
        return None
    return number if abs(number) <= LARGEST else None


def read_id(text: str) -> int | None:
    """Return the id of a record in a text; None for one that no record can have."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None


def truth(text: str) -> bool:
    """Return a query parameter that means yes."""
    return text.strip().lower() in ("true", "1", "t", "yes", "on", "y")
