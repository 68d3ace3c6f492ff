"""Looks at what stands around flags and experiments."""

from collections.abc import Sequence

from flagtui.cli.errors import Trouble
from flagtui.cli.experiments.experiment_selection import ids_of
from flagtui.cli.flags.flag_selection import flags_of
from flagtui.cli.options import WorkPlace
from flagtui.cli.output.printer import Printer
from flagtui.cli.project_session import ProjectSession, in_project
from flagtui.cli.records.activity_records import ACTIVITY
from flagtui.cli.records.flag_records import FLAG
from flagtui.cli.records.side_records import (
    COHORT,
    HOLDOUT,
    SHARED_METRIC,
    STATS,
    USE,
    VALUE_FOR_PROGRAMS,
    FlagUse,
    RemoteValue,
)
from flagtui.cli.row_source import EXPERIMENTS, FLAGS
from flagtui.cli.selection import read_words
from flagtui.models.activity import ChangeRow, change_row
from flagtui.safe_text import safe_text


def show_use(words: Sequence[str], place: WorkPlace, printer: Printer) -> int:
    """Whether flags are used."""
    wanted = read_words(words, FLAGS.is_query)

    async def work(session: ProjectSession) -> list[FlagUse]:
        found = []
        for flag in await flags_of(session, wanted):
            said = await session.client.flags.status(flag.id)
            found.append(FlagUse(flag.key, said.status, said.reason))
        return found

    printer.records(USE, in_project(place, work))
    return 0


def show_remote_values(words: Sequence[str], place: WorkPlace, printer: Printer) -> int:
    """The values that remote configurations give to programs."""
    wanted = read_words(words, FLAGS.is_query)

    async def work(session: ProjectSession) -> list[RemoteValue]:
        flags = await flags_of(session, wanted)
        if others := [safe_text(flag.key, 80) for flag in flags if not flag.is_remote_configuration]:
            fix = "Those that are: flagtui flags list type:config"
            raise Trouble(f"not a remote configuration: {', '.join(others[:5])}.", fix, code="not_found")
        ask = session.client.evaluation.remote_config
        return [RemoteValue(flag.key, await ask(flag.id)) for flag in flags]

    printer.records(VALUE_FOR_PROGRAMS, in_project(place, work))
    return 0


def list_cohorts(place: WorkPlace, printer: Printer) -> int:
    """Groups of people."""
    found = in_project(place, lambda session: session.client.cohorts.all())
    printer.records(COHORT, found, "There is no cohort.")
    return 0


def list_holdouts(place: WorkPlace, printer: Printer) -> int:
    """People kept out of experiments."""
    found = in_project(place, lambda session: session.client.holdouts.all())
    printer.records(HOLDOUT, found, "There is no holdout.")
    return 0


def list_shared_metrics(place: WorkPlace, printer: Printer) -> int:
    """Metrics experiments can share."""
    found = in_project(place, lambda session: session.client.saved_metrics.all())
    printer.records(SHARED_METRIC, found, "There is no shared metric.")
    return 0


def list_eligible_flags(place: WorkPlace, printer: Printer) -> int:
    """Flags an experiment could use."""
    found = in_project(place, lambda session: session.client.results.eligible_flags())
    printer.records(FLAG, [flag.row() for flag in found], "No flag can be used by an experiment.")
    return 0


def show_stats(place: WorkPlace, printer: Printer) -> int:
    """How many experiments come and go."""
    printer.records(STATS, [in_project(place, lambda session: session.client.results.stats())])
    return 0


def show_experiment_history(words: Sequence[str], limit: int, place: WorkPlace, printer: Printer) -> int:
    """Who changed experiments, newest first."""
    wanted = read_words(words, EXPERIMENTS.is_query)

    async def work(session: ProjectSession) -> list[ChangeRow]:
        found: list[ChangeRow] = []
        for id in await ids_of(session, wanted):
            page = await session.client.experiments.activity(id, limit=limit)
            found += [change_row(entry, -place) for place, entry in enumerate(page.entries)]
        return found

    printer.records(ACTIVITY, in_project(place, work), "The activity tells of no change.")
    return 0
