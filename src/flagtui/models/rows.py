"""Rows of lists, pages of them, and how bytes become rows: fast, and row by row where something is odd."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, Generic, Literal, TypeVar

import msgspec

from flagtui.models.json_value import JSON, NotJson, as_id, read_json_for_rows

UNUSED: Final = ("STALE", "INACTIVE")
"""What servers say of flags that seem not to be needed; INACTIVE is the word of older ones."""

OLD_QUERIES: Final = frozenset(("ExperimentTrendsQuery", "ExperimentFunnelsQuery"))
"""Kinds of metrics that only the engine before this one measures."""

FlagType = Literal["boolean", "multivariant", "experiment", "config", "rules"]


class FlagRow(msgspec.Struct, frozen=True, gc=False):
    """A flag as the list shows it. Times are Unix seconds, UTC; text is raw and must be made safe to draw."""

    id: int
    key: str
    name: str = ""
    """The description; the server calls it name."""
    active: bool = False
    archived: bool = False
    deleted: bool = False
    type: FlagType = "boolean"
    """`experiment` wins over `multivariant`; `config` is remote configuration; `rules` has targeting of a
    newer kind, of which nothing else is known."""
    runtime: str = "all"
    """`server`, `client`, `all`, or whatever a newer server says."""
    status: str = ""
    """Upper case: ACTIVE, STALE, INACTIVE, ARCHIVED, DELETED, or a word we do not know. Never on or off."""
    rollout: float | None = 0.0
    """Highest percentage of any condition that can decide; 0 when none could match, None for newer rules."""
    conditional: bool = False
    """True when no condition gives the highest percentage to everyone: some property is asked first."""
    tags: tuple[str, ...] = ()
    creator_id: int | None = None
    creator: str = ""
    """E-mail of the creator, else the first name, else empty."""
    created_at: float | None = None
    updated_at: float | None = None
    called_at: float | None = None
    version: int | None = None
    experiments: tuple[int, ...] = ()
    """Ids of experiments on this flag that are not deleted."""
    depends_on: tuple[int, ...] = ()
    """Ids of flags its conditions ask for."""
    can_edit: bool = True
    tells_calls: bool = True
    """False where the server does not say when a flag was last asked for."""

    @property
    def is_stale(self) -> bool:
        """On, and seems not to be needed. Older servers say INACTIVE of flags that are off, too; newer ones
        ask that only of flags that are on."""
        return self.active and self.status in UNUSED


class ExperimentRow(msgspec.Struct, frozen=True, gc=False):
    """An experiment as the list shows it. Times are Unix seconds, UTC; text is raw."""

    id: int
    name: str
    description: str = ""
    key: str = ""
    """The key of its flag."""
    flag_id: int | None = None
    flag_active: bool | None = None
    """None where the server does not say."""
    status: str = "draft"
    """draft, running, paused, stopped, exposure_frozen, or a word we do not know; derived on old servers."""
    archived: bool = False
    deleted: bool = False
    type: str = "product"
    """`product` or `web`."""
    conclusion: str = ""
    """won, lost, inconclusive, stopped_early, invalid, or empty. Can be set while it still runs."""
    variants: tuple[str, ...] = ()
    started_at: float | None = None
    ended_at: float | None = None
    creator_id: int | None = None
    creator: str = ""
    created_at: float | None = None
    updated_at: float | None = None
    holdout_id: int | None = None
    is_legacy: bool = False
    """Measured by an older engine."""
    can_edit: bool = True


TOLD: Final = ("description", "owner", "verified", "last_seen_at")
"""Members of an event definition of which a row says something; the plainest servers do not send all."""


class EventDefinitionRow(msgspec.Struct, frozen=True, gc=False):
    """An event definition as the list shows it. Times are Unix seconds, UTC; text is raw."""

    id: str
    """A UUID, except where an old server says otherwise."""
    name: str
    description: str = ""
    tags: tuple[str, ...] = ()
    verified: bool = False
    hidden: bool = False
    owner_id: int | None = None
    owner: str = ""
    created_at: float | None = None
    """None for one made by hand before the event was ever seen."""
    seen_at: float | None = None
    """Precise to about a day."""
    updated_at: float | None = None
    enforcement: str = "allow"
    """`reject` drops events that do not fit."""
    primary_property: str = ""
    is_action: bool = False
    """A set of events under one name, which is no event itself."""
    untold: tuple[str, ...] = ()
    """Of `TOLD` what the server did not send: then nothing can be said about it."""

    @property
    def is_builtin(self) -> bool:
        """Sent by the product's own libraries."""
        return self.name.startswith("$")


