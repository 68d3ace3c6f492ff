"""Records and projects by name, of whatever list: those known here, and those the server finds."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, Final

from flagtui.api.errors import ApiError
from flagtui.app.dialogs.palette import Destination, Search
from flagtui.app.state.app_state import AppState
from flagtui.app.state.go_to import RecordLink
from flagtui.store.kinds import KINDS, Kind, RecordKind
from flagtui.store.query.language import compile_query, read_line
from flagtui.store.workspace import Workspace

MOST: Final = 20
"""Names of each kind offered at most: matching a hundred thousand is quick, listing them is not."""
PAUSE: Final = 0.25
"""Seconds without a letter after which the server is asked."""


class RecordSearch:
    """One search in the palette; results from the server are kept while it is open."""

    def __init__(
        self,
        app_state: AppState,
        go_to: Callable[[RecordLink], object],
        open_project: Callable[[int], object],
    ) -> None:
        self._app_state = app_state
        self._go_to = go_to
        self._open_project = open_project
        self._found: dict[tuple[Kind, Any], Any] = {}
        self._asked: set[str] = set()
        self._projects: Sequence[tuple[int, str]] | None = None

    def places(self, line: str) -> list[Destination]:
        """Return records of every kind whose name has these words, then projects."""
        workspace = self._app_state.workspace
        if workspace is None:
            return []
        matches = [place for kind in KINDS.values() for place in self._records(workspace, kind, line)]
        words = line.casefold().split()
        for id, name in self._projects or ():
            if all(word in name.casefold() for word in words):
                matches.append(Destination(name, f"project #{id}", partial(self._open_project, id)))
        return matches

    def _records(self, workspace: Workspace, kind: RecordKind, line: str) -> Iterator[Destination]:
        collection = workspace.collection(kind.plural)
        query = read_line(line, kind.listing.vocabulary)
        is_match = compile_query(query, now=self._app_state.session.clock.time())
        more = [
            row
            for (kind_name, id), row in self._found.items()
            if kind_name == kind.plural and collection.get(id) is None
        ]
        count = 0
        for rows in (collection.rows, more):
            for row in filter(is_match, rows):
                link = RecordLink.to(kind.plural, row)
                yield Destination(link.key, kind.name, partial(self._go_to, link))
                count += 1
                if count >= MOST:
                    return

    async def ask(self, line: str) -> Search:
        """Search the lists that are not here whole on the server, once the typing pauses."""
        word = max(line.split(), key=len, default="")
        await self._app_state.session.clock.sleep(PAUSE)
        has_waited = self._app_state.workspace is None
        workspace = await self._wait_for_connection()
        if word in self._asked:
            return "more" if has_waited else "nothing"
        kinds = [kind for kind in KINDS.values() if not workspace.collection(kind.plural).is_complete]
        before = len(self._found), self._projects is None
        _, *searched = await asyncio.gather(
            self._learn_projects(workspace), *(self._ask(workspace, kind.plural, word) for kind in kinds)
        )
        if not all(searched):
            return "incomplete"
        self._asked.add(word)
        has_more = has_waited or before != (len(self._found), self._projects is None)
        return "more" if has_more else "nothing"

    async def _wait_for_connection(self) -> Workspace:
        """Wait for the connection: the palette may be open before it."""
        is_changed = asyncio.Event()
        stop = self._app_state.watch(is_changed.set)
        try:
            while self._app_state.workspace is None:
                await is_changed.wait()
                is_changed.clear()
            return self._app_state.workspace
        finally:
            stop()

    async def _ask(self, workspace: Workspace, kind: Kind, word: str) -> bool:
        """Keep the rows of this name; return whether the list could be searched."""
        try:
            page = await workspace.operations(kind).page({"search": word[:200], "limit": MOST})
        except ApiError:
            # The user did not request this list; the palette works with loaded records.
            return False
        self._found |= {(kind, row.id): row for row in page.rows}
        return True

    async def _learn_projects(self, workspace: Workspace) -> None:
        if self._projects is not None:
            return
        try:
            projects = await workspace.client.projects.list()
        except ApiError:
            self._projects = ()
            return
        here = workspace.client.project
        self._projects = [(project.id, project.label) for project in projects if project.id != here]
