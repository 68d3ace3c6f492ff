"""`flagtui experiments …` that look: the commands, their options and examples."""

from typing import Any

import click

from flagtui.cli.experiments.step_group import add_steps
from flagtui.cli.options import WAIT_SECONDS, WorkPlace
from flagtui.cli.output.printer import Printer
from flagtui.cli.output.record_kind import RecordKind
from flagtui.cli.records.activity_records import ACTIVITY
from flagtui.cli.records.experiment_records import DAY, EXPERIMENT, RESULT, WHOLE_EXPERIMENT
from flagtui.cli.records.flag_records import FLAG
from flagtui.cli.records.side_records import HOLDOUT, SHARED_METRIC, STATS
from flagtui.cli.twin_command import TwinCommand
from flagtui.cli.word_types import EXPERIMENT_WORD, EXPERIMENT_WORDS, list_options

WAIT = click.option(
    "--wait",
    type=WAIT_SECONDS,
    metavar="SECONDS",
    help="How long to wait for what is being calculated; ends with 4 when it is not there by then.",
)
READ = ("experiments.list", "experiments.get")


@click.group("experiments")
def command() -> None:
    """See and change experiments.

    EXPERIMENT is a name, the key of its flag, an id, or a query such as 'is:running flag:checkout';
    several at once, and - reads them from standard input.
    """


@command.command(
    "list",
    cls=TwinCommand,
    kind=EXPERIMENT,
    operations=("experiments.list",),
    examples=("experiments list", "experiments list is:running --json --fields id,name,flag"),
)
@list_options("updated, name, state, …; -name turns it round.")
def list_all(query: tuple[str, ...], sort: str, limit: int | None, place: WorkPlace, printer: Printer) -> int:
    """List experiments; QUERY narrows as the search line of the app does."""
    from flagtui.cli.experiments.experiment_views import list_experiments

    return list_experiments(" ".join(query), sort, limit, place, printer)


@command.command(
    "get",
    cls=TwinCommand,
    kind=WHOLE_EXPERIMENT,
    operations=READ,
    examples=("experiments get 31", "experiments get 31 --json --fields name,shares,metrics"),
)
@EXPERIMENT_WORDS
def get(experiments: tuple[str, ...], place: WorkPlace, printer: Printer) -> int:
    """Show experiments as a whole: variants, metrics, settings."""
    from flagtui.cli.experiments.experiment_views import get_experiments

    return get_experiments(experiments, place, printer)


@command.command(
    "results",
    cls=TwinCommand,
    kind=RESULT,
    operations=(
        *(*READ, "experiments.latest_recalculation", "experiments.recalculate", "experiments.recalculation"),
        *("experiments.query", "experiments.query_status", "experiments.old_result"),
        "experiments.requires_flag_implementation",
    ),
    examples=("experiments results 31", "experiments results 31 --json"),
)
@EXPERIMENT_WORDS
@click.option("--anew", is_flag=True, help="Have the server calculate them anew, for all who look.")
@WAIT
def results(
    experiments: tuple[str, ...], anew: bool, wait: float | None, place: WorkPlace, printer: Printer
) -> int:
    """Show what experiments measure: every metric for every variant."""
    from flagtui.cli.experiments.experiment_views import Calculation, show_results

    return show_results(experiments, Calculation(anew, wait), place, printer)


@command.command(
    "timeseries",
    cls=TwinCommand,
    kind=DAY,
    operations=(*READ, "experiments.timeseries", "experiments.recalculate_timeseries"),
    examples=("experiments timeseries 31", "experiments timeseries 31 --ndjson"),
)
@EXPERIMENT_WORD
@click.option("--metric", default="", metavar="NAME", help="Its name or UUID; the first unless said.")
@click.option("--anew", is_flag=True, help="Have the server calculate the days anew, and say how far it is.")
@WAIT
def timeseries(
    experiment: str, metric: str, anew: bool, wait: float | None, place: WorkPlace, printer: Printer
) -> int:
    """Show one metric day by day, each day cumulative."""
    from flagtui.cli.experiments.experiment_views import Calculation, show_timeseries

    return show_timeseries(experiment, metric, Calculation(anew, wait), place, printer)


@command.command(
    "history",
    cls=TwinCommand,
    kind=ACTIVITY,
    operations=("experiments.list", "experiments.activity"),
    examples=("experiments history 31", "experiments history 31 --limit 5 --json"),
)
@EXPERIMENT_WORDS
@click.option("--limit", type=click.IntRange(1, 100), default=50, show_default=True, help="Entries of each.")
def history(experiments: tuple[str, ...], limit: int, place: WorkPlace, printer: Printer) -> int:
    """Show who changed experiments, newest first."""
    from flagtui.cli.side_views import show_experiment_history

    return show_experiment_history(experiments, limit, place, printer)


def _list(name: str, kind: RecordKind[Any], words: str, *operations: str) -> None:
    """A list that needs no argument."""

    @command.command(
        name,
        cls=TwinCommand,
        kind=kind,
        operations=operations,
        examples=(f"experiments {name}", f"experiments {name} --json"),
        help=words,
    )
    def listed(place: WorkPlace, printer: Printer) -> int:
        from flagtui.cli import side_views

        views = {
            "holdouts": side_views.list_holdouts,
            "metrics": side_views.list_shared_metrics,
            "eligible": side_views.list_eligible_flags,
            "stats": side_views.show_stats,
        }
        return views[name](place, printer)


_list("holdouts", HOLDOUT, "List the people kept out of experiments.", "holdouts.list")
_list("metrics", SHARED_METRIC, "List the metrics experiments can share.", "saved_metrics.list")
_list("eligible", FLAG, "List the flags an experiment could use.", "experiments.eligible_flags")
_list("stats", STATS, "Say how many experiments come and go.", "experiments.stats")

add_steps(command)
