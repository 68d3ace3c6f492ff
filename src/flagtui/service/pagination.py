"""Lists in pages: limit and offset from the query, links to the neighbours, items joined as text."""

from collections.abc import Sequence
from urllib.parse import quote, urlencode

import msgspec

from flagtui.service.bodies import LARGEST
from flagtui.service.call import Call
from flagtui.service.errors import invalid
from flagtui.service.responses import Response, respond_text, text_of

DEFAULT_LIMIT = 100


class Window(msgspec.Struct, frozen=True):
    limit: int
    offset: int


def window(call: Call, default: int = DEFAULT_LIMIT) -> Window:
    """Return the requested part of a list; invalid values count as not sent."""
    return Window(_number(call, "limit", 1) or default, _number(call, "offset", 0) or 0)


def _number(call: Call, name: str, least: int) -> int | None:
    text = call.query.get(name, "").strip()
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 20 else None
    return number if number is not None and least <= number <= LARGEST else None


def strict_number(call: Call, name: str, default: int, least: int) -> int:
    """Return a numeric parameter; 400 if it is not a number, or less than `least`."""
    text = call.query.get(name)
    if not text:
        return default
    try:
        number = int(text)
    except ValueError:
        raise invalid("A valid integer is required.", name) from None
    if number < least:
        raise invalid(f"Ensure this value is greater than or equal to {least}.", name, "min_value")
    return min(number, LARGEST)


def page(call: Call, count: int, items: Sequence[str], part: Window) -> Response:
    """Return the response of a list: `items` are JSON texts, already cut to the window."""
    following, before = text_of(next_link(call, count, part)), text_of(previous_link(call, part))
    return respond_text(
        f'{{"count":{count},"next":{following},"previous":{before},"results":[{",".join(items)}]}}'
    )


def next_link(call: Call, count: int, part: Window) -> str | None:
    if part.offset + part.limit >= count:
        return None
    return link(call, limit=str(part.limit), offset=str(part.offset + part.limit))


def previous_link(call: Call, part: Window) -> str | None:
    if part.offset <= 0:
        return None
    before = part.offset - part.limit
    return link(call, limit=str(part.limit), offset=str(before) if before > 0 else None)


def link(call: Call, **changes: str | None) -> str:
    """Return the request's own address with query parameters set, or removed where None."""
    pairs = [(name, value) for name, value in call.query.multi_items() if name not in changes]
    pairs += [(name, value) for name, value in changes.items() if value is not None]
    return f"{call.base_url}{quote(call.path, safe='/@')}?{urlencode(sorted(pairs))}"
