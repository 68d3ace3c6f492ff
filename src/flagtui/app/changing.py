"""The straight path of a change: read again, plan, guard, ask, save, say. It belongs to the App alone."""

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any, Final, TypeVar

from textual.app import App
from textual.screen import Screen

from flagtui.api.errors import ApiError
from flagtui.app import explain
from flagtui.app.desk import Desk
from flagtui.app.elsewhere import workspace_in
from flagtui.app.listening import NOBODY, Listener, unheard
from flagtui.app.notices import Notice, tell
from flagtui.app.planning import Planner
from flagtui.app.saving import Ended, Saver
from flagtui.app.screens.confirm import ConfirmScreen, Surface
from flagtui.app.screens.results import ResultsScreen
from flagtui.app.signing_in import SigningIn, key_refused, needs_key
from flagtui.app.wishes import Wish, wish_for, wish_reverted, wish_undone
from flagtui.changes import guard
from flagtui.changes.aside_recovery import recover_asides
from flagtui.changes.blocking import Blocked
from flagtui.changes.context import Context
from flagtui.changes.copying import as_creation, project_of
from flagtui.changes.creating import Taken, plan_create
from flagtui.changes.entries import Entry
from flagtui.changes.gathering import similar_keys
from flagtui.changes.intent import Intent
from flagtui.changes.journal import JournalUnwritable
from flagtui.changes.plan import NothingToDo, Plan
from flagtui.changes.recovery import recover
from flagtui.changes.taking_back import as_left, undoable
from flagtui.changes.undo import last_batch
from flagtui.models.activity import Activity
from flagtui.models.json_value import JSON, as_text
from flagtui.store.deletions import recent_deletions
from flagtui.store.workspace import Workspace

Answer = TypeVar("Answer")

GOODBYE: Final = 10.0
"""Seconds that leaving waits for changes on their way."""


