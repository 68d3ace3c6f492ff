"""Read flags again for a question, as they are or as they are staged; report why some cannot be read."""

from collections.abc import Sequence

from flagtui.app.state.app_state import AppState
from flagtui.app.state.staged_records import as_staged
from flagtui.app.writing.change_runner import ChangeRunner
from flagtui.changes.sets.change_set import ChangeSetError
from flagtui.changes.skipped import Skipped
from flagtui.models.flag import Flag
from flagtui.models.rows import FlagRow
from flagtui.store.workspace import Workspace
from flagtui.text.formats import count
from flagtui.text.outcomes import LEFT
from flagtui.text.set_words import explain_set_fault, next_in_app


async def read_flag(row: FlagRow, app_state: AppState, runner: ChangeRunner) -> Flag | None:
    """Read the whole flag; show a toast and return None when it cannot be read. Only within a worker."""

    async def ask() -> Flag | None:
        with runner.reading(row.key):
            return await _read(row.id, app_state)

    opened = app_state.workspace
    flag = await runner.signing_in.fetch(row.key, ask)
    if flag is None or is_left(opened, app_state, runner):
        return None
    try:
        return await as_staged(flag, app_state)
    except ChangeSetError as error:
        runner.show_toast(explain_set_fault(error))
        return None


async def read_flags(
    rows: Sequence[FlagRow], app_state: AppState, runner: ChangeRunner
) -> tuple[list[Flag], list[Skipped]]:
    """Read the flags and, of many, the skipped ones; show a toast for a single unreadable one.

    Only within a worker.
    """
    if len(rows) == 1:
        flag = await read_flag(rows[0], app_state, runner)
        return ([] if flag is None else [flag]), []
    named, opened = [(row.id, row.key) for row in rows], app_state.workspace
    with runner.reading(count(len(rows), "flag")) as show_progress:
        flags, skipped = await runner.signing_in.fetch_each(
            named, lambda id: _read(id, app_state), show_progress
        )
    if is_left(opened, app_state, runner):
        return [], []
    staged = list[Flag]()
    for flag in filter(None, flags):
        try:
            staged.append(await as_staged(flag, app_state))
        except ChangeSetError as error:
            skipped.append(Skipped(flag.id, flag.key, error.what, next_in_app(error)))
    return staged, skipped


def is_left(opened: Workspace | None, app_state: AppState, runner: ChangeRunner) -> bool:
    """Return whether another project was opened since; show a toast then."""
    is_left = app_state.workspace is not opened
    if is_left:
        runner.show_toast(LEFT)
    return is_left


async def _read(id: int, app_state: AppState) -> Flag | None:
    if app_state.workspace is None:
        return None
    flag = await app_state.workspace.client.flags.get(id)
    if app_state.inspector is not None:
        app_state.inspector.cohorts.learn_names(flag)
    return flag
