"""The experiments that the words of a command mean, as they are now."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from flagtui.api.errors import NotFound
from flagtui.changes.experiments.steps import STEPS
from flagtui.cli.plumbing.errors import Trouble
from flagtui.cli.plumbing.project_session import ProjectSession
from flagtui.cli.plumbing.selection import EXPERIMENTS, RecordSelection, number_in, several
from flagtui.models.experiment import Experiment
from flagtui.models.rows import ExperimentRow

if TYPE_CHECKING:
    from flagtui.cli.plumbing.bulk_reader import BulkReader


async def experiments_of(
    session: ProjectSession,
    selection: RecordSelection,
    bulk: "BulkReader | None" = None,
    given: Sequence[tuple[str, int]] = (),
) -> list[Experiment]:
    """Return each experiment once; `given` has names that the staged set gives, with their numbers.

    Raises ApiError, and Trouble if one is missing or ambiguous, or `bulk` refuses so many.
    """
    ids = await ids_of(session, selection, bulk, given)
    read = partial(several, find=lambda id: _read(session, id))
    experiments = await (read(ids) if bulk is None else bulk.read(ids, read))
    return await EXPERIMENTS.require(session, [*map(str, ids)], experiments)


async def ids_of(
    session: ProjectSession,
    selection: RecordSelection,
    bulk: "BulkReader | None" = None,
    given: Sequence[tuple[str, int]] = (),
) -> list[int]:
    """Return their numbers without reading them: deleted experiments cannot be read. Raises as above."""
    # 34 is always a number; #34 can be a name.
    numbers = [name for name in selection.names if name[0] != "#" and number_in(name) is not None]
    named = [name for name in selection.names if name not in numbers]
    rows: list[ExperimentRow] = await EXPERIMENTS.every(session, has_archived=True) if named else []
    ids = [*map(int, numbers)]
    missing = []
    for name in named:
        matches = dict.fromkeys(row.id for row in rows if name in EXPERIMENTS.names(row))
        matches |= dict.fromkeys(id for new, id in given if new == name)
        matches |= dict.fromkeys(row.id for row in rows if row.id == number_in(name))
        if len(matches) > 1:
            choices = ", ".join(str(id) for id in matches)
            raise Trouble(
                f"{len(matches):,} experiments are called {name}.", f"Choose one: {choices}.", code="usage"
            )
        ids += matches
        if not matches:
            missing.append(name)
    if missing:
        raise await EXPERIMENTS.unknown(session, missing, rows)
    matching = {row.id: row for line in selection.queries for row in await EXPERIMENTS.rows(session, line)}
    if bulk is not None:
        bulk.check_rows([*matching.values()])
    ids += matching
    return list(dict.fromkeys(ids))


def deleted_experiments(session: ProjectSession, selection: RecordSelection) -> dict[int, str]:
    """Return the names of deleted experiments by number: no server lists them, so names are the journal's.

    A name that the journal does not know is empty. Raises Trouble for a query, and for a name that the
    journal does not know or knows of several.
    """
    if selection.queries:
        raise Trouble("deleted experiments are in no list.", "Name their ids.", code="usage")
    here = (session.client.host.origin, str(session.client.project))
    deletions = {
        entry.record: entry.key
        for entry in session.journal.entries()
        if (entry.kind, entry.verb, entry.ending) == ("experiment", STEPS["delete"].verb.name, "saved")
        and (entry.signature.host, entry.signature.project) == here
    }
    deleted: dict[int, str] = {}
    for name in selection.names:
        number = number_in(name)
        matches = {id for id, key in deletions.items() if key == name} if number is None else {number}
        if len(matches) != 1:
            many = f"{len(matches):,} deleted experiments are called {name}."
            none = f"the journal names no deleted experiment {name}, and no server lists them."
            choices = f": {', '.join(map(str, sorted(matches)))}" if matches else ""
            raise Trouble(many if matches else none, f"Give its id{choices}.", code="usage")
        deleted |= {id: deletions.get(id, "") for id in matches}
    return deleted


async def _read(session: ProjectSession, id: int) -> Experiment | None:
    try:
        return await session.client.experiments.get(id)
    except NotFound:
        return None
