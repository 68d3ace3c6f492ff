"""Convert any JSON value to text, number or truth as the server does in comparisons."""

import json
import math
import re
from decimal import Decimal
from typing import Any

_NUMBER = re.compile(
    r"[+-]?(\d+\.?\d*([eE][+-]?\d+)?|\.\d+([eE][+-]?\d+)?|inf|infinity|nan)", re.ASCII | re.IGNORECASE
)
_ASCII_LOWER = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}


def value_text(value: Any) -> str:
    """Return a string unchanged, anything else as compact JSON with sorted keys.

    Raises ValueError for values without JSON (infinities, and not-a-number).
    """
    return value if isinstance(value, str) else _as_json(value)


def lower_ascii(value: Any) -> str:
    """Return the text with A to Z in lower case, as the server's text operators do."""
    return value_text(value).translate(_ASCII_LOWER)


def _as_json(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case float():
            return _float_as_json(value)
        case list():
            return "[" + ",".join(_as_json(item) for item in value) + "]"
        case dict():
            members = (f"{_quote(key)}:{_as_json(value[key])}" for key in sorted(value))
            return "{" + ",".join(members) + "}"
        case str():
            return _quote(value)
        case _:
            return str(value)


def _quote(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _float_as_json(value: float) -> str:
    """Format a number as the server does: 1e-05 is 0.00001, 1e-07 is 1e-7."""
    if not math.isfinite(value):
        raise ValueError("JSON has no such number")
    mantissa, e, exponent = repr(value).partition("e")
    if not e:
        return mantissa
    power = int(exponent)
    if -6 < power < 0:
        return f"{Decimal(repr(value)):f}"
    return f"{mantissa}e{power:+d}" if power >= 0 else f"{mantissa}e{power}"


def number(value: Any) -> float | None:
    """Return a number, or text that is wholly one, with infinities and not-a-number; None otherwise."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    if isinstance(value, str) and not _NUMBER.fullmatch(value):
        return None
    try:
        return float(value)
    except OverflowError:
        return None


def finite(value: Any) -> float | None:
    """Return a finite number, or None."""
    value_number = number(value)
    return value_number if value_number is not None and math.isfinite(value_number) else None


def is_boolean_like(value: Any) -> bool:
    """Return whether the server reads the value as a boolean."""
    match value:
        case bool():
            return True
        case str():
            return value.lower() in {"true", "false"}
        case list():
            return all(is_boolean_like(item) for item in value)
    return False


def is_truthy(value: Any) -> bool:
    """Return whether the server reads the value as true."""
    match value:
        case bool():
            return value
        case str():
            return value.lower() == "true"
        case list():
            return all(is_truthy(item) for item in value)
    return False