Wire = TypeVar("Wire")
"""A struct with just the fields a row needs, as they come over the wire."""
Row = TypeVar("Row")

COUNT_LIMIT: Final = 10_000_000
"""More records than any project has; a larger count is a fault and is not believed."""


@dataclass(frozen=True, slots=True)
class RowPage(Generic[Row]):
    """Part of a list."""

    rows: tuple[Row, ...]
    total: int
    """How many the server says there are; never less than what this page holds."""
    unreadable: tuple[int | str, ...] = ()
    """Ids of records that could not become rows; 0 where not even the id could be read."""
    server_time: float | None = None
    """The server's own clock when it answered, Unix seconds."""
    is_capped: bool = False
    """The server stopped counting, or its count cannot be believed: `total` is a lower bound and only a short
    page ends the list."""
    has_more: bool = False
    body_size: int = field(default=0, compare=False)
    """Bytes of the response."""

    @property
    def size(self) -> int:
        """How many records the server sent, readable or not."""
        return len(self.rows) + len(self.unreadable)


class _Page(msgspec.Struct, Generic[Wire], gc=False):
    results: list[Wire]
    count: int | None = None
    next: str | None = None
    count_is_capped: bool | None = None


class RowReader(Generic[Wire, Row]):
    """Reads list pages of one kind of record.

    `fast` builds a row from the wire struct. `slow` builds it from the JSON object, whatever is in it,
    and gives None for a record nobody could recognise.
    """

    def __init__(
        self, wire: type[Wire], fast: Callable[[Wire], Row], slow: Callable[[dict[str, JSON]], Row | None]
    ) -> None:
        self._fast = fast
        self._slow = slow
        self._whole = msgspec.json.Decoder(_Page[wire])  # type: ignore[valid-type]  # a type made at run time
        self._row = msgspec.json.Decoder(wire)
        self._split = msgspec.json.Decoder(_Page[msgspec.Raw])

    def read(self, body: bytes) -> RowPage[Row]:
        """The page in `body`; raises `NotJson` when it is not a page at all."""
        try:
            page = self._whole.decode(body)
            return _page_of(page, tuple(map(self._fast, page.results)), ())
        except (msgspec.ValidationError, OverflowError):
            return self._read_by_row(body)
        except (msgspec.DecodeError, RecursionError):
            return self._read_slowly(body)

    def _read_by_row(self, body: bytes) -> RowPage[Row]:
        try:
            page = self._split.decode(body)
        except (msgspec.DecodeError, RecursionError):
            return self._read_slowly(body)
        rows: list[Row] = []
        unreadable: list[int | str] = []
        for raw in page.results:
            try:
                rows.append(self._fast(self._row.decode(raw)))
            except (msgspec.DecodeError, OverflowError, RecursionError):
                self._sort_out(_read_item(bytes(raw)), rows, unreadable)
        return _page_of(page, tuple(rows), tuple(unreadable))

    def _read_slowly(self, body: bytes) -> RowPage[Row]:
        page = read_json_for_rows(body)
        if not isinstance(page, dict) or not isinstance(page.get("results"), list):
            raise NotJson("it is not a page of a list")
        rows: list[Row] = []
        unreadable: list[int | str] = []
        for item in page["results"]:
            self._sort_out(item, rows, unreadable)
        following = page.get("next")
        read = _Page(
            page["results"],
            as_id(page.get("count")),
            following if isinstance(following, str) else None,
            page.get("count_is_capped") is True,
        )
        return _page_of(read, tuple(rows), tuple(unreadable))

    def _sort_out(self, item: JSON, rows: list[Row], unreadable: list[int | str]) -> None:
        if not isinstance(item, dict):
            unreadable.append(0)
            return
        row = self._slow(item)
        if row is not None:
            rows.append(row)
        else:
            name = item.get("id")
            unreadable.append(as_id(name) or (name if isinstance(name, str) else 0))


def _read_item(raw: bytes) -> JSON:
    try:
        return read_json_for_rows(raw)
    except NotJson:
        return None


def _page_of(page: _Page[Wire], rows: tuple[Row, ...], unreadable: tuple[int | str, ...]) -> RowPage[Row]:
    count = page.count if page.count is not None and page.count <= COUNT_LIMIT else None
    has_more = page.next is not None
    return RowPage(
        rows=rows,
        total=max(count or 0, len(rows) + len(unreadable)),
        unreadable=unreadable,
        is_capped=page.count_is_capped is True or (count is None and has_more),
        has_more=has_more,
    )
