"""Seeing what others did without loading everything again."""

from datetime import UTC, datetime
from typing import Any

import httpx
import pytest
from tests.doubles.servers import MakeClient, StillClock, always

from flagtui.api.flag_changes import Differences, Mark, changes_since, complete_mark, take_mark
from flagtui.api.flags import Flags
from flagtui.app.shell.polling import next_poll, next_retry


def stamp(moment: float) -> str:
    return datetime.fromtimestamp(moment, UTC).isoformat()


class Project:
    """A server with flags that another person changes."""

    def __init__(self, clock: StillClock, count: int = 300, *, has_feed: bool = True) -> None:
        self.clock = clock
        self.has_feed = has_feed
        self.feed: list[dict[str, Any]] = []
        self.ignores_order = False
        self.paths: list[str] = []
        began = clock.now - 10_000
        self.flags: dict[int, dict[str, Any]] = {
            id: {"id": id, "key": f"f{id}", "updated_at": stamp(began + id)} for id in range(1, count + 1)
        }

    def change(self, id: int, **fields: Any) -> None:
        self.clock.now += 1
        now = stamp(self.clock.now)
        flag = self.flags.get(id) or {"id": id, "key": f"f{id}", "created_at": now}
        self.flags[id] = flag | fields | {"updated_at": now}
        self.feed.insert(0, {"id": f"e{len(self.feed)}", "item_id": str(id), "activity": "updated"})

    def answer(self, request: httpx.Request) -> httpx.Response:
        self.paths.append(request.url.path)
        query = request.url.params
        if request.url.path.endswith("/activity/"):
            if not self.has_feed:
                detail = "API key missing required scope 'activity_log:read'"
                return httpx.Response(403, json={"detail": detail})
            limit = int(query["limit"])
            more = "more" if len(self.feed) > limit else None
            return httpx.Response(200, json={"results": self.feed[:limit], "next": more})
        if request.url.path.endswith("/feature_flags/"):
            rows = [flag for flag in self.flags.values() if not flag.get("deleted")]
            if query.get("order") and not self.ignores_order:
                rows.sort(key=lambda flag: flag["updated_at"], reverse=True)
            offset, limit = int(query.get("offset", 0)), int(query["limit"])
            return httpx.Response(200, json={"count": len(rows), "results": rows[offset : offset + limit]})
        flag = self.flags.get(int(request.url.path.split("/")[-2]))
        return httpx.Response(200 if flag else 404, json=flag or {"detail": "Not found."})


class Reader:
    """Someone who has loaded the list of flags and looks what has changed since."""

    def __init__(self, flags: Flags, mark: Mark) -> None:
        self.flags = flags
        self.mark = mark

    async def look(self) -> Differences:
        changes = await changes_since(self.flags, self.mark)
        self.mark = changes.mark
        return changes


async def reading(make_client: MakeClient, project: Project) -> Reader:
    flags = make_client(project.answer).flags
    mark = await take_mark(flags)
    rows = [row async for page in flags.pages() for row in page.rows]
    project.paths.clear()
    return Reader(flags, complete_mark(mark, len(rows), max(row.updated_at or 0.0 for row in rows)))


@pytest.mark.parametrize(("has_feed", "rows"), [(True, 0), (False, 20)])
async def test_one_request_says_that_nothing_has_changed(
    make_client: MakeClient, clock: StillClock, has_feed: bool, rows: int
) -> None:
    project = Project(clock, has_feed=has_feed)
    project.change(3, active=True)
    reader = await reading(make_client, project)
    changes = await reader.look()
    assert (len(changes.rows), changes.gone, changes.must_reload) == (rows, (), False)
    assert len(project.paths) == 1


async def test_changed_made_and_deleted_flags_are_told_apart(
    make_client: MakeClient, clock: StillClock
) -> None:
    project = Project(clock)
    reader = await reading(make_client, project)
    for id, fields in ((3, {"active": True}), (3, {"active": False}), (9, {"deleted": True})):
        project.change(id, **fields)
    project.change(777, archived=True)
    changes = await reader.look()
    assert [(row.id, row.archived) for row in changes.rows] == [(777, True), (3, False)]
    assert (changes.gone, changes.must_reload, len(project.paths)) == ((9,), False, 4)
    assert (await reader.look()).rows == ()


