"""JSON from outside: parsed once, with limits, into plain values."""

import json
import math
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any, Final, NoReturn, TypeAlias

JSON: TypeAlias = Any
"""None, bool, int, float, str, list or dict: the result of `json.loads`. Check it before use."""

TEXT_OF_PART: Final = 64
"""Characters that count as a further part of a value."""
DEPTH_LIMIT: Final = 64
"""Levels of lists and objects; the deepest flag in the field has 9."""

LEAST_WHOLE: Final = -(2**63)
MOST_WHOLE: Final = 2**63 - 1
"""Integers that a database and the cached copies can hold: signed 64 bits."""
_MOST_DIGITS: Final = 20
"""Characters of an integer that may be within them."""

PIECE: Final = 256 * 1024
"""Bytes that are decoded at once: Python lets no other thread run meanwhile, some 5 ms."""

_SURROGATE_ESCAPE: Final = re.compile(rb"\\u[dD][89a-fA-F]")


class NotJson(ValueError):
    """The text is not acceptable JSON; the message is a short reason and quotes none of it."""


def read_json(body: bytes) -> JSON:
    """Read the value in `body`, free of lone surrogates.

    Raises:
        NotJson: also for NaN, numbers beyond a float, and deep nesting.
    """
    if len(body) > 2 * PIECE:
        with suppress(NotJson):
            return _read(body, lambda _: _decode_in_pieces(body))
        # The reason is that of the whole body, which may be readable: half a surrogate pair is.
    return _read(body, _decode)


def read_json_text(value: JSON) -> JSON:
    """Return the value that a text contains as JSON; text that contains none and other values unchanged."""
    if not isinstance(value, str):
        return value
    try:
        return read_json(value.encode())
    except (NotJson, UnicodeEncodeError):
        return value


def read_json_for_rows(body: bytes) -> JSON:
    """Read the value in `body` with None for each number that is NaN, infinite or beyond 64 bits.

    Such a number must not lose the other rows of a list. Values read this way are shown and never sent.

    Raises:
        NotJson: as `read_json` does for everything else.
    """
    return _read(body, _decode_for_rows)


def read_json_with_any_number(body: bytes) -> JSON:
    """Read the value in `body` with NaN and infinities, which are to be replaced before it is shown.

    Raises:
        NotJson: as `read_json` does for everything else.
    """
    return _read(body, json.loads)


def _decode_in_pieces(body: bytes, levels: int = DEPTH_LIMIT) -> JSON:
    """Decode a body of megabytes so that other threads can run in between. Raises NotJson."""
    # Loaded here: small bodies do without it.
    import msgspec

    start = body.lstrip()[:1]
    if len(body) <= PIECE or not levels or start not in {b"{", b"["}:
        return _decode(body.decode())
    try:
        if start == b"{":
            members = msgspec.json.decode(body, type=dict[str, msgspec.Raw])
            return {key: _decode_in_pieces(bytes(member), levels - 1) for key, member in members.items()}
        values = msgspec.json.decode(body, type=list[msgspec.Raw])
    except msgspec.DecodeError:
        raise NotJson("it is not JSON") from None
    items: list[JSON] = []
    for piece in _pieces(values):
        if len(piece) == 1:
            items.append(_decode_in_pieces(bytes(piece[0]), levels - 1))
        else:
            items += _decode("[" + b",".join(piece).decode() + "]")
    return items


def _pieces(values: Sequence[bytes]) -> Iterator[Sequence[bytes]]:
    """Yield the values in order, as many at a time as make a piece."""
    start = size = 0
    for place, value in enumerate(values):
        if size and size + len(value) >= PIECE:
            yield values[start:place]
            start, size = place, 0
        size += len(value) + 1
    if size:
        yield values[start:]


def _decode(text: str) -> JSON:
    return json.loads(text, parse_constant=refuse_constant, parse_float=_read_float)


def _decode_for_rows(text: str) -> JSON:
    return json.loads(
        text, parse_constant=lambda _name: None, parse_float=_finite_or_none, parse_int=_whole_or_none
    )


