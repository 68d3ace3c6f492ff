"""The shape of a flag for code: variants and payload types, read from list pages."""

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from flagtui.evaluate import wire
from flagtui.models.flag_rows import read_flag_page
from flagtui.models.json_value import JSON, read_json_text
from flagtui.models.rows import FlagRow, RowPage, read_objects
from flagtui.models.value_shapes import ANYTHING, ValueShape, merge_shapes, shape_of


class FlagShape(msgspec.Struct, frozen=True):
    """A flag with its variants. It holds no payload: only which types the payloads have."""

    row: FlagRow
    variants: tuple[str, ...] = ()
    """Their keys in the order of the flag."""
    payload: ValueShape | None = None
    """The shape of all its payloads; None for a flag without any."""

    @property
    def id(self) -> int:
        return self.row.id

    @property
    def key(self) -> str:
        return self.row.key


class _WireFlag(msgspec.Struct, gc=False):
    id: Any = None
    filters: Any = None
    has_encrypted_payloads: Any = None


class _WirePage(msgspec.Struct, gc=False):
    results: list[_WireFlag]


def read_shape_page(body: bytes) -> RowPage[FlagShape]:
    """Return the flags of a page of the flag list. Raises NotJson."""
    page = read_flag_page(body)
    wires = {wire.id: wire for wire in _read_wires(body)}
    shapes = tuple(_shape(row, wires.get(row.id, _WireFlag())) for row in page.rows)
    return page.with_rows(shapes)


def _read_wires(body: bytes) -> Iterator[_WireFlag]:
    try:
        yield from (wire for wire in _DECODER.decode(body).results if _is_id(wire.id))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, OverflowError):
        yield from map(_wire, read_objects(body))


def _wire(raw: dict[str, JSON]) -> _WireFlag:
    id = raw.get("id")
    return _WireFlag(id if _is_id(id) else None, raw.get("filters"), raw.get("has_encrypted_payloads"))


def _is_id(id: Any) -> bool:
    return isinstance(id, int) and not isinstance(id, bool)


def _shape(row: FlagRow, flag: _WireFlag) -> FlagShape:
    # Code receives the value: a payload is usually text that contains JSON.
    stored = wire.payloads(flag.filters).values()
    payloads = [read_json_text(value) for value in stored if value is not None]
    if flag.has_encrypted_payloads is True:
        payload: ValueShape | None = ANYTHING
    else:
        payload = merge_shapes(map(shape_of, payloads)) if payloads else None
    return FlagShape(row, wire.variant_keys(flag.filters), payload)


_DECODER: Final = msgspec.json.Decoder(_WirePage)
