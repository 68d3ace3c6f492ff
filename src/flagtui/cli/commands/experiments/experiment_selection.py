"""The experiments that the words of a command mean, as they are now."""

from flagtui.api.errors import NotFound
from flagtui.cli.plumbing.errors import Trouble
from flagtui.cli.plumbing.project_session import ProjectSession
from flagtui.cli.plumbing.selection import EXPERIMENTS, Wanted, is_id, several
from flagtui.models.experiment import Experiment
from flagtui.models.rows import ExperimentRow


async def experiments_of(session: ProjectSession, wanted: Wanted) -> list[Experiment]:
    """Each once. Raises ApiError, and Trouble when one is missing or a name means several."""
    ids = await ids_of(session, wanted)
    experiments = await several(ids, lambda id: _read(session, id))
    missing = [str(id) for id, experiment in zip(ids, experiments, strict=True) if experiment is None]
    if missing:
        raise await EXPERIMENTS.unknown(session, missing)
    return [experiment for experiment in experiments if experiment is not None]


async def ids_of(session: ProjectSession, wanted: Wanted) -> list[int]:
    """Their numbers, without reading them: deleted experiments cannot be read. Raises as above."""
    numbers = [name for name in wanted.names if is_id(name)]
    named = [name for name in wanted.names if name not in numbers]
    rows: list[ExperimentRow] = await EXPERIMENTS.every(session, has_archived=True) if named else []
    ids = [int(number) for number in numbers]
    missing = []
    for name in named:
        matches = {row.id: row for row in rows if name in EXPERIMENTS.names(row)}
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
    for line in wanted.queries:
        ids += [row.id for row in await EXPERIMENTS.rows(session, line)]
    return list(dict.fromkeys(ids))


async def _read(session: ProjectSession, id: int) -> Experiment | None:
    try:
        return await session.client.experiments.get(id)
    except NotFound:
        return None
