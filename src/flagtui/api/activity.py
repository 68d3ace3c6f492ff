"""Who changed what, across kinds of records."""

from collections.abc import AsyncIterator
from dataclasses import dataclass

from flagtui.api.experiments import Experiments
from flagtui.api.flags import Flags
from flagtui.api.resource import Resource
from flagtui.api.urgency import Urgency
from flagtui.models.activity import Activity, ActivityPage


@dataclass(frozen=True, eq=False)
class ActivityFeeds(Resource):
    """The feeds of one project, newest first. Needs `activity_log:read`."""

    async def flags(self, *, limit: int = 10, page: int = 1) -> ActivityPage:
        """Of all flags."""
        return await Flags(self.connection, self.project).activity(limit=limit, page=page)

    async def flag(self, id: int, *, limit: int = 10, page: int = 1) -> ActivityPage:
        """Of one flag."""
        return await Flags(self.connection, self.project).activity(id, limit=limit, page=page)

    async def experiment(self, id: int, *, limit: int = 10, page: int = 1) -> ActivityPage:
        """Of one experiment, on the newest servers."""
        return await Experiments(self.connection, self.project).activity(id, limit=limit, page=page)

    async def every(self, flag: int | None = None, *, at_most: int = 1_000) -> AsyncIterator[Activity]:
        """Entry after entry, each once, asking for more as it goes, never past the end."""
        seen: set[str] = set()
        page = 1
        while len(seen) < at_most:
            urgency = Urgency.PERSON if page == 1 else Urgency.LOADING
            found = await Flags(self.connection, self.project).activity(
                flag, limit=100, page=page, urgency=urgency
            )
            fresh = [entry for entry in found.entries if entry.identity not in seen]
            for entry in fresh[: at_most - len(seen)]:
                seen.add(entry.identity)
                yield entry
            if not fresh or not found.has_more:
                return
            page += 1
