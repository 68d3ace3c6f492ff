"""Rows and pages of lists, and their readers: fast, with a slow fallback for malformed rows."""

from collections.abc import Callable
from typing import Final, Generic, Literal, NamedTuple, TypeVar

import msgspec

from flagtui.models.json_value import JSON, NotJson, as_dict, as_id, as_list, read_json_for_rows

UNUSED: Final = ("STALE", "INACTIVE")
"""Status of unused flags; INACTIVE is the word of older servers."""

OLD_QUERIES: Final = frozenset(("ExperimentTrendsQuery", "ExperimentFunnelsQuery"))
"""Kinds of metrics that only the previous engine measures."""

FlagType = Literal["boolean", "multivariant", "experiment", "config", "rules"]


class StagedRow(NamedTuple):
    """Extra data of a row with a staged change, beside its new values."""

    before: object
    """The row as the server last sent it."""
    is_outdated: bool
    """Whether the server has sent other values than the change is based on."""


class FlagRow(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """A flag as a list row. Times are Unix seconds, UTC; text is raw and must be made safe to draw."""

    id: int
    key: str
    name: str = ""
    """The description; the API's name for it is `name`."""
    active: bool = False
    archived: bool = False
    deleted: bool = False
    type: FlagType = "boolean"
    """`experiment` wins over `multivariant`; `config`: remote configuration; `rules`: newer targeting."""
    runtime: str = "all"
    """`server`, `client`, `all`, or a word of a newer server."""
    status: str = ""
    """Upper case: ACTIVE, STALE, INACTIVE, ARCHIVED, DELETED, or an unknown word. Never on or off."""
    rollout: float | None = 0.0
    """Highest percentage of any deciding condition; 0 when none can match, None for newer rules."""
    conditional: bool = False
    """Whether no condition gives everyone the highest percentage: each requires a property."""
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
    """Ids of flags that its conditions depend on."""
    can_edit: bool = True
    has_call_times: bool = True
    """Whether the server sends the time of a flag's last call."""

    @property
    def is_stale(self) -> bool:
        """Return whether the flag is on and unused.

        Older servers send INACTIVE for flags that are off, too; newer ones judge only flags that are on.
        """
        return self.active and self.status in UNUSED

    def has_version_of(self, other: "FlagRow") -> bool:
        """Return whether no write lies between two rows of a flag: without versions, they are equal."""
        if self.version is None:
            return self == other
        return self.version == other.version and self.updated_at == other.updated_at


def state_word(status: str) -> str:
    """Return the word for a state of an experiment: `frozen` for `exposure_frozen`."""
    return status.removeprefix("exposure_")


class ExperimentRow(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """An experiment as a list row. Times are Unix seconds, UTC; text is raw."""

    id: int
    name: str
    description: str = ""
    key: str = ""
    """The key of its flag."""
    flag_id: int | None = None
    flag_active: bool | None = None
    """None where the server does not send it."""
    flag_deleted: bool = False
    status: str = "draft"
    """draft, running, paused, stopped, exposure_frozen, or an unknown word; derived on old servers."""
    archived: bool = False
    deleted: bool = False
    type: str = "product"
    """`product` or `web`."""
    conclusion: str = ""
    """won, lost, inconclusive, stopped_early, invalid, or empty. Can be set on a running experiment."""
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

    @property
    def is_frozen(self) -> bool:
        """Return whether it enrolls no new users."""
        return self.status == "exposure_frozen"

    @property
    def is_paused(self) -> bool:
        """Return whether it runs with its flag off."""
        return self.status == "paused"


OPTIONAL_MEMBERS: Final = ("description", "owner", "verified", "last_seen_at", "tags", "enforcement_mode")
"""Optional members of an event definition; the plainest servers omit some."""


STALE_AFTER: Final = 30 * 86_400
"""Seconds without an event, as the server counts; an event never received is new, not stale."""


class EventDefinitionRow(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """An event definition as a list row. Times are Unix seconds, UTC; text is raw."""

    id: str
    """A UUID, except on some old servers."""
    name: str
    description: str = ""
    tags: tuple[str, ...] = ()
    verified: bool = False
    hidden: bool = False
    owner_id: int | None = None
    owner: str = ""
    created_at: float | None = None
    """None for a definition created by hand before the first event."""
    seen_at: float | None = None
    """Precise to about a day."""
    updated_at: float | None = None
    enforcement: str = "allow"
    """`reject` drops events that do not match the schema."""
    primary_property: str = ""
    is_action: bool = False
    """Whether it is a set of events under one name rather than an event."""
    not_sent: tuple[str, ...] = ()
    """Names in `OPTIONAL_MEMBERS` that the server did not send: their values are unknown."""

    @property
    def is_builtin(self) -> bool:
        """Return whether the product's own libraries send the event."""
        return self.name.startswith("$")


Wire = TypeVar("Wire")
"""A struct with only the fields that a row needs, as on the wire."""
Row = TypeVar("Row")
Other = TypeVar("Other")
DiskRow = TypeVar("DiskRow", bound=msgspec.Struct)

COUNT_LIMIT: Final = 10_000_000
"""More records than any project has; a larger count is a fault and is ignored."""


class RowPage(msgspec.Struct, Generic[Row], frozen=True):
    """Part of a list."""

    rows: tuple[Row, ...]
    total: int
    """The server's total; never less than the rows of this page."""
    unreadable: tuple[int | str, ...] = ()
    """Ids of records that could not become rows; 0 where not even the id could be read."""
    server_time: float | None = None
    """The server's own clock at the response, Unix seconds."""
    is_capped: bool = False
    """Whether the count is a lower bound: capped by the server, or implausible. Only a short page ends the
    list.
    """
    has_more: bool = False
    body_size: int = 0
    """Bytes of the response."""

    @property
    def size(self) -> int:
        """Return how many records the server sent, readable or not."""
        return len(self.rows) + len(self.unreadable)

    def with_rows(self, rows: "tuple[Other, ...]") -> "RowPage[Other]":
        """Return the page with rows that were made from these."""
        return RowPage(rows, self.total, self.unreadable, self.server_time, self.is_capped, self.has_more)


class _Page(msgspec.Struct, Generic[Wire], gc=False):
    results: list[Wire]
    count: int | None = None
    next: str | None = None
    count_is_capped: bool | None = None


class RowReader(Generic[Wire, Row]):
    """Reads list pages of one kind of record.

    `fast` builds a row from the wire struct. `slow` builds it from the JSON object, whatever is in it, and
    returns None for an unrecognisable record.
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
        """Return the page in `body`; raises `NotJson` for other content."""
        try:
            page = self._whole.decode(body)
            return _page_of(page, tuple(map(self._fast, page.results)), ())
        except (msgspec.DecodeError, UnicodeDecodeError, OverflowError, RecursionError):
            return self._read_by_row(body)

    def _read_by_row(self, body: bytes) -> RowPage[Row]:
        try:
            page = self._split.decode(body)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            return self._read_slowly(body)
        rows: list[Row] = []
        unreadable: list[int | str] = []
        for raw in page.results:
            try:
                rows.append(self._fast(self._row.decode(raw)))
            except (msgspec.DecodeError, UnicodeDecodeError, OverflowError, RecursionError):
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


def read_objects(body: bytes) -> list[dict[str, JSON]]:
    """Return the JSON objects of a page, of which rows keep a part. Raises NotJson."""
    items = as_list(as_dict(read_json_for_rows(body)).get("results"))
    return [item for item in items if isinstance(item, dict)]


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
