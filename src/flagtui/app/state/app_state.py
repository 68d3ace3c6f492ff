"""What every screen shares: where we are, what we believe, how far it can be trusted. Knows no widgets."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from flagtui.api.errors import ApiError
from flagtui.app.state.session import Session
from flagtui.models.names import NO_NAMES, Names
from flagtui.store.snapshots import SnapshotPlace
from flagtui.store.workspace import EarlierRows, Kind, Workspace, recall_rows

if TYPE_CHECKING:
    from flagtui.changes.journal_entries import Signature
    from flagtui.config.guard_rules import GuardRules
    from flagtui.details.flag_inspector import Inspector
    from flagtui.models.flag import Flag

MINUTE: Final = 60.0

Watcher = Callable[[], None]


@dataclass(eq=False)
class AppState:
    """One per running app. After a change of its attributes call `tell`."""

    session: Session
    workspace: Workspace | None = None
    inspector: Inspector | None = None
    recalled: EarlierRows | None = None
    """Rows of an earlier run, which are shown while there is no connection yet."""
    kind: Kind = "flags"
    """The list in front, which is the one that is kept current."""
    is_connecting: bool = False
    connection_trouble: ApiError | None = None
    """Why there is no workspace, or that the key is not accepted any more."""
    unlocked_until: float = 0.0
    """Until when one flag of a strict profile is confirmed without typing, by the clock that only goes on."""
    reading: str = ""
    """What is read for a question that is not there yet: `new-nav`. Raw."""
    refreshes: int = 0
    """How many loads that the person asked for have ended."""
    _watchers: list[Watcher] = field(default_factory=list)
    _followed: tuple[Watcher, ...] = ()

    def watch(self, told: Watcher) -> Watcher:
        """Call `told` after every change; the result stops that."""
        self._watchers.append(told)
        return lambda: self._watchers.remove(told) if told in self._watchers else None

    def recall(self) -> None:
        """Show the list in front as it was at the end of the last run, where it is known which that is."""
        session = self.session
        project = session.last_project if session.project == "@current" else session.project
        if session.origin and project:
            place = SnapshotPlace(session.profile, session.origin, str(project), self.kind)
            self.recalled = recall_rows(session.snapshots, place)

    def recalled_rows(self, kind: Kind) -> tuple[Any, ...]:
        """The rows of an earlier run, if they are of this kind."""
        recalled = self.recalled
        return recalled.rows if recalled is not None and recalled.place.kind == kind else ()

    @property
    def trouble(self) -> ApiError | None:
        """Why there is no workspace, or why the list in front may be out of date."""
        if self.connection_trouble is not None or self.workspace is None:
            return self.connection_trouble
        return self.workspace.loading(self.kind).trouble

    def tell(self) -> None:
        """Something is different now."""
        for told in tuple(self._watchers):
            told()

    def page_of(self, kind: Kind, id: int | str) -> str:
        """The address of the record's page as a link; empty where the terminal or the server has none."""
        from flagtui.text.addresses import link_to
        from flagtui.text.links import is_own, shows_links

        if self.workspace is None or not shows_links(os.environ):
            return ""
        client = self.workspace.client
        link = link_to(client, kind, id)
        return link if is_own(link, str(client.host)) else ""

    def now(self) -> float:
        """Unix seconds of the running minute, so that everything on screen tells the same ages."""
        return self.session.clock() // MINUTE * MINUTE

    @property
    def rules(self) -> GuardRules:
        """The profile's, and whether it is unlocked at the moment."""
        session = self.session
        return replace(session.rules, is_unlocked=session.monotonic() < self.unlocked_until)

    def rules_in(self, place: str) -> GuardRules:
        """The same with where it happens, when that is not the project on screen."""
        rules = self.rules
        return replace(rules, place=f"{rules.place} › {place}") if place else rules

    @property
    def names(self) -> Names:
        """What groups and cohorts are called, as far as anybody had to know."""
        return self.inspector.names if self.inspector else NO_NAMES

    def names_about(self, flag: Flag | None) -> Names:
        """The same, with the flags that this one asks for."""
        names, workspace = self.names, self.workspace
        if workspace is None or flag is None:
            return names
        from flagtui.details.flag_names import names_about

        return names_about(flag, names, workspace.flags.rows, is_complete=workspace.flags.is_complete)

    def unlock(self) -> None:
        """A key was typed in full; for as long as the profile says, that counts for the next flags too."""
        self.unlocked_until = self.session.monotonic() + self.session.unlock

    def become_troubled(self, trouble: ApiError | None) -> None:
        """Why there is no connection, or that there is one."""
        self.connection_trouble = trouble
        if trouble is not None:
            self.recalled = None
        self.tell()

    def follow(self, *stops: Watcher) -> None:
        """Remember how to stop watching this workspace."""
        self._followed = stops

    def leave_workspace(self) -> None:
        """Stop listening to the workspace that was shown."""
        for stop in self._followed:
            stop()
        self._followed = ()
        self.workspace = self.inspector = self.connection_trouble = self.recalled = None

    def signature(self, workspace: Workspace) -> Signature:
        """What the journal says of us and of where we are."""
        from flagtui.changes.journal_entries import Signature

        me = workspace.me
        return Signature(
            by=(me.email or me.label) if me else "",
            profile=self.session.profile,
            host=str(workspace.client.host),
            project=str(workspace.client.project),
        )
