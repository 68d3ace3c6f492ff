"""What every record has in common: frozen, lenient, and the JSON it came from kept beside it."""

from collections.abc import Callable
from datetime import datetime
from functools import cache
from types import UnionType
from typing import Annotated, Any, Final, Self, Union, dataclass_transform, get_args, get_origin

import msgspec
from msgspec import UNSET, Struct

from flagtui.local_time import aware, utc
from flagtui.models.json_value import JSON, as_id, as_number, as_text, as_whole

Read = Callable[[JSON], Any]
"""What a value stands for; `UNSET` where it is of an odd type, so that the field has its default."""


@dataclass_transform(frozen_default=True, kw_only_default=True)
class Record(Struct, frozen=True, kw_only=True):
    """A JSON object as typed fields. A field that is missing, null or of an odd type has its default."""

    raw: dict[str, JSON] = {}
    """The JSON as received, unknown fields and all. Not to be changed."""

    @classmethod
    def of(cls, raw: JSON) -> Self:
        """The record in this JSON object; anything that is not an object gives the empty record."""
        given = raw if isinstance(raw, dict) else {}
        found = {name: read(given[name]) for name, read in _readers(cls).items() if name in given}
        return cls(raw=given, **{name: value for name, value in found.items() if value is not UNSET})


@cache
def _readers(kind: type[Record]) -> dict[str, Read]:
    return {one.name: _reader(one.type) for one in msgspec.structs.fields(kind) if one.name != "raw"}


def _reader(hint: Any) -> Read:
    """How the values of a field of this type are read."""
    if isinstance(hint, type) and issubclass(hint, Record):
        return lambda value: hint.of(value) if isinstance(value, dict) else UNSET
    if hint in _READERS:
        return _READERS[hint]
    inner = get_args(hint)
    origin = get_origin(hint)
    if origin is Annotated:
        read: Read = inner[1]
        return read
    if origin in (Union, UnionType):
        of_one = _reader(inner[0])
        return lambda value: None if value is None else of_one(value)
    assert origin is tuple, hint
    of_each = _reader(inner[0])
    return lambda value: tuple(of_each(item) for item in _items(value) if isinstance(item, dict))


def _items(value: JSON) -> JSON:
    return tuple(value) if isinstance(value, list | tuple) else ()


def _ids(value: JSON) -> tuple[int, ...]:
    return tuple(found for item in _items(value) if (found := as_id(item)) is not None)


def _texts(value: JSON) -> tuple[str, ...]:
    return tuple(item for item in _items(value) if isinstance(item, str))


def _counts(value: JSON) -> dict[str, float]:
    pairs = value.items() if isinstance(value, dict) else ()
    return {str(name): number for name, part in pairs if (number := as_number(part)) is not None}


def _named_texts(value: JSON) -> dict[str, str]:
    pairs = value.items() if isinstance(value, dict) else ()
    return {str(name): as_text(part) for name, part in pairs if isinstance(part, str | int | float)}


def _whole(value: JSON) -> Any:
    found = as_whole(value)
    return found if found is not None and -(2**63) <= found < 2**63 else UNSET


def _count(value: JSON) -> Any:
    found = as_number(value)
    return found if found is not None and found >= 0 else UNSET


def _moment(value: JSON) -> Any:
    number = as_number(value)
    try:
        if number is not None:
            return utc(number)
        return aware(datetime.fromisoformat(value)) if isinstance(value, str) else UNSET
    except (ValueError, OverflowError, OSError):
        return UNSET


def _text(value: JSON) -> Any:
    return UNSET if isinstance(value, bool) or not isinstance(value, str | int | float) else str(value)


def _plain(type_: type) -> Read:
    """A value of this type, or a text that says one."""

    def read(value: JSON) -> Any:
        try:
            return msgspec.convert(value, type_, strict=False)
        except msgspec.ValidationError:
            return UNSET

    return read


_READERS: Final[dict[Any, Read]] = {
    str: _text,
    bool: _plain(bool),
    float: _plain(float),
    Any: lambda value: value,
    dict[str, Any]: lambda value: value if isinstance(value, dict) else UNSET,
}
Whole = Annotated[int, _whole]
"""An integer a database can hold, written as 10 or as 10.0; never a bool, a part of one or text."""
Count = Annotated[float, _count]
"""How many a query counted. Queries answer floats, and estimates need not be whole."""
Counts = Annotated[dict[str, float], _counts]
"""How many by name; what is no number is left out and loses nothing else."""
Moment = Annotated[datetime, _moment]
"""A time with a zone; text without one means UTC, and a number Unix seconds."""
Ids = Annotated[tuple[int, ...], _ids]
"""Record ids; anything in the list that is no id is left out."""
Texts = Annotated[tuple[str, ...], _texts]
NamedTexts = Annotated[dict[str, str], _named_texts]
"""Text by name; what is no text is left out and loses nothing else."""
Items = Annotated[tuple[Any, ...], _items]
"""A list whose items we do not interpret."""