def _read(body: bytes, decode: Callable[[str], JSON]) -> JSON:
    try:
        value = decode(body.decode("utf-8-sig"))
    except NotJson:
        raise
    except UnicodeDecodeError:
        raise NotJson("it is not UTF-8") from None
    except RecursionError:
        raise NotJson("it is nested too deeply") from None
    except json.JSONDecodeError as fault:
        raise NotJson(f"it stops being JSON at character {fault.pos:,}") from None
    except ValueError as fault:
        # Python refuses integers of more than 4,300 digits with a ValueError of its own.
        raise NotJson("a number in it cannot be read") from fault
    if _deeper_than(value, DEPTH_LIMIT):
        raise NotJson("it is nested too deeply")
    return without_surrogates(value) if _SURROGATE_ESCAPE.search(body) else value


def without_surrogates(value: JSON) -> JSON:
    """Return the value with halves of UTF-16 pairs replaced by U+FFFD: they can be neither drawn nor sent."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [without_surrogates(item) for item in value]
    if isinstance(value, dict):
        return {without_surrogates(key): without_surrogates(item) for key, item in value.items()}
    return value


def copy_json(value: JSON) -> JSON:
    """Return a copy that can be changed at any depth; ten times as fast as `copy.deepcopy`."""
    if isinstance(value, dict):
        return {key: copy_json(item) for key, item in value.items()}
    if isinstance(value, list):
        return [copy_json(item) for item in value]
    return value


def count_parts(value: JSON, most: int) -> int:
    """Return how many values are within the value, itself included; counting ends beyond `most`.

    A long text counts as several.
    """
    count, left = 0, [value]
    while left and count <= most:
        item = left.pop()
        count += 1
        if isinstance(item, str):
            count += len(item) // TEXT_OF_PART
        elif isinstance(item, dict | list):
            # A list of a million is as heavy as its first thousand.
            left.extend(islice(item.values() if isinstance(item, dict) else item, most))
    return count


def as_dict(value: JSON) -> dict[str, JSON]:
    """Return the object, or an empty one for any other value."""
    return value if isinstance(value, dict) else {}


def as_list(value: JSON) -> list[JSON]:
    """Return the list, or an empty one for any other value."""
    return value if isinstance(value, list) else []


def as_text(value: JSON) -> str:
    """Return the text, a number as text, and empty text for any other value."""
    if isinstance(value, str):
        return value
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return str(value) if is_number else ""


def as_whole(value: JSON) -> int | None:
    """Return a whole number of 64 bits, written as 10 or as 10.0; never a bool or text."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return value if LEAST_WHOLE <= value <= MOST_WHOLE else None


def as_id(value: JSON) -> int | None:
    """Return a record id that is a number or digits, within 64 bits."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 20:
        value = int(value)
    id = as_whole(value)
    return id if id is not None and id > 0 else None


def as_number(value: JSON) -> float | None:
    """Return a finite number, or None."""
    if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e15:
        return float(value)
    return None


def compact_json(value: JSON) -> str:
    """Return the value as JSON on one line."""
    return json.dumps(value, ensure_ascii=False, default=str)


def _read_float(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise NotJson("a number in it cannot be read")
    return number


def _finite_or_none(digits: str) -> float | None:
    number = float(digits)
    return number if math.isfinite(number) else None


def _whole_or_none(digits: str) -> int | None:
    return as_whole(int(digits)) if len(digits) <= _MOST_DIGITS else None


def format_number(number: float) -> str:
    """Format a number with all of its digits: `50`, `12.3456789`."""
    short = f"{number:g}"
    return short if float(short) == number else repr(number)


def with_finite_numbers(value: JSON) -> JSON:
    """Return the value with null in place of NaN and infinities, which JSON does not have."""
    if isinstance(value, dict):
        return {name: with_finite_numbers(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [*map(with_finite_numbers, value)]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def refuse_constant(name: str) -> NoReturn:
    """Refuse NaN and Infinity, which Python reads as numbers. Raises NotJson."""
    raise NotJson(f"{name} is not a JSON number")


def _deeper_than(value: JSON, limit: int) -> bool:
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(limit):
        if not level:
            return False
        # Values of JSON have no subclasses: this is a third of the time of `isinstance`.
        level = [
            inner
            for item in level
            for inner in (item.values() if type(item) is dict else item)
            if type(inner) is dict or type(inner) is list
        ]
    return bool(level)
