"""Copies of flags: here under another key, or in another project under the same key."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from flagtui.api import Client
from flagtui.api.errors import ApiError
from flagtui.app.flags.flag_reader import read_flag, read_flags
from flagtui.app.flags.form.flag_form import FormScreen
from flagtui.app.state.app_state import AppState
from flagtui.app.state.other_projects import workspace_in
from flagtui.app.writing.changes import Changes
from flagtui.app.writing.flag_planner import NewFlag, RelatedPlanner
from flagtui.app.writing.screens import Listener, Saved
from flagtui.changes.flags.flag_draft import WorkingCopy
from flagtui.changes.flags.flag_refusals import Blocked
from flagtui.changes.flags.new_flags import Taken, copy_of
from flagtui.changes.pipeline import Ended
from flagtui.changes.proposal import LeftOut
from flagtui.changes.related.creation import RelatedPlan
from flagtui.changes.related.project_copies import (
    Target,
    bound_to_its_project,
    needs_the_server,
    plan_copy,
    stays_behind,
    stays_behind_in_words,
)
from flagtui.models.flag import Flag
from flagtui.models.rows import FlagRow
from flagtui.store.deletions import recent_deletions
from flagtui.store.workspace import Workspace
from flagtui.text.formats import count
from flagtui.text.outcomes import explain_error
from flagtui.text.styled import Notice


@dataclass(frozen=True)
class Original:
    """The flag as it is now, and what a copy would not have."""

    flag: Flag
    left: tuple[str, ...]


class FlagCopies:
    """Reads the flag again, says what is not copied, and hands the copy to the pipeline."""

    def __init__(self, app_state: AppState, changing: Changes) -> None:
        self._app_state = app_state
        self._changing = changing

    async def here(self, row: FlagRow, key: str) -> None:
        """Under another key, as a form to go on with."""
        flag = await read_flag(row, self._app_state, self._changing)
        if flag is not None:
            original = await self._original(flag)
            copy = WorkingCopy.new(copy_of(original.flag, key))
            told = (stays_behind_in_words(original.left),)
            self._changing.app.push_screen(FormScreen(self._app_state, self._changing, copy, told))

    async def away(self, rows: Sequence[FlagRow], project: int, name: str, saved: Saved) -> None:
        """To another project: made there as new flags; a single one by the server where only it can."""
        workspace = self._app_state.workspace
        flags, left_out = await read_flags(rows, self._app_state, self._changing)
        originals = [await self._original(flag) for flag in flags]
        there = await self._there(rows, workspace, project) if workspace is not None and originals else None
        if there is None:
            return
        if len(rows) == 1 and needs_the_server(originals[0].flag) and not bound_to_its_project(flags[0]):
            await self._by_the_server(rows[0], originals[0], there, name)
            return
        left_out += [found for one in originals if (found := _why_not_made(one.flag, len(rows) == 1))]
        if len(rows) == 1 and left_out:
            text = f"{left_out[0].key}: {left_out[0].reason}.\nMake it there by hand."
            self._changing.tell(Notice(text, "warning", "not possible now"))
            return
        out = {one.id for one in left_out}
        wanted = [
            NewFlag(copy_of(one.flag, one.flag.key), (stays_behind_in_words(one.left),), one.flag.id)
            for one in originals
            if one.flag.id not in out
        ]

        def ended(found: Ended[Any, Any]) -> None:
            if found.saved_ids:
                some = f"{count(len(found.saved_ids), 'flag')} copied to {name}, off."
                what = f"{rows[0].key} is in {name} now, off." if len(rows) == 1 else some
                self._changing.tell(Notice(f"{what} To take it back: p, {name}, then u."))

        self._changing.create(wanted, Listener(saved, ended, left_out), (there, name))

    async def _by_the_server(self, row: FlagRow, original: Original, there: Workspace, name: str) -> None:
        """Have the server make it, which finds its cohorts and flags there."""
        workspace = self._app_state.workspace
        if workspace is None:
            return
        client, first = workspace.client, [original]

        async def make() -> RelatedPlan | Blocked | None:
            if first:
                asked = first.pop()
            else:
                flag = await read_flag(row, self._app_state, self._changing)
                if flag is None:
                    return None
                asked = await self._original(flag)
            target = await self._target(client, there, name, asked.flag.key)
            if target is None:
                return None
            return plan_copy(asked.flag, target, asked.left, self._app_state.names)

        await self._changing.write([row.key], RelatedPlanner(self._app_state, workspace, name, make=make))

    async def _target(self, client: Client, there: Workspace, name: str, key: str) -> Target | None:
        try:
            ours = await client.projects.get(client.project)
            theirs = await there.client.projects.get(there.client.project)
        except ApiError as error:
            if await self._changing.signing_in.helps(error):
                return await self._target(client, there, name, key)
            self._changing.tell(explain_error(error, f"{key} was not copied"))
            return None
        try:
            deleted = {one.key: one.id for one in await recent_deletions(there.client.flags)}
        except ApiError:
            # Not every key may read the activity there; the warning is lost then, not the copy.
            deleted = {}
        organization = ours.organization if ours.organization == theirs.organization else ""
        return Target(theirs.id, name, organization, Taken(there.flags.rows, deleted))

    async def _there(self, rows: Sequence[FlagRow], workspace: Workspace, project: int) -> Workspace | None:
        """The other project, with the flags there that have these keys; None, and said, without an answer."""
        there = workspace_in(project, workspace, self._app_state.session.clock)
        try:
            for row in rows:
                for filters in ({"search": row.key}, {"search": row.key, "archived": "true"}):
                    there.flags.put_all((await there.client.flags.page(filters)).rows)
        except ApiError as error:
            if await self._changing.signing_in.helps(error):
                return await self._there(rows, workspace, project)
            what = rows[0].key if len(rows) == 1 else "they"
            self._changing.tell(explain_error(error, f"{what} cannot be copied"))
            return None
        return there

    async def _original(self, flag: Flag) -> Original:
        workspace = self._app_state.workspace
        try:
            schedule = workspace.client.schedule if workspace is not None else None
            due = await schedule.all({"model_name": "FeatureFlag", "record_id": flag.id}) if schedule else ()
        except ApiError:
            return Original(flag, stays_behind(flag, None))
        return Original(flag, stays_behind(flag, sum(not change.is_done for change in due)))


def _why_not_made(flag: Flag, is_alone: bool) -> LeftOut | None:
    if why := bound_to_its_project(flag):
        return LeftOut(flag.id, flag.key, why, "" if is_alone else "make it there by hand")
    if needs_the_server(flag):
        reason = "it asks for cohorts or flags, which have other numbers there, so the server has to copy it"
        return LeftOut(flag.id, flag.key, reason, "copy it alone")
    return None
