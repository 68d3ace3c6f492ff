"""Lists in pages: limit and offset from the query, links to the neighbours, items joined as text."""

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from flagtui.service.answers import Answer, encode, spliced
from flagtui.service.bodies import LARGEST
from flagtui.service.call import Call

DEFAULT_LIMIT = 100


@dataclass(frozen=True, slots=True)
class Window:
    limit: int
    offset: int


def window(call: Call, default: int = DEFAULT_LIMIT) -> Window:
    """The part of a list that is asked for; values that make no sense are as if not sent."""
    return Window(_number(call, "limit", 1) or default, _number(call, "offset", 0) or 0)


def _number(call: Call, name: str, least: int) -> int | None:
    text = call.query.get(name, "").strip()
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 20 else None
    return number if number is not None and least <= number <= LARGEST else None


def id_list(text: str) -> list[int] | None:
    """Ids as `7`, `1,2` or `[1,2]`; None for nothing, or for what is none."""
    parts = [part.strip() for part in text.strip().removeprefix("[").removesuffix("]").split(",")]
    numbers = [int(part) for part in parts if part.isascii() and part.isdigit() and len(part) < 19]
    return numbers if numbers and len(numbers) == len(parts) else None


def page(call: Call, count: int, items: Sequence[str], part: Window) -> Answer:
    """The answer of a list: `items` are JSON texts, already cut to the window."""
    return spliced(
        f'{{"count":{count},"next":{_text(next_link(call, count, part))}'
        f',"previous":{_text(previous_link(call, part))},"results":[{",".join(items)}]}}'
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
    """This request's own address with some query parameters set, or left out where None."""
    pairs = [(name, value) for name, value in call.query.multi_items() if name not in changes]
    pairs += [(name, value) for name, value in changes.items() if value is not None]
    return f"{call.base_url}{call.path}?{urlencode(sorted(pairs))}"


def _text(value: str | None) -> str:
    return encode(value).decode()