async def test_change_that_the_feed_shows_late_is_read(make_client: MakeClient, clock: StillClock) -> None:
    project = Project(clock)
    for id in (3, 4, 5, 6, 7):
        project.change(id)
    late = project.feed.pop(2)
    reader = await reading(make_client, project)
    project.feed.insert(2, late)
    for id in range(100, 108):
        project.change(id)
    assert [row.id for row in (await reader.look()).rows] == [*range(107, 99, -1), 5]


async def test_without_the_feed_the_newest_page_tells(make_client: MakeClient, clock: StillClock) -> None:
    project = Project(clock, has_feed=False)
    reader = await reading(make_client, project)
    assert reader.mark.recent is None
    project.change(3, active=True)
    project.change(777)
    project.flags[9] |= {"archived": True, "updated_at": project.flags[299]["updated_at"]}
    changes = await reader.look()
    assert [row.id for row in changes.rows[:2]] == [777, 3]
    assert [row.id for row in changes.rows if row.archived] == [9]
    assert not changes.must_reload
    project.change(9, deleted=True)
    assert (await reader.look()).must_reload
    reader = await reading(make_client, project)
    project.ignores_order = True
    project.change(299, active=True)
    assert (await reader.look()).must_reload


async def test_list_without_times_of_changes_is_loaded_unordered(make_client: MakeClient) -> None:
    reader = Reader(make_client(always(500)).flags, complete_mark(Mark(), 300, 0.0))
    changes = await reader.look()
    assert (changes.must_reload, changes.mark) == (True, Mark())


@pytest.mark.parametrize("has_feed", [True, False])
@pytest.mark.parametrize("changed", [30, 150])
async def test_many_changes_are_read_with_the_whole_list(
    make_client: MakeClient, clock: StillClock, has_feed: bool, changed: int
) -> None:
    project = Project(clock, has_feed=has_feed)
    reader = await reading(make_client, project)
    for id in range(1, changed + 1):
        project.change(id)
    assert (await reader.look()).must_reload
    assert len(project.paths) <= 3


async def test_a_key_that_loses_the_feed_meanwhile_goes_on_without(
    make_client: MakeClient, clock: StillClock
) -> None:
    project = Project(clock)
    reader = await reading(make_client, project)
    project.has_feed = False
    assert (await reader.look()).must_reload
    assert reader.mark.recent is None


def test_polls_and_retries_become_rare_with_time() -> None:
    assert [next_poll(idle, 30.0) for idle in (0.0, 119.0, 1_200.0, 80_000.0)] == [30, 30, 300, 600]
    assert next_poll(80_000.0, 3_600.0) == 3_600.0
    assert [next_retry(failures, 0.0, 60.0) for failures in range(1, 5)] == [5, 7.5, 10, 10]
    assert next_retry(10_000, 119.0, 60.0) == 10
    assert next_retry(14, 120.0, 60.0) == 60


@pytest.mark.parametrize("has_feed", [True, False])
async def test_idle_day_on_2000_flags_stays_under_300_requests(
    make_client: MakeClient, clock: StillClock, has_feed: bool
) -> None:
    """Load, then look until a day has passed, while colleagues change 30 flags."""
    project = Project(clock, count=2_000, has_feed=has_feed)
    began = clock.now
    reader = await reading(make_client, project)
    due = [began + 86_400 * part / 30 for part in range(1, 30)]
    while clock.now < began + 86_400:
        await clock.sleep(next_poll(clock.now - began, 30.0))
        while due and due[0] < clock.now:
            project.change(int(due.pop(0)) % 2_000 + 1)
        assert not (await reader.look()).must_reload
    assert 150 < reader.flags.connection.link.requests < 300
