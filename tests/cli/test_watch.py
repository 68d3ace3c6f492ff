"""`flagtui watch`: each change once and in order, whatever happens to the connection meanwhile."""

import json
import random
import sys
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.cli.conftest import Run
from tests.doubles.servers import MakeClient, StillClock, clock, make_client

from flagtui import local_time
from flagtui.api import Client
from flagtui.cli.activity_watch import UnheardChanges, followed
from flagtui.cli.project_session import ProjectSession

__all__ = ["clock", "make_client"]
CHANGES = 10_000


class Log:
    """An activity log that grows while it is read, on a server that fails now and then."""

    def __init__(self, seed: int, clock: StillClock) -> None:
        self.entries: list[dict[str, Any]] = []
        self.random = random.Random(seed)
        self.clock = clock
        self.grow(150)

    def grow(self, count: int) -> None:
        for _ in range(min(count, CHANGES + 150 - len(self.entries))):
            number = len(self.entries)
            change = {
                "type": "FeatureFlag",
                "action": "changed",
                "field": "active",
                "before": True,
                "after": False,
            }
            self.entries.append(
                {
                    "id": f"e{number}",
                    "activity": "updated",
                    "item_id": str(number),
                    "detail": {"name": f"flag-{number}", "changes": [change]},
                    "created_at": local_time.iso(self.clock.now),
                }
            )

    def answer(self, request: httpx.Request) -> httpx.Response:
        fate = self.random.random()
        if fate < 0.05:
            raise httpx.ConnectError("refused")
        if fate < 0.1:
            return httpx.Response(502)
        query = request.url.params
        limit, page = int(query["limit"]), int(query["page"])
        newest = self.entries[::-1][(page - 1) * limit : page * limit]
        has_more = page * limit < len(self.entries)
        body = {"results": newest, "total_count": len(self.entries), "next": "there" if has_more else None}
        self.grow(self.random.choice((0, 0, 1, 3, 250)))
        return httpx.Response(200, json=body)


def session_of(client: Client) -> ProjectSession:
    return ProjectSession(None, client)  # type: ignore[arg-type]  # no profile is asked for here


@pytest.mark.parametrize("seed", range(3))
async def test_ten_thousand_changes_by_others_are_told_once_each_and_in_order(
    seed: int, clock: StillClock, make_client: MakeClient
) -> None:
    log = Log(seed, clock)
    told: list[str] = []
    begun = len(log.entries)
    async for row in followed(UnheardChanges(session_of(make_client(log.answer))), 5.0):
        told.append(row.id)
        if len(told) == 1:
            begun = int(row.id[1:])
        if row.id == f"e{CHANGES + 149}":
            break
    assert told == [f"e{number}" for number in range(begun, CHANGES + 150)]
    assert begun >= 150


async def test_a_beginning_in_the_past_tells_what_was_changed_since(
    clock: StillClock, make_client: MakeClient
) -> None:
    log = Log(1, clock)
    log.random = random.Random(0)
    begun = clock.now + 60
    clock.now += 120
    log.grow(2)
    told: list[str] = []
    async for row in followed(UnheardChanges(session_of(make_client(log.answer)), begun), 5.0):
        told.append(row.id)
        if len(told) == 2:
            break
    assert told == ["e150", "e151"]


def test_a_program_gets_each_change_and_no_shell_reads_it(signed_in: Run, tmp_path: Path) -> None:
    heard = tmp_path / "heard.json"
    program = f"{sys.executable} -c \"import sys; open(r'{heard}', 'a').write(sys.stdin.read())\""
    done = signed_in("watch", "--since", "30d", "--count", "2", "--exec", program, "--json")
    assert done.code == 0, done.err
    printed = [json.loads(line) for line in done.out.splitlines()]
    assert [json.loads(line) for line in heard.read_text().splitlines()] == printed
    assert printed[0]["at"] <= printed[1]["at"]
    assert signed_in("watch", "--exec", "no-such-program-here").code == 2
    assert signed_in("watch", "is:nonsense").code == 2
    assert signed_in("watch", "--since", "soon").code == 2
