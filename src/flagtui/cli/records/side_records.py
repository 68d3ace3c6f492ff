"""What stands around flags and experiments, as it is printed."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from flagtui.cli.output.record_kind import RecordField, RecordKind
from flagtui.cli.records.field_words import percent_words

if TYPE_CHECKING:
    from flagtui.models.experiment import Holdout, SavedMetric
    from flagtui.models.experiment_answers import ExperimentStats
    from flagtui.models.flag_answers import Cohort


@dataclass(frozen=True)
class FlagUse:
    """Whether a flag is used, as the server says it."""

    key: str
    status: str
    reason: str


@dataclass(frozen=True)
class RemoteValue:
    """The value of a remote configuration."""

    key: str
    value: Any


USE: Final[RecordKind[FlagUse]] = RecordKind(
    "flag-status",
    "Whether a flag is used, and why the server thinks so.",
    (
        RecordField("key", "text", "Of the flag.", lambda one: one.key, True),
        RecordField("status", "text", "active, stale, inactive, …", lambda one: one.status, True),
        RecordField("reason", "text", "The server's own words.", lambda one: one.reason, True, is_long=True),
    ),
)
VALUE_FOR_PROGRAMS: Final[RecordKind[RemoteValue]] = RecordKind(
    "remote-value",
    "The value of a remote configuration; encrypted ones are decrypted by the server.",
    (
        RecordField("key", "text", "Of the flag.", lambda one: one.key, True),
        RecordField("value", "any", "Null when there is none.", lambda one: one.value, True),
    ),
)
COHORT: Final["RecordKind[Cohort]"] = RecordKind(
    "cohort",
    "A group of people that conditions can ask for.",
    (
        RecordField("id", "whole", "Its number.", lambda one: one.id, True),
        RecordField("name", "text", "Its name.", lambda one: one.name, True),
        RecordField("count", "whole?", "How many are in it.", lambda one: one.count, True),
        RecordField("static", "truth", "Whether it stays as it was made.", lambda one: one.is_static),
    ),
)
HOLDOUT: Final["RecordKind[Holdout]"] = RecordKind(
    "holdout",
    "People kept out of experiments.",
    (
        RecordField("id", "whole", "Its number.", lambda one: one.id, True),
        RecordField("name", "text", "Its name.", lambda one: one.name, True),
        RecordField("share", "number?", "In percent.", lambda one: one.share, True, percent_words),
        RecordField("description", "text?", "What it is for.", lambda one: one.description, True),
    ),
)
SHARED_METRIC: Final["RecordKind[SavedMetric]"] = RecordKind(
    "shared-metric",
    "A metric experiments can share.",
    (
        RecordField("id", "whole", "Its number.", lambda one: one.id, True),
        RecordField("name", "text", "Its name.", lambda one: one.name, True),
        RecordField("description", "text?", "What it counts.", lambda one: one.description, True),
        RecordField("query", "object", "As the server keeps it.", lambda one: dict(one.query)),
    ),
)
STATS: Final["RecordKind[ExperimentStats]"] = RecordKind(
    "experiment-stats",
    "How many experiments come and go in the project.",
    (
        RecordField("active", "whole", "Running now.", lambda one: one.active_experiments, True),
        RecordField("launched", "whole", "In the last 30 days.", lambda one: one.launched_last_30d, True),
        RecordField(
            "launched_before", "whole", "In the 30 days before.", lambda one: one.launched_previous_30d
        ),
        RecordField("completed", "whole", "In the last 30 days.", lambda one: one.completed_last_30d, True),
    ),
)
