"""One profile and project: its lists, who we are there, and bringing both up to date."""

import asyncio
import time
from collections.abc import Callable, Coroutine
from functools import cached_property, partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

from flagtui.api.errors import ApiError, NotSignedIn
from flagtui.models.rows import EventDefinitionRow, ExperimentRow, FlagRow
from flagtui.store.collection import Collection
from flagtui.store.kinds import KINDS, Kind, RecordKind
from flagtui.store.load_progress import Loaded, State
from flagtui.store.record_list import Loading, RecordList
from flagtui.store.snapshots import Snapshot, SnapshotPlace, Snapshots

if TYPE_CHECKING:
    from flagtui.api import Client
    from flagtui.models.account import KeyInfo, Me, Project
    from flagtui.store.activity_feed import ActivityFeed

_NO_SNAPSHOTS: Final = Snapshots(None)


def recall_rows(snapshots: Snapshots, place: SnapshotPlace) -> Snapshot[Any] | None:
    """The list as it was at the end of the last run; None when that is not known."""
    return snapshots.load(place, KINDS[place.kind].row)


class Workspace:
    """Everything known about one project of one host. Another project is another workspace."""

    def __init__(
        self,
        client: "Client",
        *,
        profile: str = "",
        snapshots: Snapshots = _NO_SNAPSHOTS,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.client = client
        self.profile = profile
        self.unresolved = 0
        """How many changes have no known outcome yet."""
        self._lists = {
            kind.plural: RecordList[Any](
                partial(self._operations_of, kind), {"order": kind.order} if kind.order else {}, clock
            )
            for kind in KINDS.values()
        }
        self.flags: Collection[FlagRow] = self.collection("flags")
        self.experiments: Collection[ExperimentRow] = self.collection("experiments")
        self.events: Collection[EventDefinitionRow] = self.collection("events")
        self.me: Me | None = None
        self.key: KeyInfo | None = None
        self.project: Project | None = None
        self.unknown: dict[str, ApiError] = {}
        """Why `me`, `key` or `project` is not known, by that name."""
        self._snapshots = snapshots
        self._clock = clock

    @cached_property
    def activity(self) -> "ActivityFeed":
        """Who changed which flag; created and read on first use."""
        from flagtui.store.activity_feed import ActivityFeed

        return ActivityFeed(lambda limit, page: self.client.flags.activity(limit=limit, page=page))

    @property
    def organization(self) -> str:
        """The name of the organisation the project is in; empty while it is not known."""
        if self.me is None:
            return ""
        known = [*self.me.organizations, *([self.me.organization] if self.me.organization else [])]
        wanted = self.project.organization if self.project else ""
        found = next((each for each in known if each.id == wanted), self.me.organization)
        return found.name if found else ""

    @property
    def people(self) -> dict[int, str]:
        """Everybody known here by number: who holds the key, who owns events, who made flags."""
        found: dict[int | None, str] = {}
        for kind in KINDS.values():
            number_and_name = attrgetter(f"{kind.owner}_id", kind.owner)
            people = map(number_and_name, self.collection(kind.plural).rows)
            found |= {number: name for number, name in people if name}
        if self.me is not None:
            found[self.me.id] = self.me.email or self.me.label
        return {number: name for number, name in found.items() if number is not None}

    @property
    def now(self) -> float:
        """Unix seconds by the server's clock, from which its records are dated."""
        return self._clock() + self.loading("flags").server_ahead

    def in_project(self, project: int) -> "Workspace":
        """Another project of the same server, for what is done there: only what is asked for is read."""
        there = Workspace(self.client.for_project(project), profile=self.profile, clock=self._clock)
        there.me = self.me
        return there

    def allows(self, scope: str) -> bool:
        """Whether the key has the scope. True while that is not known: then the server decides."""
        return self.key is None or self.key.allows(scope)

    async def settle(self) -> None:
        """Finds out which project is meant, so that a click in a browser cannot move us to another.

        Raises ApiError.
        """
        if self.client.project == "@current":
            self.client = self.client.for_project(await self.client.projects.current())

    async def load_identity(self) -> None:
        """Learns who we are, what the key may do and which project this is, each as far as the key allows.

        Raises NotSignedIn when the server does not know the key. What else went wrong is in `unknown`.
        """
        asked = (
            self._learn("me", self.client.people.me()),
            self._learn("key", self.client.people.key()),
            self._learn("project", self.client.projects.get(self.client.project)),
        )
        self.me, self.key, self.project = await asyncio.gather(*asked)

    def watch(self, told: Callable[[], None]) -> tuple[Callable[[], None], ...]:
        """Calls `told` after every change of a list; the answers stop that."""
        lists = self._lists.values()
        return tuple(watched.watch(told) for one in lists for watched in (one.collection, one.loading))

    def recall(self, kind: Kind = "flags", known: Snapshot[Any] | None = None) -> bool:
        """Shows the list as it was at the end of the last run; False when that is not known.

        `known` was read before there was a client; rows of another place are not taken.
        """
        place = self._place(kind)
        found = known if known is not None and known.place == place else recall_rows(self._snapshots, place)
        if found is None:
            return False
        self._lists[kind].loading.recall(found.rows, found.taken_at)
        return True

    def as_of(self, moment: float, kind: Kind = "flags") -> Snapshot[Any] | None:
        """The list as it was known at that moment, Unix seconds; None when no copy is that old."""
        return self._snapshots.load_before(self._place(kind), KINDS[kind].row, moment)

    def copies(self, kind: Kind = "flags") -> tuple[float, ...]:
        """When the copies were taken that can be compared with, oldest first."""
        return self._snapshots.moments(self._place(kind))

    def loading(self, kind: Kind) -> Loading[Any]:
        """How the list of this kind arrives, and how current it is."""
        return self._lists[kind].loading

    def listed(self, kind: Kind) -> int:
        """How many records are here that are neither archived nor deleted."""
        return self._lists[kind].listed

    def _operations_of(self, kind: RecordKind) -> Any:
        return getattr(self.client, kind.operations)

    def operations(self, kind: Kind) -> Any:
        """The group of the client's operations on records of this kind."""
        return self._operations_of(KINDS[kind])

    def collection(self, kind: Kind) -> Collection[Any]:
        """The records of this kind."""
        return self._lists[kind].collection

    async def compare(self, kind: Kind) -> None:
        """Brings a complete list without a feed up to date, usually for one request. Raises ApiError."""
        if await self._lists[kind].compare():
            await self.refresh(kind)

    async def refresh(self, kind: Kind = "flags", *, is_asked: bool = False, resume: bool = False) -> State:
        """Loads the list again, or what is missing of it, and keeps a copy of it on disk."""
        state = await self._lists[kind].loading.run(is_asked=is_asked, resume=resume)
        if isinstance(state, Loaded):
            await asyncio.to_thread(self.keep, kind)
        return state

    async def load_archived(self, kind: Kind = "flags") -> State:
        """Adds the archived records, which the server leaves out of its list."""
        records = self._lists[kind]
        return await records.archived.run() if KINDS[kind].has_archive else records.loading.state

    async def search_server(self, kind: Kind, word: str) -> int:
        """While pages are missing, adds what the server finds for a word; how many rows are new."""
        return await self._lists[kind].search(word)

    def keep(self, kind: Kind = "flags") -> bool:
        """Writes the list to disk as the server last said it; False when nothing is kept.

        Of a list that was cut nothing is: a copy is complete.
        """
        records = self._lists[kind]
        rows, loaded_at = records.collection.said_rows, records.loading.loaded_at
        if loaded_at is None or records.loading.too_long is not None:
            return False
        return self._snapshots.save(self._place(kind), rows, KINDS[kind].row, taken_at=loaded_at)

    def why_not_kept(self, kind: Kind) -> str:
        """Return why there is no copy on disk of the list as it is now; empty when there is."""
        return self._snapshots.why_not_kept(self._place(kind))

    def _place(self, kind: Kind) -> SnapshotPlace:
        return SnapshotPlace(self.profile, str(self.client.host), str(self.client.project), kind)

    async def _learn(self, name: str, asking: Coroutine[Any, Any, Any]) -> Any:
        try:
            found = await asking
        except NotSignedIn:
            raise
        except ApiError as error:
            self.unknown[name] = error
            return getattr(self, name)
        self.unknown.pop(name, None)
        return found
