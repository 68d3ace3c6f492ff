"""The staged set of the open project: what keys add to it, what `u` removes, how rows show it."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, asynccontextmanager, contextmanager
from typing import Final, TypeVar

from flagtui.api.heavy_work import off_loop
from flagtui.app.commands.cli_equivalents import place_options
from flagtui.app.state.app_state import AppState
from flagtui.app.state.set_reading import Edits, SetReading, edit_of, state_of
from flagtui.app.state.set_steps import SetSteps, being_applied
from flagtui.changes.proposal import Proposal
from flagtui.changes.sets.change_set import ChangeSet, ChangeSetError, StagedChange
from flagtui.changes.sets.project_set import Added, StagedSet
from flagtui.changes.sets.set_progress import Identity
from flagtui.config.guard_rules import Level
from flagtui.models.json_value import JSON
from flagtui.store.kinds import BY_ENTRY, KINDS, Kind
from flagtui.store.optimistic_edits import StagedEdit, is_outdated

Written = TypeVar("Written")
HOLDER: Final = "the app"
FOLDER: Final = "sets"  # of the staged sets, below the folder of the state of the program


class Staging:
    """Keeps the staged set of the open project and its file the same; other programs may change the file.

    While it is on, this program holds the set, and keys stage instead of sending.
    """

    def __init__(self, app_state: AppState) -> None:
        self._app_state = app_state
        self._lock = ExitStack()
        self._is_held = False
        self._order = asyncio.Lock()
        """Held by a step until its end: each begins from the set that the one before left."""
        self._turn = threading.Lock()
        """Held while the set is changed: a heavy one is changed in a thread."""
        self._seen: tuple[object, ...] = ()
        """The path and the state of the file at the last look."""
        self._edits: Edits = {}
        self._shown_in: object = None  # the workspace whose rows show them
        self._steps = SetSteps()
        self._applied: set[Identity] | None = None
        """The records whose changes were applied, while the set is being applied; None at other times."""
        app_state.watch(self._look_elsewhere)

    @property
    def change_set(self) -> ChangeSet | None:
        """The staged set; None while nothing is staged."""
        return self._app_state.staged_set

    @property
    def changes(self) -> Sequence[StagedChange]:
        """The staged changes of the open project."""
        return () if self.change_set is None else self.change_set.changes

    @property
    def file(self) -> StagedSet | None:
        """The set on disk; None without an open project."""
        workspace, session = self._app_state.workspace, self._app_state.session
        if workspace is None:
            return None
        where = place_options(session.named_profile, workspace.client.project)
        discard = " ".join(("flagtui", *session.embedded_in.split(), "staged", "drop", "--all", *where))
        return StagedSet(session.state_folder / FOLDER, self._app_state.signature(workspace), HOLDER, discard)

    def _look_elsewhere(self) -> None:
        """End staging in a project that was left, before a key stages in the one that was opened."""
        if self._app_state.workspace is not self._shown_in:
            self.look()

    def look(self) -> None:
        """Read the set again when its file or the project is another; never raises."""
        staged = self.file
        if staged is None:
            if self._app_state.is_staging:
                self.end()
            self._seen, self._app_state.staged_fault = (), ""
            self._show(None)
            return
        if self._app_state.is_staging and self._app_state.session.rules.level is Level.READ_ONLY:
            self.end()
        # While a heavy set is changed, its thread reads the file, too.
        if self._turn.locked() or state_of(staged) == self._seen:
            if self._app_state.workspace is not self._shown_in:
                self._show_edits()
            return
        if self._app_state.is_staging and self._seen and self._seen[0] != staged.file.path:
            self.end()
        if not self._app_state.is_staging:
            # Another program changed the set, or it is another one.
            self._steps.forget()
        self._use(SetReading.of(staged, self._edits))

    def _use(self, reading: SetReading) -> None:
        self._seen, self._edits = reading.file_state, reading.edits
        self._app_state.staged_fault = reading.fault
        self._show(reading.change_set)

    def begin(self) -> None:
        """Stage what keys change from now on. Raises ChangeSetError for a set that is open or unreadable."""
        staged = self.file
        if staged is None or self._app_state.is_staging:
            return
        staged.read()
        self._lock.enter_context(self.hold_set())
        self._steps.forget()
        self._app_state.is_staging, self._seen = True, ()
        self.look()

    def end(self) -> None:
        """Send what keys change from now on; the set stays."""
        with self._turn:
            self._lock.close()
        self._steps.forget()
        self._app_state.is_staging = False
        self._show(self.change_set)

    async def add(
        self, plans: Sequence[Proposal], instead_of: Sequence[StagedChange] = ()
    ) -> list[StagedChange]:
        """Stage these plans; return their changes. Raises ChangeSetError, and stages nothing then."""
        limit, now = self._app_state.session.rules.bulk_limit, self._app_state.session.clock.time()

        def add(staged: StagedSet) -> Added:
            return staged.add(plans, limit, now, instead_of=instead_of)

        async with self._step():
            added = await self._change(add, *(getattr(plan, "values", None) for plan in plans))
            self._steps.keep(added.before)
        return added.changes

    @asynccontextmanager
    async def _step(self) -> AsyncIterator[None]:
        """Hold back later steps until the end. Raises ChangeSetError for a project left while it waited."""
        self.refuse_while_applying()
        staged = self.file
        async with self._order:
            if self.file != staged:
                raise ChangeSetError("elsewhere", "another project was opened before this step began")
            with self.hold_set():
                yield

    async def _change(
        self, change: Callable[[StagedSet], Written], *values: JSON, staged: StagedSet | None = None
    ) -> Written:
        """Change the file and show the set in it; with heavy values in a thread. Raises ChangeSetError."""
        staged, edits = staged or self._staged_file(), self._edits

        def change_and_read() -> tuple[Written, SetReading]:
            with self._turn:
                return change(staged), SetReading.of(staged, edits)

        earlier = (change.values for change in self.changes)
        result, reading = await off_loop(change_and_read, *values, *earlier)
        if self.file == staged:
            self._use(reading)
        else:
            self.look()
        return result

    async def step_back(self, *, is_redo: bool) -> tuple[str, bool] | None:
        """Undo the last step, or redo the one undone last. Raises ChangeSetError.

        Return its subject and whether that is staged now; None without a step.
        """
        async with self._step():
            self.look()
            if self._app_state.staged_fault:
                self._staged_file().read()
            before, now = self._current(), self._steps.next_set(is_redo=is_redo)
            if now is None:
                return None
            await self._change(lambda staged: staged.keep(now), *(each.values for each in now.changes))
            self._steps.move(before, is_redo=is_redo)
        earlier, later = ({change.identity: change for change in each.changes} for each in (before, now))
        moved = [identity for identity in earlier | later if earlier.get(identity) != later.get(identity)]
        is_staged = any(identity in later for identity in moved)
        if len(moved) != 1:
            return f"{len(moved):,} changes", is_staged
        return (later.get(moved[0]) or earlier[moved[0]]).key, is_staged

    def has_step(self, *, is_redo: bool) -> bool:
        """Return whether a step can be undone, or redone."""
        return self._steps.next_set(is_redo=is_redo) is not None

    def _current(self) -> ChangeSet:
        return self.change_set or self._staged_file().begin(self._app_state.session.clock.time())

    async def drop(self, identities: Iterable[Identity]) -> None:
        """Drop the changes of these records, as a step that can be undone. Raises ChangeSetError."""
        async with self._step():
            self._steps.keep(await self._drop(frozenset(identities)))

    async def drop_applied(self, identities: Iterable[Identity], staged: StagedSet | None) -> None:
        """Drop applied changes from their set; another project may be open by now. Raises ChangeSetError."""
        if applied := frozenset(identities):
            async with self._order:
                await self._drop(applied, staged)
            if self.file == staged:
                self._steps.drop(applied, self._current())

    async def _drop(self, dropped: frozenset[Identity], file: StagedSet | None = None) -> ChangeSet:
        """Drop the changes of these records and return the set before."""
        with self.hold_set(file):
            before = self._current()
            await self._change(
                lambda staged: staged.drop(lambda now: (it for it in now.changes if it.identity in dropped)),
                staged=file,
            )
        return before

    async def explain(self, reason: str) -> None:
        """Give the set a reason. Raises ChangeSetError."""
        async with self._step():
            await self._change(lambda staged: staged.explain(reason))

    @contextmanager
    def hold_set(self, file: StagedSet | None = None) -> Iterator[None]:
        """Keep other programs from the set until the block ends. Raises ChangeSetError."""
        if self._is_held:
            yield
            return
        with (file or self._staged_file()).hold_set():
            self._is_held = True
            try:
                yield
            finally:
                self._is_held = False

    @contextmanager
    def applying(self) -> Iterator[None]:
        """Keep keys from the set until the block ends. Raises ChangeSetError when it is being applied."""
        self.refuse_while_applying()
        self._applied = set()
        try:
            yield
        finally:
            self._applied = None

    def refuse_while_applying(self) -> None:
        """Raise ChangeSetError while the set is being applied: what is sent must not change meanwhile."""
        if self._applied is not None:
            raise being_applied()

    def mark_applied(self, identity: Identity) -> None:
        """Show the change of this record as applied; it leaves the set when the others have ended."""
        if self._applied is not None:
            self._applied.add(identity)
            self._show_edits()

    def is_applied(self, change: StagedChange) -> bool:
        """Return whether the change was applied by the application that is running."""
        return self._applied is not None and change.identity in self._applied

    def is_missing(self, change: StagedChange) -> bool:
        """Return whether the whole list lacks the record, which was deleted, archived or never listed."""
        workspace = self._app_state.workspace
        if workspace is None or change.is_new:
            return False
        records = workspace.collection(BY_ENTRY[change.kind].plural)
        return records.is_complete and records.server_row(change.record) is None

    def is_outdated(self, change: StagedChange) -> bool:
        """Return whether the list has a newer record than the change is based on, but for its own change."""
        if self.is_applied(change):
            return False
        workspace, kind = self._app_state.workspace, BY_ENTRY[change.kind].plural
        row = None if workspace is None else workspace.collection(kind).server_row(change.record)
        return row is not None and is_outdated(row, edit_of(change, self._edits))

    def _staged_file(self) -> StagedSet:
        staged = self.file
        assert staged is not None, "only with an open project"
        return staged

    def _show(self, change_set: ChangeSet | None) -> None:
        """Show the set in the frame, and on the rows while keys add to it."""
        self._app_state.staged_set = change_set
        self._show_edits()
        self._app_state.notify_watchers()

    def _show_edits(self) -> None:
        self._shown_in = self._app_state.workspace
        if (workspace := self._app_state.workspace) is not None:
            for kind in KINDS.values():
                workspace.collection(kind.plural).stage(self._edits_of(kind.plural))

    def _edits_of(self, kind: Kind) -> dict[int | str, StagedEdit]:
        if not self._app_state.is_staging:
            return {}
        return {
            change.record: edit_of(change, self._edits)
            for change in self.changes
            if not (change.is_new or self.is_applied(change)) and BY_ENTRY[change.kind].plural == kind
        }
