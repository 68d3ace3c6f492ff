"""The scheduled changes of a project: read once, kept while they are true, not known before."""

from typing import Any, cast

from flagtui.api import Client
from flagtui.api.errors import ApiError, Forbidden, Unreachable
from flagtui.models.flag_responses import ScheduledChange
from flagtui.models.rows import FlagRow
from flagtui.store.finder import Finder
from flagtui.store.query.vocabulary import Outside
from flagtui.store.schedule import AFTER_FAULT, MAX_AGE, FlagSchedule
from flagtui.store.sort_orders import Sort
from flagtui.text.schedule_words import scheduled_in_short

NOON = 1_772_366_400.0
HOUR = 3_600


def change(flag: int, at: str, **more: Any) -> dict[str, Any]:
    payload = {"operation": "update_status", "value": False}
    return {"id": flag, "record_id": str(flag), "scheduled_at": at, "payload": payload} | more


CHANGES = (
    change(1, "2026-03-01T15:00:00Z"),
    change(1, "2026-03-01T13:00:00Z"),
    change(2, "2026-03-05T12:00:00Z", payload={"operation": "add_release_condition", "value": {}}),
    change(3, "2026-03-01T11:00:00Z", executed_at="2026-03-01T11:00:05Z"),
    change(4, "2026-03-02T12:00:00Z", recurrence_interval="daily", is_recurring=False),
    change(5, "2026-03-02T12:00:00Z", record_id="\u00b2"),
)


class Server:
    """The server's schedule, or the error it answers."""

    def __init__(self, error: ApiError | None = None) -> None:
        self.now = NOON
        self.requests = 0
        self.error = error
        self.schedule = self

    async def all(self, _filters: object) -> tuple[ScheduledChange, ...]:
        self.requests += 1
        if self.error is not None:
            raise self.error
        return tuple(map(ScheduledChange.of, CHANGES))


def schedule_of(server: Server) -> FlagSchedule:
    return FlagSchedule(cast(Client, server), lambda: server.now)


async def test_one_request_gives_the_next_change_of_every_flag() -> None:
    server = Server()
    schedule = schedule_of(server)
    assert (schedule.due, schedule.is_outdated) == (None, True)
    await schedule.read()
    assert schedule.due == {1: NOON + HOUR, 2: NOON + 4 * 24 * HOUR}
    assert (server.requests, schedule.is_outdated) == (1, False)
    assert set(schedule.changes) == {1, 2}, "a paused one is not due"
    assert scheduled_in_short(schedule.changes[1], NOON) == "+1h off, 1 more"
    assert scheduled_in_short(schedule.changes[2], NOON) == "+4d +condition"


async def test_schedule_is_read_again_once_it_may_be_untrue() -> None:
    server = Server()
    schedule = schedule_of(server)
    await schedule.read()
    schedule.invalidate()
    assert schedule.is_outdated
    await schedule.read()
    server.now += MAX_AGE + 1
    assert schedule.is_outdated
    server.now = NOON + HOUR - 10
    await schedule.read()
    assert not schedule.is_outdated
    server.now += 20
    assert schedule.is_outdated


async def test_schedule_that_cannot_be_read_stays_unknown() -> None:
    server = Server(Unreachable("No connection."))
    schedule = schedule_of(server)
    await schedule.read()
    assert (schedule.due, schedule.trouble, schedule.is_outdated) == (None, server.error, False)
    server.now += AFTER_FAULT + 1
    assert schedule.is_outdated
    server.error = Forbidden("403")
    await schedule.read()
    server.now += AFTER_FAULT + 1
    assert not schedule.is_outdated


def test_flags_are_found_and_sorted_by_the_schedule() -> None:
    rows = [FlagRow(1, "a"), FlagRow(2, "b"), FlagRow(3, "c")]
    finder: Finder[FlagRow] = Finder(rows, sort=Sort("due"), clock=lambda: NOON)
    assert len(finder.find("due:any")) == 3
    assert "not read yet" in finder.problems[0].reason
    finder.set_outside(Outside(due={1: NOON + 2 * HOUR, 2: NOON + HOUR}))

    def keys(line: str) -> list[str]:
        return [rows[at].key for at in finder.find(line)]

    expected = {"": "bac", "due:any": "ba", "due:none": "c", "due:<90m": "b", "-due:any": "c"}
    assert {line: "".join(keys(line)) for line in expected} == expected
    assert finder.problems == []
