"""One profile and project: its lists, its identity, and how both are refreshed."""

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
    from flagtui.store.schedule import FlagSchedule

_NO_SNAPSHOTS: Final = Snapshots(None)
_KEEP_AGAIN: Final = 600.0
"""Seconds after which a list is saved again although no row has changed: the server confirmed it since."""


def recall_rows(snapshots: Snapshots, place: SnapshotPlace) -> Snapshot[Any] | None:
    """Return the list at the end of the last run; None when there is no snapshot."""
    return snapshots.load(place, KINDS[place.kind].row)


def _version_of(row: Any) -> object:
    return getattr(row, "version", None) or row.updated_at


class Workspace:
    """The state of one project of one host. Another project is another workspace."""

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
        """Number of changes with unknown outcome."""
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
        """Why `me`, `key` or `project` is unknown, by that name."""
        self._snapshots = snapshots
        self._kept: dict[Kind, tuple[int, float]] = {}
        """The version and the time of each list in its last snapshot."""
        self._clock = clock

    @cached_property
    def activity(self) -> "ActivityFeed":
        """Return the activity of flags; created and read on first use."""
        from flagtui.store.activity_feed import ActivityFeed

        return ActivityFeed(lambda limit, page: self.client.flags.activity(limit=limit, page=page))

    @cached_property
    def schedule(self) -> "FlagSchedule":
        """Return the scheduled changes of flags; created and read on first use."""
        from flagtui.store.schedule import FlagSchedule

        return FlagSchedule(self.client, self._clock)

    @property
    def organization(self) -> str:
        """Return the name of the project's organisation; empty while it is unknown."""
        if self.me is None:
            return ""
        organizations = [*self.me.organizations, *([self.me.organization] if self.me.organization else [])]
        id = self.project.organization if self.project else ""
        organization = next((each for each in organizations if each.id == id), self.me.organization)
        return organization.name if organization else ""

    @property
    def people(self) -> dict[int, str]:
        """Return the names of all known users by id: the key's owner, owners of events, authors of flags."""
        names: dict[int | None, str] = {}
        for kind in KINDS.values():
            number_and_name = attrgetter(f"{kind.owner}_id", kind.owner)
            people = map(number_and_name, self.collection(kind.plural).rows)
            names |= {number: name for number, name in people if name}
        if self.me is not None:
            names[self.me.id] = self.me.email or self.me.label
        return {number: name for number, name in names.items() if number is not None}

    @property
    def now(self) -> float:
        """Return Unix seconds by the server's clock, which dates its records."""
        return self._clock() + self.loading("flags").server_ahead

    def in_project(self, project: int) -> "Workspace":
        """Return a workspace of another project on the same server; it loads only requested records."""
        other = Workspace(self.client.for_project(project), profile=self.profile, clock=self._clock)
        other.me = self.me
        return other

    def allows(self, scope: str) -> bool:
        """Return whether the key has the scope. True while that is unknown: then the server decides."""
        return self.key is None or self.key.allows(scope)

    async def settle(self) -> None:
        """Resolve the project id, so that a click in a browser cannot switch this workspace to another.

        Raises ApiError.
        """
        if self.client.project == "@current":
            self.client = self.client.for_project(await self.client.projects.current())

    async def load_identity(self) -> None:
        """Load owner, scopes and project of the key, each as far as the key allows.

        Raises NotSignedIn when the server does not know the key. Other errors are in `unknown`.
        """
        requests = (
            self._load_part("me", self.client.people.me()),
            self._load_part("key", self.client.people.key()),
            self._load_part("project", self.client.projects.get(self.client.project)),
        )
        self.me, self.key, self.project = await asyncio.gather(*requests)

    def watch(self, observer: Callable[[], None]) -> tuple[Callable[[], None], ...]:
        """Call `observer` after every change of a list; return the functions that stop this."""
        lists = self._lists.values()
        return tuple(
            watched.watch(observer) for state in lists for watched in (state.collection, state.loading)
        )

    def recall(self, kind: Kind = "flags", snapshot: Snapshot[Any] | None = None) -> bool:
        """Show the list at the end of the last run; return False when there is no snapshot.

        `snapshot` was read before there was a client; rows of another place are ignored.
        """
        place = self._place(kind)
        if snapshot is None or snapshot.place != place:
            snapshot = recall_rows(self._snapshots, place)
        if snapshot is None:
            return False
        self._lists[kind].loading.recall(snapshot.rows, snapshot.taken_at)
        return True

    def as_of(self, moment: float, kind: Kind = "flags") -> Snapshot[Any] | None:
        """Return the list as of that moment, Unix seconds; None when no snapshot is that old."""
        return self._snapshots.load_before(self._place(kind), KINDS[kind].row, moment)

    def copies(self, kind: Kind = "flags") -> tuple[float, ...]:
        """Return the times of the snapshots available for comparison, oldest first."""
        return self._snapshots.moments(self._place(kind))

    def loading(self, kind: Kind) -> Loading[Any]:
        """Return the loading of this kind's list, with its age."""
        return self._lists[kind].loading

    def count_listed(self, kind: Kind) -> int:
        """Return how many records are neither archived nor deleted."""
        return self._lists[kind].listed

    def _operations_of(self, kind: RecordKind) -> Any:
        return getattr(self.client, kind.operations)

    def operations(self, kind: Kind) -> Any:
        """Return the client's group of operations on records of this kind."""
        return self._operations_of(KINDS[kind])

    def collection(self, kind: Kind) -> Collection[Any]:
        return self._lists[kind].collection

    def learn_row(self, kind: Kind, row: Any) -> None:
        """Store the row of a record that was read for its details if the listed one is of another version."""
        listed = self.collection(kind).server_row(row.id)
        if listed is not None and _version_of(listed) != _version_of(row):
            self.collection(kind).put(row)

    async def compare(self, kind: Kind) -> None:
        """Bring a complete list without a feed up to date, usually with one request. Raises ApiError."""
        if await self._lists[kind].compare():
            await self.refresh(kind)

    async def refresh(self, kind: Kind = "flags", *, is_asked: bool = False, resume: bool = False) -> State:
        """Load the list again, or its missing pages, and save a snapshot."""
        state = await self._lists[kind].loading.run(is_asked=is_asked, resume=resume)
        if isinstance(state, Loaded):
            await asyncio.to_thread(self.keep, kind)
        return state

    async def load_archived(self, kind: Kind = "flags") -> State:
        """Add the archived records, which the server omits from its list."""
        records = self._lists[kind]
        return await records.archived.run() if KINDS[kind].has_archive else records.loading.state

    async def search_server(self, kind: Kind, word: str) -> int:
        """Add the server's matches for a word while pages are missing; return how many rows are new."""
        return await self._lists[kind].search(word)

    def keep(self, kind: Kind = "flags") -> bool:
        """Save a snapshot of the list as the server last sent it; return False if it is not saved.

        A list that was cut is not saved: a snapshot is complete.
        """
        records = self._lists[kind]
        version, loaded_at = records.collection.version, records.loading.loaded_at
        if loaded_at is None or records.loading.too_long is not None:
            return False
        rows, self._kept[kind] = records.collection.server_rows, (version, loaded_at)
        return self._snapshots.save(self._place(kind), rows, KINDS[kind].row, taken_at=loaded_at)

    def keep_newer(self) -> None:
        """Save a snapshot of each loaded list that has changed, or was confirmed, since its last one."""
        for kind, records in self._lists.items():
            version, kept_at = self._kept.get(kind, (-1, 0.0))
            is_old = (records.loading.loaded_at or 0.0) - kept_at >= _KEEP_AGAIN
            is_newer = is_old or version != records.collection.version
            if is_newer and isinstance(records.loading.state, Loaded):
                self.keep(kind)

    def why_not_kept(self, kind: Kind) -> str:
        """Return why there is no snapshot of the current list; empty when there is."""
        return self._snapshots.why_not_kept(self._place(kind))

    def _place(self, kind: Kind) -> SnapshotPlace:
        return SnapshotPlace(self.profile, self.client.host.origin, str(self.client.project), kind)

    async def _load_part(self, name: str, asking: Coroutine[Any, Any, Any]) -> Any:
        try:
            result = await asking
        except NotSignedIn:
            raise
        except ApiError as error:
            self.unknown[name] = error
            return getattr(self, name)
        self.unknown.pop(name, None)
        return result