class Changing:
    """Runs changes as tasks of the App, where no screen that closes and no refresh can cancel them."""

    def __init__(self, app: App[Any], desk: Desk) -> None:
        self.app = app
        self._desk = desk
        self.signing_in = SigningIn(app, desk)
        self._planner = Planner(desk, self._tell)
        self._saver = Saver(desk, self._tell)
        self._on_their_way: set[asyncio.Task[Any]] = set()
        self._preparing: asyncio.Task[Any] | None = None
        """The story that was begun and has not asked its question yet."""

    @property
    def is_saving(self) -> bool:
        """True while a change is on its way to the server."""
        return bool(self._on_their_way)

    async def finish(self) -> bool:
        """Wait for changes on their way before leaving; False when some are still not answered."""
        if self._on_their_way:
            await asyncio.wait(self._on_their_way, timeout=GOODBYE)
        return not self._on_their_way

    def run(self, story: Coroutine[Any, Any, None]) -> None:
        """Let a story that ends in a change take its time; nothing on any screen cancels it.

        While a question is prepared or asked, a key that is held or pressed again does nothing.
        """
        self.app.run_worker(self._tell_story(story, asyncio.current_task()), group="changing")

    async def _tell_story(self, story: Coroutine[Any, Any, None], begun_by: asyncio.Task[Any] | None) -> None:
        if self._preparing not in (None, begun_by) or self.app.screen.is_modal:
            story.close()
            return
        self._preparing = asyncio.current_task()
        try:
            await story
        finally:
            self._is_prepared()

    def _is_prepared(self) -> None:
        if self._preparing is asyncio.current_task():
            self._preparing = None

    async def ask(self, screen: Screen[Answer]) -> Answer | None:
        """What a dialog answers. Only within `run`."""
        self._is_prepared()
        return await self.app.push_screen_wait(screen)

    async def see_through(self, saving: Coroutine[Any, Any, Answer]) -> Answer:
        """Save another kind of record: leaving waits for it, and nothing on any screen cancels it."""
        task = asyncio.create_task(saving)
        self._on_their_way.add(task)
        task.add_done_callback(self._on_their_way.discard)
        return await asyncio.shield(task)

    def tell(self, notice: Notice) -> None:
        """Show a toast."""
        tell(self.app, notice)

    def start(
        self,
        intents: Sequence[Intent],
        approved: Callable[[], None] = unheard,
        ended: Callable[[Ended], None] = unheard,
    ) -> None:
        """Begin the path for these intents, which are confirmed together; `approved` hears of a yes."""
        if intents:
            wishes = [wish_for(intent) for intent in intents]
            self.run(self._follow(wishes, Listener(approved, ended)))

    def create(
        self,
        fields: Mapping[str, JSON],
        listener: Listener = NOBODY,
        workspace: Workspace | None = None,
    ) -> None:
        """Begin the path for a new flag with these fields, in this project or the `workspace` of another."""
        here = workspace or self._desk.workspace
        if here is not None:
            self.run(self._create(fields, here, listener))

    async def _create(self, fields: Mapping[str, JSON], workspace: Workspace, listener: Listener) -> None:
        key, rows = as_text(fields.get("key")), workspace.flags.rows
        try:
            deleted = {one.key: one.id for one in await recent_deletions(workspace.client.flags)}
        except ApiError:
            # Not every key may read the activity; the warning is lost then, not the flag.
            deleted = {}
        similar = similar_keys(key, (row.key for row in rows))
        context = Context(
            now=self._desk.session.clock(), me=workspace.me, similar=similar, names=self._desk.names
        )
        found = plan_create(fields, Taken(rows, deleted), context, listener.told)
        if isinstance(found, Blocked):
            self._tell(explain.explain_blocked(found, key or "new flag"))
        else:
            ended = await self._confirm([found], {}, workspace, listener)
            refused = key_refused(ended.outcomes) if ended else None
            if refused is not None and await self.signing_in.ask(refused):
                await self._create(fields, workspace, listener)

    def look_back(self) -> None:
        """Find out what became of changes that an earlier run left open in this project."""
        self.app.run_worker(self._look_back(), group="changing")

    async def _look_back(self) -> None:
        workspace = self._desk.workspace
        if workspace is None:
            return
        here, journal = self._desk.signature(workspace), self._desk.session.journal
        try:
            found = await recover(journal, workspace.client.flags, here)
            beside = await recover_asides(journal, workspace.client, here)
        except JournalUnwritable as fault:
            self._tell(Notice(f"The journal cannot be written: {fault}", "error"))
            return
        for one in found:
            self._tell(explain.explain_found(one))
        for aside in beside:
            is_known = aside.truth in ("is done", "was not done")
            self._tell(explain.left_open(aside.words, is_known=is_known))

    def undo(self) -> None:
        """Take back the newest change of this person here, or all that were confirmed together with it."""
        self.run(self._undo())

    def undo_entry(self, entry: Entry) -> None:
        """Take back one earlier change of this person here, whatever came after it."""
        self.run(self._undo_entry(entry))

    def revert(self, entry: Activity, ended: Callable[[Ended], None] = unheard) -> None:
        """Take back anybody's change of a flag, unless the same thing was changed since."""
        if entry.record_id is not None:
            wish = wish_reverted(entry.record_id, entry)
            self.run(self._follow([wish], Listener(ended=ended)))

    async def _undo_entry(self, entry: Entry) -> None:
        entry = as_left(entry, await asyncio.to_thread(self._desk.session.journal.entries))
        project = project_of(entry)
        workspace = self._workspace(project)
        if workspace is None:
            return
        listener = NOBODY
        if project is not None:
            entry, name = as_creation(entry), as_text(entry.after.get("project_name"))
            listener = Listener(place=name or f"project #{project}", project=project)
        await self._follow([wish_undone(entry, self._desk.signature(workspace))], listener)

    async def undo_part(self, entry: Entry, undoes: str) -> bool:
        """Take back what a step of its experiment did to a flag. Only within `run`.

        True when the flag is as it was; `undoes` names the whole step when nothing of it is left then.
        """
        workspace = self._desk.workspace
        if workspace is None:
            return False
        wish = wish_undone(entry, self._desk.signature(workspace))
        found = await self._planner.plan_one(wish, workspace)
        if found is None:
            refused = self._desk.trouble
        elif isinstance(found, Plan):
            ended = await self._confirm([found], {wish.record: undoes}, workspace, NOBODY)
            if ended is None or ended.is_saved:
                return ended is not None
            refused = key_refused(ended.outcomes)
        else:
            if isinstance(found, Blocked):
                self._tell(explain.explain_blocked(found, entry.key))
            return isinstance(found, NothingToDo)
        if needs_key(refused) and await self.signing_in.ask(refused):
            return await self.undo_part(entry, undoes)
        return False

    def _workspace(self, project: int | None) -> Workspace | None:
        """That of the open project, or of another one."""
        here = self._desk.workspace
        return (
            here if here is None or project is None else workspace_in(project, here, self._desk.session.clock)
        )

    async def _undo(self) -> None:
        workspace = self._desk.workspace
        if workspace is None:
            return
        here = self._desk.signature(workspace)
        entries = await asyncio.to_thread(self._desk.session.journal.entries)
        found = last_batch(entries, here)
        copies = [entry for entry in undoable(entries, here) if project_of(entry) is not None]
        if copies and (not found or copies[0].at > found[0].at):
            await self._undo_entry(copies[0])
            return
        if not found:
            self._tell(Notice("There is nothing of yours to undo in this project."))
            return
        await self._follow([wish_undone(as_left(entry, entries), here) for entry in found])

    async def _follow(self, wishes: Sequence[Wish], listener: Listener = NOBODY) -> None:
        workspace = self._workspace(listener.project)
        if workspace is None:
            self._tell(Notice("There is no connection yet; nothing was changed.", "warning"))
            return
        plans = await self._planner.plan_all(wishes, workspace)
        if not plans:
            await self._sign_in_and_ask_again(wishes, listener)
            return
        undoes = {wish.record: wish.undoes for wish in wishes}
        ended = await self._confirm(plans, undoes, workspace, listener)
        if ended is not None and (refused := key_refused(ended.outcomes)):
            self._desk.become_troubled(refused)
            again = [wish for wish in wishes if wish.record in ended.retryable]
            await self._sign_in_and_ask_again(again, listener)
            return
        if ended is None or not ended.is_partial:
            return
        if await self.ask(ResultsScreen(ended)):
            await self._follow([wish for wish in wishes if wish.record in ended.retryable], listener)

    async def _sign_in_and_ask_again(self, wishes: Sequence[Wish], listener: Listener) -> None:
        """With another key the same question is asked anew; only the person's answer sends anything."""
        trouble = self._desk.trouble
        if needs_key(trouble) and await self.signing_in.ask(trouble):
            await self._follow(wishes, listener)

    async def _confirm(
        self, plans: Sequence[Plan], undoes: Mapping[int, str], workspace: Workspace, listener: Listener
    ) -> Ended | None:
        question = guard.guard(plans, self._desk.rules_in(listener.place))
        if isinstance(question, guard.Refused):
            self._tell(explain.explain_refusal(question))
            return None
        surface = Surface(self._desk.session.colour, self._desk.session.monotonic)
        approved = await self.ask(ConfirmScreen(question, surface))
        if approved is None:
            return None
        if question.type_this == plans[0].type_to_confirm:
            self._desk.unlock()
        listener.approved()
        ended = await self.see_through(self._saver.save(approved, workspace, undoes))
        listener.ended(ended)
        return ended

    def _tell(self, notice: Notice) -> None:
        tell(self.app, notice)
