"""`flagtui experiments …` that read: experiments, their changes, holdouts and shared metrics."""

from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from typing import Any, Final

import msgspec

from flagtui.api.errors import NotFound
from flagtui.cli.commands.experiments.experiment_selection import experiments_of, ids_of
from flagtui.cli.plumbing.next_commands import next_command
from flagtui.cli.plumbing.output.record_schema import RecordField, RecordSchema
from flagtui.cli.plumbing.project_session import ProjectSession
from flagtui.cli.plumbing.record_command import RecordCommand, command
from flagtui.cli.plumbing.record_history import HISTORY_LIMIT, HISTORY_SINCE, read_changes
from flagtui.cli.plumbing.selection import EXPERIMENTS, RecordSelection
from flagtui.cli.plumbing.since_option import read_since
from flagtui.cli.plumbing.word_types import EXPERIMENT_WORDS, list_options
from flagtui.cli.records.activity_records import ACTIVITY
from flagtui.cli.records.field_words import age_words, commas, on_or_off, percent_words
from flagtui.cli.records.flag_records import FLAG
from flagtui.details.metric_findings import Metric, metrics_of
from flagtui.models.activity_rows import ChangeRow
from flagtui.models.experiment import Experiment, Holdout, SavedMetric
from flagtui.models.experiment_responses import ExperimentStats
from flagtui.models.json_value import as_text
from flagtui.models.rows import ExperimentRow, FlagRow, state_word


class WholeExperiment(msgspec.Struct, frozen=True):
    """An experiment with its metrics."""

    experiment: Experiment
    row: ExperimentRow

    @property
    def id(self) -> int:
        return self.row.id


EXPERIMENT: Final[RecordSchema[ExperimentRow]] = RecordSchema(
    "experiment",
    "An experiment as the list has it.",
    (
        RecordField("name", "text", "Its name.", is_shown=True),
        RecordField("id", "whole", "Its id.", is_shown=True),
        RecordField("status", "text", "draft, running, paused, stopped, …", is_shown=True, words=state_word),
        RecordField("flag", "text", "The key of its flag.", lambda row: row.key, True),
        RecordField("flag_active", "truth?", "Whether its flag is on.", words=on_or_off),
        RecordField("flag_deleted", "truth", "Whether its flag is deleted."),
        RecordField("conclusion", "text", "won, lost, …; empty for none.", is_shown=True),
        RecordField("variants", "texts", "Their keys.", is_shown=True, words=commas),
        RecordField("started_at", "time?", "When it was launched.", is_shown=True, words=age_words),
        RecordField("ended_at", "time?", "When it ended.", words=age_words),
        RecordField("updated_at", "time?", "When it was last changed.", words=age_words),
        RecordField("created_at", "time?", "When it was created.", words=age_words),
        RecordField("creator", "text", "Who created it."),
        RecordField("description", "text", "Its description."),
        RecordField("archived", "truth", "Whether it is archived."),
        RecordField("type", "text", "product or web."),
        RecordField("legacy", "truth", "Whether an older engine measures it.", lambda row: row.is_legacy),
    ),
)


def _objects(items: Sequence[Any]) -> list[Mapping[str, Any]]:
    return [dict(item) for item in items if isinstance(item, Mapping)]


def _measures(whole: WholeExperiment) -> list[str]:
    """Return role, name, definition and goal: `primary: Refunds: refund per order, 7 days, lower wins`."""
    return [_metric_line(metric) for metric in metrics_of(whole.experiment)] or ["no metric is set"]


def _metric_line(metric: Metric) -> str:
    name = as_text(metric.raw.get("name")) or metric.saved_name
    named = f"{name}: {metric.measures}" if name else metric.measures
    shared = " (shared)" if metric.is_saved else ""
    return f"{metric.role}{shared}: {named}"


def _where_results_are(whole: WholeExperiment) -> str:
    if whole.row.started_at is None:
        return "none before it is launched"
    return next_command("experiments", "results", str(whole.row.id))


WHOLE_EXPERIMENT: Final[RecordSchema[WholeExperiment]] = RecordSchema(
    "whole-experiment",
    "An experiment with its variants, metrics and settings.",
    (
        *EXPERIMENT.within(attrgetter("row")),
        RecordField(
            "shares",
            "objects",
            "Each variant: key, share.",
            lambda whole: [{"key": each.key, "share": each.rollout} for each in whole.experiment.variants],
            True,
            lambda shares: ", ".join(f"{each['key']} {percent_words(each['share'])}" for each in shares),
        ),
        RecordField(
            "measures",
            "texts",
            "Its metrics in words; only where --fields names it.",
            _measures,
            True,
            "\n".join,
            is_extra=True,
        ),
        RecordField(
            "results",
            "text",
            "How to see what they measure; only where --fields names it.",
            _where_results_are,
            True,
            is_extra=True,
        ),
        RecordField(
            "metrics", "objects", "Primary metrics.", lambda whole: _objects(whole.experiment.metrics)
        ),
        RecordField(
            "metrics_secondary",
            "objects",
            "Secondary metrics.",
            lambda whole: _objects(whole.experiment.metrics_secondary),
        ),
        RecordField(
            "exposure_criteria",
            "object",
            "Which users count as exposed.",
            lambda whole: dict(whole.experiment.exposure_criteria),
        ),
        RecordField(
            "stats_config", "object", "How it is measured.", lambda whole: dict(whole.experiment.stats_config)
        ),
        RecordField(
            "parameters",
            "object",
            "The variants and other parameters.",
            lambda whole: dict(whole.experiment.parameters),
        ),
        RecordField("holdout_id", "whole?", "The id of its holdout.", lambda whole: whole.row.holdout_id),
        RecordField(
            "counts", "text", "What is counted: users, or groups.", lambda whole: whole.experiment.unit
        ),
        RecordField("notes", "object", "Notes on variants, by key.", lambda whole: whole.experiment.notes),
        RecordField(
            "comment",
            "text?",
            "The comment on its conclusion.",
            lambda whole: whole.experiment.conclusion_comment,
        ),
    ),
)
HOLDOUT: Final[RecordSchema[Holdout]] = RecordSchema(
    "holdout",
    "A holdout: users excluded from experiments.",
    (
        RecordField("id", "whole", "Its id.", is_shown=True),
        RecordField("name", "text", "Its name.", is_shown=True),
        RecordField("share", "number?", "In percent.", is_shown=True, words=percent_words),
        RecordField("description", "text?", "What it is for.", is_shown=True),
    ),
)
SHARED_METRIC: Final[RecordSchema[SavedMetric]] = RecordSchema(
    "shared-metric",
    "A metric that experiments share.",
    (
        RecordField("id", "whole", "Its id.", is_shown=True),
        RecordField("name", "text", "Its name.", is_shown=True),
        RecordField("description", "text?", "What it counts.", is_shown=True),
        RecordField("query", "object", "As stored by the server.", lambda metric: dict(metric.query)),
    ),
)


