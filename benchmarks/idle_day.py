"""What a day of an open app no one touches costs a server, in requests, hour by hour.

    python benchmarks/idle_day.py [FLAGS] [CHANGES]

Loads a project of FLAGS flags, then looks for changes for 24 hours while colleagues make CHANGES changes
spread over the day. Time is simulated; the requests are real ones to a server in this process.
"""

import asyncio
import sys
from datetime import UTC, datetime
from typing import Any

import httpx

from flagtui.api import Client
from flagtui.api.flag_changes import changes_since, complete_mark, take_mark
from flagtui.app.shell.polling import next_poll

DAY = 86_400.0
INTERVAL = 60.0
GOAL = 300


class Day:
    """A clock that moves only while a caller sleeps on it."""

    now = 1_790_000_000.0

    def time(self) -> float:
        return self.now

    def monotonic(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds


class Project(httpx.AsyncBaseTransport):
    """Flags, a feed of changes, and a count of what was asked."""

    def __init__(self, day: Day, count: int) -> None:
        self.day = day
        self.flags = {id: self.flag(id) for id in range(1, count + 1)}
        self.feed: list[dict[str, Any]] = []
        self.asked: dict[str, int] = {}

    def flag(self, id: int) -> dict[str, Any]:
        return {
            "id": id,
            "key": f"flag-{id}",
            "updated_at": datetime.fromtimestamp(self.day.now, UTC).isoformat(),
        }

    def change(self, id: int) -> None:
        self.flags[id] = self.flag(id)
        self.feed.insert(0, {"id": f"entry-{len(self.feed)}", "item_id": str(id), "activity": "updated"})

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        query, last = request.url.params, request.url.path.strip("/").rpartition("/")[2]
        if last == "activity":
            kind, body = "look", {"results": self.feed[: int(query["limit"])], "next": None}
        elif last == "feature_flags":
            offset, limit = int(query.get("offset", 0)), int(query["limit"])
            rows = list(self.flags.values())[offset : offset + limit]
            kind, body = "page", {"count": len(self.flags), "results": rows}
        else:
            kind, body = "flag", self.flags[int(last)]
        self.asked[kind] = self.asked.get(kind, 0) + 1
        return httpx.Response(200, json=body)


async def live(count: int, changes: int) -> tuple[Project, list[int], int]:
    """A day; the project, the requests in each hour, and how many changes were seen."""
    day = Day()
    project = Project(day, count)
    began, hours, seen = day.now, [0] * 24, 0
    due = [began + DAY * (part + 0.5) / changes for part in range(changes)]
    async with Client(
        "https://flags.example.test", "phx_simulated", 1, transport=project, clock=day
    ) as client:
        mark = await take_mark(client.flags)
        rows = [row async for page in client.flags.pages() for row in page.rows]
        mark = complete_mark(mark, len(rows), max(row.updated_at or 0.0 for row in rows))
        hours[0] = client.link.requests
        while day.now < began + DAY:
            await day.sleep(next_poll(day.now - began, INTERVAL))
            while due and due[0] <= day.now:
                project.change(int(due.pop(0)) % count + 1)
            before = client.link.requests
            news = await changes_since(client.flags, mark)
            mark, seen = news.mark, seen + len(news.rows)
            hours[min(int((day.now - began) / 3_600), 23)] += client.link.requests - before
    return project, hours, seen


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 2_000
    changes = int(sys.argv[2]) if len(sys.argv) > 2 else 40
    project, hours, seen = asyncio.run(live(count, changes))
    total = sum(hours)
    print(f"{count:,} flags, {changes} changes by others, looking every {INTERVAL:.0f} s at first")
    print(f"  pages of the list   {project.asked['page']:4}")
    print(f"  looks for changes   {project.asked['look']:4}")
    print(f"  changed flags read  {project.asked.get('flag', 0):4}, {seen} changes seen")
    print(f"  requests in all     {total:4} (goal: under {GOAL})")
    print("  hour by hour        " + " ".join(str(hour) for hour in hours))
    sys.exit(total >= GOAL)


if __name__ == "__main__":
    main()
