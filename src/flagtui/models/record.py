"""The base of every record: frozen, lenient, with the JSON it was read from."""

from collections.abc import Callable
from datetime import datetime
from functools import cached_property
from typing import Annotated, Any, Self, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ModelWrapValidatorHandler,
    ValidationError,
    model_validator,
)

from flagtui.local_time import aware
from flagtui.models.json_value import (
    JSON,
    LEAST_WHOLE,
    MOST_WHOLE,
    as_id,
    as_number,
    as_text,
    as_whole,
    compact_json,
    without_surrogates,
)


def _only_items(value: JSON) -> JSON:
    return value if isinstance(value, list | tuple) else ()


def _only_objects(value: JSON) -> JSON:
    return tuple(item for item in _only_items(value) if isinstance(item, dict | BaseModel))


def _only_ids(value: JSON) -> tuple[int, ...]:
    return tuple(id for item in _only_items(value) if (id := as_id(item)) is not None)


def _only_texts(value: JSON) -> tuple[str, ...]:
    return tuple(item for item in _only_items(value) if isinstance(item, str))


def _kept_texts(value: JSON) -> tuple[str, ...]:
    items = [] if value is None else value if isinstance(value, list | tuple) else [value]
    return tuple(item if isinstance(item, str) else compact_json(item) for item in items)


def _only_numbers(value: JSON) -> dict[str, float]:
    pairs = value.items() if isinstance(value, dict) else ()
    return {str(name): number for name, part in pairs if (number := as_number(part)) is not None}


def _only_named_texts(value: JSON) -> dict[str, str]:
    pairs = value.items() if isinstance(value, dict) else ()
    return {str(name): as_text(part) for name, part in pairs if isinstance(part, str | int | float)}


def _count(value: JSON) -> float | None:
    number = as_number(value)
    return number if number is not None and number >= 0 else None


def _whole_if_it_is(value: JSON) -> JSON:
    whole = as_whole(value)
    return value if whole is None else whole


Whole = Annotated[int, BeforeValidator(_whole_if_it_is), Field(strict=True, ge=LEAST_WHOLE, le=MOST_WHOLE)]
"""A 64-bit integer, written as 10 or as 10.0; never a bool, a fraction or text."""
Count = Annotated[float | None, BeforeValidator(_count)]
"""A count of a query, or None. Queries return floats, and estimates need not be whole."""
Number = Annotated[float | None, BeforeValidator(as_number)]
"""A finite number; anything else, not-a-number included, is None: not known."""
Counts = Annotated[dict[str, float], BeforeValidator(_only_numbers)]
"""Counts by name; a value that is not a number is skipped alone."""
Moment = Annotated[datetime, AfterValidator(aware)]
"""A time with a zone; text without one means UTC."""
Ids = Annotated[tuple[int, ...], BeforeValidator(_only_ids)]
"""Record ids; elements that are no ids are skipped."""
Texts = Annotated[tuple[str, ...], BeforeValidator(_only_texts)]
KeptTexts = Annotated[tuple[str, ...], BeforeValidator(_kept_texts)]
"""A list of text; malformed elements are kept as their JSON."""
NamedTexts = Annotated[dict[str, str], BeforeValidator(_only_named_texts)]
"""Text by name; a value that is not text is skipped alone."""
Items = Annotated[tuple[Any, ...], BeforeValidator(_only_items)]
"""A list whose items are not interpreted."""
Item = TypeVar("Item")
Each = Annotated[tuple[Item, ...], BeforeValidator(_only_objects)]
"""The objects of a list, each of this kind; other elements are skipped and stay in `raw`."""


class Record(BaseModel):
    """A JSON object as typed fields. A missing, null or malformed field has its default."""

    model_config = ConfigDict(
        frozen=True, extra="allow", coerce_numbers_to_str=True, protected_namespaces=(), defer_build=True
    )

    @classmethod
    def of(cls, raw: JSON) -> Self:
        """Return the record in this JSON object; any other value gives the empty record."""
        return cls.model_validate(raw if isinstance(raw, dict) else {})

    @cached_property
    def raw(self) -> dict[str, JSON]:
        """Return the JSON as received, including unknown fields. Not to be changed."""
        return {}

    def __eq__(self, other: object) -> bool:
        # What the fields leave out counts too: pydantic compares them alone.
        return isinstance(other, Record) and super().__eq__(other) is True and self.raw == other.raw

    @model_validator(mode="wrap")
    @classmethod
    def _keep_raw(cls, data: JSON, handler: ModelWrapValidatorHandler[Self]) -> Self:
        if not isinstance(data, dict):
            return handler(data)
        try:
            record = handler(data)
        except (ValidationError, OverflowError, UnicodeError) as fault:
            record = handler(_readable(data, handler, fault))
        # In place of the property: private attributes of pydantic are slow to read.
        record.__dict__["raw"] = data
        return record


def _readable(data: dict[str, JSON], validate: Callable[[JSON], object], fault: Exception) -> dict[str, JSON]:
    """Return the members that can be read; the others get their defaults."""
    places = (
        fault.errors(include_url=False, include_input=False) if isinstance(fault, ValidationError) else ()
    )
    if places and all(error["loc"] for error in places):
        malformed = {error["loc"][0] for error in places}
        return {name: value for name, value in data.items() if name not in malformed}
    readable: dict[str, JSON] = {}
    for name, value in data.items():
        # A key that is not valid Unicode cannot become an attribute name; the value still can.
        named = {without_surrogates(name): value}
        try:
            validate(named)
        except (ValidationError, OverflowError):
            continue
        readable |= named
    return readable