def in_a_month(number: int) -> str:
    """Return a count of the last 30 days for people."""
    return f"{number:,} in 30 days"


STATS: Final[RecordSchema[ExperimentStats]] = RecordSchema(
    "experiment-stats",
    "Counts of the experiments of the project.",
    (
        RecordField("active", "whole", "Running or paused.", lambda stats: stats.active_experiments, True),
        RecordField(
            "launched",
            "whole",
            "In the last 30 days.",
            lambda stats: stats.launched_last_30d,
            True,
            in_a_month,
        ),
        RecordField(
            "launched_before", "whole", "In the 30 days before.", lambda stats: stats.launched_previous_30d
        ),
        RecordField(
            "completed",
            "whole",
            "In the last 30 days.",
            lambda stats: stats.completed_last_30d,
            True,
            in_a_month,
        ),
    ),
)


@command(
    "list",
    kind=EXPERIMENT,
    empty="No experiment is found.",
    pages="experiments",
    operations=("experiments.list",),
    examples=("", "is:running --json --fields id,name,flag"),
)
@list_options("experiments", "updated, name, state, …; -name turns it round.")
async def list_all(
    session: ProjectSession, query: tuple[str, ...], sort: str, limit: int | None
) -> list[ExperimentRow]:
    """List experiments; QUERY narrows as the search line of the app does.

    QUERY is words, and qualifiers with a value (is, flag, by, result, type,
    started, ended, updated, created, id): 'is:running by:me started:>30d'
    """
    rows: list[ExperimentRow] = await EXPERIMENTS.rows(session, " ".join(query), sort, limit)
    return rows


@command(
    "get",
    kind=WHOLE_EXPERIMENT,
    pages="experiments",
    is_whole=True,
    operations=("experiments.list", "experiments.get"),
    examples=("31", "31 --json --fields name,shares,metrics"),
)
@EXPERIMENT_WORDS
async def get(session: ProjectSession, experiments: RecordSelection) -> list[WholeExperiment]:
    """Show whole experiments: variants, metrics, settings."""
    return [
        WholeExperiment(experiment, experiment.row())
        for experiment in await experiments_of(session, experiments)
    ]


@command(
    "history",
    kind=ACTIVITY,
    empty="The activity has no such change.",
    limits_each=True,
    operations=("experiments.list", "experiments.activity_of"),
    examples=("31", "31 --limit 5 --json"),
)
@EXPERIMENT_WORDS
@HISTORY_SINCE
@HISTORY_LIMIT
async def history(
    session: ProjectSession, experiments: RecordSelection, since: str, limit: int
) -> list[ChangeRow]:
    """Show who changed experiments, newest first."""
    start = read_since(since, session.now)
    ids = await ids_of(session, experiments)
    try:
        return await read_changes(session.client.experiments, ids, limit, start)
    except NotFound:
        await experiments_of(session, experiments)  # names those that are missing
        raise


def _list(
    name: str, kind: RecordSchema[Any], *operations: str, empty: str = ""
) -> Callable[..., RecordCommand]:
    """Declare a list that needs no argument."""
    return command(name, kind=kind, examples=("", "--json"), operations=operations, empty=empty)


@_list("holdouts", HOLDOUT, "holdouts.list", empty="There is no holdout.")
async def holdouts(session: ProjectSession) -> Sequence[Holdout]:
    """List the holdouts: users excluded from experiments."""
    return await session.client.holdouts.all()


@_list("metrics", SHARED_METRIC, "saved_metrics.list", empty="There is no shared metric.")
async def metrics(session: ProjectSession) -> Sequence[SavedMetric]:
    """List the metrics that experiments share."""
    return await session.client.saved_metrics.all()


@_list("eligible", FLAG, "experiments.eligible_flags", empty="No flag can be used by an experiment.")
async def eligible(session: ProjectSession) -> list[FlagRow]:
    """List the flags an experiment could use."""
    return [flag.row() for flag in await session.client.results.eligible_flags()]


@_list("stats", STATS, "experiments.stats")
async def stats(session: ProjectSession) -> list[ExperimentStats]:
    """Count active experiments, and those launched and ended in the last 30 days."""
    return [await session.client.results.stats()]
