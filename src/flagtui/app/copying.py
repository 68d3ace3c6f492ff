"""The stories of copies: here under another key, or in another project under the same."""

from dataclasses import dataclass

from flagtui.api.errors import ApiError
from flagtui.app.aside import agree_and_send, said
from flagtui.app.changing import Changing
from flagtui.app.desk import Desk
from flagtui.app.elsewhere import workspace_in
from flagtui.app.explain import explain_blocked, explain_error
from flagtui.app.listening import Listener
from flagtui.app.notices import Notice
from flagtui.app.reading import read_flag
from flagtui.app.saving import Ended
from flagtui.app.screens.edit.form import FormScreen
from flagtui.changes.blocking import Blocked
from flagtui.changes.copying import (
    Target,
    bound_to_its_project,
    needs_the_server,
    plan_copy,
    send_copy,
    stays_behind,
    stays_behind_in_words,
)
from flagtui.changes.creating import Taken, copy_of
from flagtui.changes.working_copy import WorkingCopy
from flagtui.models.flag import Flag
from flagtui.models.rows import FlagRow
from flagtui.store.deletions import recent_deletions
from flagtui.store.workspace import Workspace


@dataclass(frozen=True)
class Original:
    """The flag as it is now, and what a copy would not have."""

    flag: Flag
    left: tuple[str, ...]


class Copying:
    """Reads again, says what stays behind, and hands over to the path of all changes."""

    def __init__(self, desk: Desk, changing: Changing) -> None:
        self._desk = desk
        self._changing = changing

    async def here(self, row: FlagRow, key: str) -> None:
        """Under another key, as a form to go on with."""
        original = await self._read(row)
        if original is not None:
            copy = WorkingCopy.new(copy_of(original.flag, key))
            told = (stays_behind_in_words(original.left),)
            self._changing.app.push_screen(FormScreen(self._desk, self._changing, copy, told))

    async def away(self, row: FlagRow, project: int, name: str) -> None:
        """To another project: made there as a new flag, or by the server where only it can."""
        workspace, original = self._desk.workspace, await self._read(row)
        if workspace is None or original is None:
            return
        if why := bound_to_its_project(original.flag):
            text = f"{row.key}: {why}.\nMake it there by hand."
            self._changing.tell(Notice(text, "warning", "not possible now"))
            return
        there = await self._there(row, workspace, project)
        if there is None:
            return
        if needs_the_server(original.flag):
            if await self._is_asked_again(original, there, name):
                await self.away(row, project, name)
            return

        def ended(found: Ended) -> None:
            if found.is_saved:
                words = f"{row.key} is in {name} now, off. To take it back: p, {name}, then u."
                self._changing.tell(Notice(words))

        told = (stays_behind_in_words(original.left),)
        listener = Listener(ended=ended, place=name, told=told)
        self._changing.create(copy_of(original.flag, row.key), listener, there)

    async def _is_asked_again(self, original: Original, there: Workspace, name: str) -> bool:
        """Have the server make it, and say how that ended; True when there is another key to ask it with."""
        workspace = self._desk.workspace
        if workspace is None:
            return False
        flag, flags = original.flag, workspace.client.flags
        try:
            ours = await workspace.client.projects.get(workspace.client.project)
            theirs = await there.client.projects.get(there.client.project)
        except ApiError as error:
            if await self._changing.signing_in.helps(error):
                return True
            self._changing.tell(explain_error(error, f"{flag.key} was not copied"))
            return False
        try:
            deleted = {one.key: one.id for one in await recent_deletions(there.client.flags)}
        except ApiError:
            # Not every key may read the activity there; the warning is lost then, not the copy.
            deleted = {}
        organization = ours.organization if ours.organization == theirs.organization else ""
        target = Target(theirs.id, name, organization, Taken(there.flags.rows, deleted))
        plan = plan_copy(flag, target, original.left, self._desk.names)
        if isinstance(plan, Blocked):
            self._changing.tell(explain_blocked(plan, flag.key))
            return False
        send = send_copy(flag, target, flags)
        ended = await agree_and_send(plan, send, self._changing, self._desk, workspace, place=name)
        if ended is None:
            return False
        if await self._changing.signing_in.helps(ended.error):
            return True
        unknown = f"whether it was made is not known. Look for it in {name}: p."
        self._changing.tell(said(ended, unknown, "not copied", "u takes it back"))
        return False

    async def _there(self, row: FlagRow, workspace: Workspace, project: int) -> Workspace | None:
        """The other project, with the flags there that have this key; None, and said, without an answer."""
        there = workspace_in(project, workspace, self._desk.session.clock)
        try:
            for filters in ({"search": row.key}, {"search": row.key, "archived": "true"}):
                there.flags.put_all((await there.client.flags.page(filters)).rows)
        except ApiError as error:
            if await self._changing.signing_in.helps(error):
                return await self._there(row, workspace, project)
            self._changing.tell(explain_error(error, f"{row.key} was not copied"))
            return None
        return there

    async def _read(self, row: FlagRow) -> Original | None:
        workspace = self._desk.workspace
        if workspace is None:
            return None
        flag = await read_flag(row, self._desk, self._changing)
        if flag is None:
            return None
        try:
            due = await workspace.client.schedule.all({"model_name": "FeatureFlag", "record_id": row.id})
        except ApiError:
            return Original(flag, stays_behind(flag, None))
        return Original(flag, stays_behind(flag, sum(not change.is_done for change in due)))
