"""Flags as they are now, for what is asked about them: read again, or why not."""

from collections.abc import Sequence

from flagtui.app.state.app_state import AppState
from flagtui.app.writing.change_runner import ChangeRunner
from flagtui.changes.proposal import Skipped
from flagtui.models.flag import Flag
from flagtui.models.rows import FlagRow


async def read_flag(row: FlagRow, app_state: AppState, runner: ChangeRunner) -> Flag | None:
    """Read the whole flag; show a toast and return None when it cannot be read. Only within a worker."""

    async def ask() -> Flag | None:
        with runner.reading(row.key):
            return await _read(row.id, app_state)

    return await runner.signing_in.fetch(row.key, ask)


async def read_flags(
    rows: Sequence[FlagRow], app_state: AppState, runner: ChangeRunner
) -> tuple[list[Flag], list[Skipped]]:
    """Read the flags and, of many, the skipped ones; show a toast for a single unreadable one.

    Only within a worker.
    """
    if len(rows) == 1:
        flag = await read_flag(rows[0], app_state, runner)
        return ([] if flag is None else [flag]), []
    flags, skipped = await runner.signing_in.fetch_each(
        [(row.id, row.key) for row in rows], lambda id: _read(id, app_state)
    )
    return [flag for flag in flags if flag is not None], skipped


async def _read(id: int, app_state: AppState) -> Flag | None:
    if app_state.workspace is None:
        return None
    flag = await app_state.workspace.client.flags.get(id)
    if app_state.inspector is not None:
        app_state.inspector.cohorts.learn_names(flag)
    return flag
