"""What a flag's screen asks the server for when a tab needs it, and the ways back it offers."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from textual.app import App

from flagtui.api.errors import ApiError
from flagtui.app.shell.toasts import tell
from flagtui.app.state.app_state import AppState
from flagtui.app.writing.changes import Changes
from flagtui.changes.flags.flag_intent import Intent, older_version
from flagtui.changes.proposal import LeftOut
from flagtui.details.evaluation_subject import EvaluationSubject
from flagtui.details.evaluations import PersonEvaluation, account_for
from flagtui.models.activity import Activity
from flagtui.models.flag import Flag
from flagtui.models.flag_answers import FlagVersion
from flagtui.models.rows import FlagRow
from flagtui.text.outcomes import explain_error
from flagtui.text.styled import Notice

LOG = 500
"""Entries of one flag's log that are read."""
AT_ONCE: Final = 8
"""Flags that are read at the same time."""


class FlagReader:
    """Everything asked here is asked because a person looked; nothing is asked ahead."""

    def __init__(self, app: App[Any], app_state: AppState, changing: Changes) -> None:
        self._app = app
        self._app_state = app_state
        self._changing = changing

    async def account(self, subject: EvaluationSubject, flag: Flag) -> PersonEvaluation | None:
        """One person before this flag and all others."""
        workspace, inspector = self._app_state.workspace, self._app_state.inspector
        if workspace is None or inspector is None:
            return None
        return await account_for(subject, flag, workspace.client, inspector.definitions)

    async def log(self, record: int) -> Sequence[Activity]:
        """A flag's log, newest first. Raises ApiError."""
        workspace = self._app_state.workspace
        if workspace is None:
            return ()
        found = [entry async for entry in workspace.client.activity.every(record, at_most=LOG)]
        if self._app_state.inspector is not None and await self._app_state.inspector.cohorts.learn_those_in(
            found
        ):
            self._app_state.tell()
        return found

    async def version(self, record: int, number: int) -> FlagVersion:
        """A flag as it was. Raises ApiError."""
        workspace = self._app_state.workspace
        return await workspace.client.flags.version(record, number) if workspace else FlagVersion()

    def go_back(self, record: int, version: int) -> None:
        """Bring an older version back through the pipeline of changes."""
        self._app.run_worker(self._go_back(record, version), group="reverting")

    async def _go_back(self, record: int, version: int) -> None:
        workspace = self._app_state.workspace
        if workspace is None:
            return
        try:
            intent = await intent_to_return(record, version, workspace.client)
        except CannotRevert as fault:
            tell(self._app, Notice(f"nothing to bring back: {fault}"))
        except ApiError as error:
            tell(self._app, explain_error(error, f"version {version} cannot be brought back"))
        else:
            self._changing.start([intent])


async def read_flag(row: FlagRow, app_state: AppState, changing: Changes) -> Flag | None:
    """The whole flag as it is now; None, and said, when it cannot be read. Only within a worker."""
    if app_state.workspace is None:
        return None
    try:
        with changing.reading(row.key):
            flag = await app_state.workspace.client.flags.get(row.id)
    except ApiError as error:
        if await changing.signing_in.helps(error):
            return await read_flag(row, app_state, changing)
        changing.tell(explain_error(error, row.key))
        return None
    if app_state.inspector is not None:
        app_state.inspector.cohorts.hear(flag)
    return flag


async def read_flags(
    rows: Sequence[FlagRow], app_state: AppState, changing: Changes
) -> tuple[list[Flag], list[LeftOut]]:
    """Flags as they are now, and of many those that cannot be read; of one that is said.

    Only within a worker.
    """
    if len(rows) == 1:
        flag = await read_flag(rows[0], app_state, changing)
        return ([] if flag is None else [flag]), []
    turn = asyncio.Semaphore(AT_ONCE)

    async def one(row: FlagRow) -> Flag | LeftOut:
        async with turn:
            return await _read_or_left_out(row, app_state, changing)

    found = await asyncio.gather(*map(one, rows))
    flags = [each for each in found if not isinstance(each, LeftOut)]
    return flags, [each for each in found if isinstance(each, LeftOut)]


async def _read_or_left_out(row: FlagRow, app_state: AppState, changing: Changes) -> Flag | LeftOut:
    if app_state.workspace is None:
        return LeftOut(row.id, row.key, "there is no connection")
    try:
        flag = await app_state.workspace.client.flags.get(row.id)
    except ApiError as error:
        if await changing.signing_in.helps(error):
            return await _read_or_left_out(row, app_state, changing)
        return LeftOut(row.id, row.key, error.what.rstrip("."), error.next.rstrip("."))
    if app_state.inspector is not None:
        app_state.inspector.cohorts.hear(flag)
    return flag


if TYPE_CHECKING:
    from flagtui.api import Client


class CannotRevert(ValueError):
    """This entry cannot be undone; the text says why."""


async def intent_to_return(record: int, version: int, client: Client) -> Intent:
    """The flag as it was at that version. Raises CannotRevert and ApiError."""
    flag = await client.flags.get(record)
    if flag.version == version:
        raise CannotRevert(f"it is at version {version} already")
    found = await client.flags.version(record, version)
    return older_version(flag, version, found.raw)
