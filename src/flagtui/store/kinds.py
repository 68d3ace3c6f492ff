"""The kinds of records, each declared once. What lists kinds elsewhere reads `KINDS`.

Every command of the command line reads this, so fields and listings are loaded when asked for.
"""

from collections.abc import Mapping
from importlib import import_module
from typing import Any, Final, Literal

from msgspec import Struct

from flagtui.models.rows import EventDefinitionRow, ExperimentRow, FlagRow

Kind = Literal["flags", "experiments", "events"]
"""What lists, commands and settings call each kind."""


class RecordKind(Struct, frozen=True):
    """One kind of record. What is loaded when asked for is given as `module:name`."""

    plural: Kind
    name: str
    """One of them."""
    tab: str
    """The key of the tab that lists them."""
    entry: str
    """What the journal calls one."""
    scope: str
    """What a key may do with them is named after it: `feature_flag:write`."""
    operations: str
    """Their group of operations in the client."""
    page: str
    """Where their pages are in the product."""
    words: str
    """What people call several of them."""
    row: type[Any]
    fields_at: str
    listing_at: str
    label: str = "name"
    """The field of a row that people know it by."""
    owner: str = "creator"
    """The field of a row with a person's name; that with the number ends in `_id`."""
    synonyms: str = ""
    """Words that find their tab in the palette."""
    order: str = "-updated_at"
    """What asks the server for the last changed first."""
    has_unique_names: bool = True
    """Whether a name means one of them; the command line is given the id otherwise."""
    has_archive: bool = True
    """Whether the server leaves archived ones out of its list."""

    @property
    def fields(self) -> Any:
        """The fields that can be edited, a `FieldTable`."""
        return load(self.fields_at)

    @property
    def listing(self) -> Any:
        """The vocabulary of their search line and their orders, a `Listing`."""
        return load(self.listing_at)

    @property
    def resource(self) -> str:
        """What the API calls several of them: scopes are named after one."""
        return f"{self.scope}s"

    @property
    def places(self) -> tuple[str, str]:
        """Where their commands work: their list and their page."""
        return self.plural, self.name

    @property
    def write_scope(self) -> str:
        """What a key needs to change them."""
        return f"{self.scope}:write"


def load(where: str) -> Any:
    """What `module:name` is, imported on first use."""
    module, _, name = where.partition(":")
    return getattr(import_module(module), name)


FLAGS: Final = RecordKind(
    "flags", "flag", tab="1", entry="flag", scope="feature_flag", operations="flags", page="feature_flags",
    words="flags", row=FlagRow, label="key", fields_at="flagtui.models.record_fields:FLAG_FIELDS",
    listing_at="flagtui.store.flag_listing:FLAG_LISTING",
)  # fmt: skip
EXPERIMENTS: Final = RecordKind(
    "experiments", "experiment", tab="2", entry="experiment", scope="experiment", operations="experiments",
    page="experiments", words="experiments", row=ExperimentRow, has_unique_names=False, synonyms="exp tests",
    fields_at="flagtui.models.record_fields:EXPERIMENT_FIELDS",
    listing_at="flagtui.store.experiment_listing:EXPERIMENT_LISTING",
)  # fmt: skip
# No order: events last seen come first by themselves, and no server orders them by when they were changed.
EVENTS: Final = RecordKind(
    "events", "event", tab="3", entry="event_definition", scope="event_definition",
    operations="event_definitions", page="data-management/events", words="event definitions",
    row=EventDefinitionRow, owner="owner", order="", has_archive=False, synonyms="definitions",
    fields_at="flagtui.models.record_fields:EVENT_FIELDS",
    listing_at="flagtui.store.event_listing:EVENT_LISTING",
)  # fmt: skip
KINDS: Final[Mapping[str, RecordKind]] = {kind.plural: kind for kind in (FLAGS, EXPERIMENTS, EVENTS)}
"""By plural, in the order of their tabs."""
BY_ENTRY: Final[Mapping[str, RecordKind]] = {kind.entry: kind for kind in KINDS.values()}
"""By what the journal calls one."""
BY_ROW: Final[Mapping[type[Any], RecordKind]] = {kind.row: kind for kind in KINDS.values()}
