"""The registry of kinds of records. Lists of kinds elsewhere read `KINDS`.

Every command reads this module, so the parts of a kind load on first use.
"""

from importlib import import_module
from typing import Any, Final, Literal

from msgspec import Struct

from flagtui.models.rows import EventDefinitionRow, ExperimentRow, FlagRow

Kind = Literal["flags", "experiments", "events"]
"""The name of a kind in lists, commands and settings."""


class RecordKind(Struct, frozen=True):
    """One kind of record. Parts loaded on first use are named as `module:name`."""

    plural: Kind
    name: str
    """The singular."""
    tab: str
    """The key of the tab that lists them."""
    entry: str
    """The journal's name of a record."""
    scope: str
    """Scopes are named after it: `feature_flag:write`."""
    operations: str
    """Their group of operations in the client."""
    page: str
    """Path of their pages in the product."""
    words: str
    """The plural on screens."""
    row: type[Any]
    fields_at: str
    listing_at: str
    list_at: str
    """The screen of their list."""
    commands_at: str
    """The commands of the app for their list and their pages."""
    entries_at: str
    """The class that undoes and recovers their changes, an `EntryKind`."""
    rows_at: str
    """The class that shows their changes in their list, an `OptimisticRows`."""
    names: tuple[str, ...] = ("name",)
    """The row's fields with the words for one record on the command line, apart from its id."""
    label: str = "name"
    """The row's field that identifies a record to users."""
    owner: str = "creator"
    """The row's field with the owner's name; the id is in the field that ends in `_id`."""
    synonyms: str = ""
    """Words that find their tab in the palette."""
    order: str = "-updated_at"
    """The order in which the server sends the last changed first."""
    first: tuple[str, str] = ("order", "-updated_at")
    """The parameter with which the server begins its list as the default order does."""
    has_equal_moments: bool = False
    """Whether many records have the same moment in the default order, as events that come all the time."""
    has_unique_names: bool = True
    """Whether a name identifies one record; otherwise the command line receives the id."""
    has_archive: bool = True
    """Whether the server omits archived ones from its list."""

    @property
    def fields(self) -> Any:
        """Return the editable fields, a `FieldTable`."""
        return load(self.fields_at)

    @property
    def listing(self) -> Any:
        """Return the vocabulary of their search line and their orders, a `Listing`."""
        return load(self.listing_at)

    @property
    def resource(self) -> str:
        """Return the API's plural: scopes are named after it."""
        return f"{self.scope}s"

    @property
    def places(self) -> tuple[str, str]:
        """Return the places where their commands work: list and page."""
        return self.plural, self.name

    @property
    def write_scope(self) -> str:
        """Return the scope that changes need."""
        return f"{self.scope}:write"


def load(where: str) -> Any:
    """Return the object named `module:name`, imported on first use."""
    module, _, name = where.partition(":")
    return getattr(import_module(module), name)


KINDS: Final[dict[str, RecordKind]] = {}
"""By plural, in the order of their tabs."""
BY_ENTRY: Final[dict[str, RecordKind]] = {}
"""By the journal's name."""
BY_ROW: Final[dict[type[Any], RecordKind]] = {}


def declare(kind: RecordKind) -> RecordKind:
    """Add a kind to the registry; everything else about kinds derives from it when it is loaded."""
    KINDS[kind.plural] = BY_ENTRY[kind.entry] = BY_ROW[kind.row] = kind
    return kind


FLAGS: Final = declare(RecordKind(
    "flags", "flag", tab="1", entry="flag", scope="feature_flag", operations="flags", page="feature_flags",
    words="flags", row=FlagRow, label="key", names=("key",),
    fields_at="flagtui.models.record_fields:FLAG_FIELDS",
    listing_at="flagtui.store.flag_listing:FLAG_LISTING",
    list_at="flagtui.app.flags.flag_list:FlagsScreen",
    commands_at="flagtui.app.commands.record_commands:FLAG_COMMANDS",
    entries_at="flagtui.changes.flags.flag_entries:FlagEntries",
    rows_at="flagtui.changes.flags.optimistic_flags:FlagRows",
))  # fmt: skip
EXPERIMENTS: Final = declare(RecordKind(
    "experiments", "experiment", tab="2", entry="experiment", scope="experiment", operations="experiments",
    page="experiments", words="experiments", row=ExperimentRow, names=("name", "key"), has_unique_names=False,
    synonyms="exp tests",
    fields_at="flagtui.models.record_fields:EXPERIMENT_FIELDS",
    listing_at="flagtui.store.experiment_listing:EXPERIMENT_LISTING",
    list_at="flagtui.app.experiments.experiment_list:ExperimentsScreen",
    commands_at="flagtui.app.commands.record_commands:EXPERIMENT_COMMANDS",
    entries_at="flagtui.changes.experiments.step_undo:StepEntries",
    rows_at="flagtui.changes.experiments.optimistic_experiments:ExperimentRows",
))  # fmt: skip
# No order: events received last come first by default, and no server orders them by change.
EVENTS: Final = declare(RecordKind(
    "events", "event", tab="3", entry="event_definition", scope="event_definition",
    operations="event_definitions", page="data-management/events", words="event definitions",
    row=EventDefinitionRow, owner="owner", order="", first=("ordering", "-last_seen_at"), has_archive=False,
    synonyms="definitions", has_equal_moments=True,
    fields_at="flagtui.models.record_fields:EVENT_FIELDS",
    listing_at="flagtui.store.event_listing:EVENT_LISTING",
    list_at="flagtui.app.events.event_list:EventsScreen",
    commands_at="flagtui.app.commands.record_commands:EVENT_COMMANDS",
    entries_at="flagtui.changes.event_definitions.definition_save:DefinitionEntries",
    rows_at="flagtui.changes.event_definitions.optimistic_events:EventRows",
))  # fmt: skip
