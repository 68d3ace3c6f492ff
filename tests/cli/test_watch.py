"""`flagtui watch`: each change once and in order, whatever happens to the connection meanwhile."""

import json
import os
import random
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path
from queue import Queue
from typing import IO, Any

import httpx
import pytest
from fastjsonschema import JsonSchemaException
from tests.cli.conftest import Run, require_done
from tests.cli.processes import run_apart
from tests.doubles.json_schema import validate
from tests.doubles.killed_service import KEY as STORM_KEY
from tests.doubles.killed_service import Storm
from tests.doubles.servers import MakeClient, StillClock, clock, make_client
from tests.doubles.slices import at_most

from flagtui import local_time
from flagtui.api import Client
from flagtui.api.limits import PER_SECOND
from flagtui.cli.commands.watch import LATE, PAGE, UnheardChanges, follow
from flagtui.cli.plumbing.project_session import ProjectSession
from flagtui.cli.records.activity_records import ACTIVITY

__all__ = ["clock", "make_client"]
CHANGES = at_most(1_500, 10_000)
SERVED_CHANGES = int(os.environ.get("FLAGTUI_CHANGES", at_most(40, 200)))
"""`make check-watch` makes ten thousand."""


class Log:
    """An activity log that grows while it is read, on a server that fails now and then."""

    def __init__(self, seed: int, clock: StillClock, *, is_steady: bool = False) -> None:
        self.entries: list[dict[str, Any]] = []
        self.random = random.Random(seed)
        self.clock = clock
        self.refused_until = 0.0
        self.has_begun = False
        """Whether the reader has got its first entries: a web page before that is of another host."""
        self.is_steady = is_steady
        """Whether it neither fails nor grows by itself."""
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
            detail = {"name": f"flag-{number}", "changes": [change]}
            entry = {"id": f"e{number}", "activity": "updated", "item_id": str(number), "detail": detail}
            self.entries.append({**entry, "created_at": local_time.iso(self.clock.now)})

    def answer(self, request: httpx.Request) -> httpx.Response:
        fate = 1.0 if self.is_steady else self.random.random()
        if fate < 0.05:
            raise httpx.ConnectError("refused")
        if fate < 0.1:
            return httpx.Response(502)
        if fate < 0.12 and self.has_begun:
            return httpx.Response(self.random.choice((200, 404)), html="<p>We are back in a moment.")
        if fate < 0.15:
            self.refused_until = self.clock.now + 60
        if self.clock.now < self.refused_until:
            return httpx.Response(429, headers={"Retry-After": "20"})
        query = request.url.params
        limit, page = int(query["limit"]), int(query["page"])
        newest = self.entries[::-1][(page - 1) * limit : page * limit]
        has_more = page * limit < len(self.entries)
        body = {"results": newest, "total_count": len(self.entries), "next": "there" if has_more else None}
        if not self.is_steady:
            self.grow(self.random.choice((0, 0, 1, 3, 250)))
        return httpx.Response(200, json=body)


def session_of(client: Client) -> ProjectSession:
    return ProjectSession(None, client)  # type: ignore[arg-type]  # no profile is asked for here


@pytest.mark.parametrize("seed", range(at_most(1, 3)))
async def test_changes_by_others_are_listed_once_each_in_order(
    seed: int, clock: StillClock, make_client: MakeClient
) -> None:
    log = Log(seed, clock)
    ids: list[str] = []
    begun = len(log.entries)
    async for row in follow(UnheardChanges(session_of(make_client(log.answer))), 5.0):
        log.has_begun = True
        ids.append(row.id)
        if len(ids) == 1:
            begun = int(row.id[1:])
        if row.id == f"e{CHANGES + 149}":
            break
    assert ids == [f"e{number}" for number in range(begun, CHANGES + 150)]
    assert begun >= 150


async def test_a_beginning_in_the_past_tells_what_was_changed_since(
    clock: StillClock, make_client: MakeClient
) -> None:
    log = Log(1, clock)
    log.random = random.Random(0)
    begun = clock.now + 60
    clock.now += 120
    log.grow(2)
    ids: list[str] = []
    async for row in follow(UnheardChanges(session_of(make_client(log.answer)), begun), 5.0):
        ids.append(row.id)
        if len(ids) == 2:
            break
    assert ids == ["e150", "e151"]


async def test_no_older_change_is_news_when_newer_ones_vanish(
    clock: StillClock, make_client: MakeClient
) -> None:
    log = Log(1, clock, is_steady=True)
    for _ in range(300):
        clock.now += 1
        log.grow(1)
    feed = UnheardChanges(session_of(make_client(log.answer)))
    assert await feed.news() == []
    del log.entries[-150:]
    clock.now += 1
    log.grow(1)
    log.entries[-1]["id"] = "new"
    assert [entry.id for entry in await feed.news()] == ["new"]


async def test_change_shown_late_or_twice_is_reported_once(
    clock: StillClock, make_client: MakeClient
) -> None:
    log = Log(1, clock, is_steady=True)
    late = log.entries.pop(-LATE)
    feed = UnheardChanges(session_of(make_client(log.answer)))
    assert await feed.news() == []
    log.entries.insert(-LATE + 1, late)
    log.grow(3)
    log.entries += log.entries[-2:]
    assert [entry.id for entry in await feed.news()] == [late["id"], "e150", "e151", "e152"]
    assert await feed.news() == []


PATIENCE = 150.0 + SERVED_CHANGES / PAGE / PER_SECOND
"""Seconds: after so many kills the client may rest for two minutes, and then for each page."""


def hear(lines: IO[str], heard: "Queue[str]") -> None:
    for line in lines:
        heard.put(line)


def test_watch_reports_changes_once_in_order_across_service_kills(home: Path, tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        storm = Storm(tmp_path / "x.db", free.getsockname()[1])
    storm.kill_once(0.2)
    command = [sys.executable, "-m", "flagtui", "watch", "--since", "1d", "--every", "0.2", "--ndjson"]
    host = f"http://127.0.0.1:{storm.port}"
    where = {**os.environ, "FLAGTUI_HOST": host, "FLAGTUI_API_KEY": STORM_KEY, "FLAGTUI_PROJECT": "1"}
    heard: Queue[str] = Queue()
    with subprocess.Popen(command, env=where, stdout=subprocess.PIPE, text=True) as watching:
        reader = threading.Thread(target=hear, args=(watching.stdout, heard))
        reader.start()
        try:
            while storm.writes < SERVED_CHANGES:
                storm.kill_once(random.uniform(0.2, 2))
            changes = storm.changes()
            with storm.serving():
                ids = [json.loads(heard.get(timeout=PATIENCE))["id"] for _ in changes]
                watching.send_signal(signal.SIGINT)
                assert watching.wait(20) == 130
        finally:
            watching.kill()
        reader.join()
    assert sorted(ids) == sorted(changes)
    # Several writers: the service dates a change before its turn to store it.
    places = {id: place for place, id in enumerate(changes)}
    assert all(abs(places[id] - place) < LATE for place, id in enumerate(ids))
    assert heard.empty()


def test_a_program_gets_each_change_and_no_shell_reads_it(signed_in: Run, tmp_path: Path) -> None:
    heard = tmp_path / "heard.json"
    program = f"{sys.executable} -c \"import sys; open(r'{heard}', 'a').write(sys.stdin.read())\""
    done = require_done(signed_in("watch", "--since", "30d", "--count", "2", "--exec", program, "--json"))
    printed = [json.loads(line) for line in done.out.splitlines()]
    assert [json.loads(line) for line in heard.read_text().splitlines()] == printed
    assert printed[0]["at"] <= printed[1]["at"]


def test_queries_and_filters_narrow_what_is_watched(signed_in: Run) -> None:
    for state in ("disable", "enable", "delete", "restore"):
        assert signed_in("flags", state, "new-nav", "--yes").code == 0
    for narrow in ("kind:on", "is:deleted"):
        done = require_done(
            signed_in("watch", narrow, "flag:new-nav", "--since", "1d", "--count", "1", "--json")
        )
        assert [json.loads(line)["key"] for line in done.out.splitlines()] == ["new-nav"]
    pytest.importorskip("jq", reason="there is no wheel of jq for this Python or machine")
    words = ("watch", "--since", "30d", "--count", "2")
    keys = [json.loads(line)["key"] for line in signed_in(*words, "--json").out.splitlines()]
    assert signed_in(*words, "--jq", ".key").out.splitlines() == keys


@pytest.mark.parametrize("more", [(), ("--fields", "key,at")])
def test_lines_follow_the_line_of_the_schema(more: tuple[str, ...], signed_in: Run) -> None:
    line = ACTIVITY.schema()["$defs"]["line"]
    out = signed_in("watch", "--since", "30d", "--count", "2", "--json", *more).out
    out += signed_in("activity", "-L", "2", "--ndjson", *more).out
    documents = [json.loads(text) for text in out.splitlines()]
    assert len(documents) == 4
    for document in documents:
        validate(document, line)
    with pytest.raises(JsonSchemaException, match="more"):
        validate({**documents[0], "more": 1}, line)


def test_output_of_the_program_stays_out_of_the_json(signed_in: Run) -> None:
    assert signed_in("flags", "tag", "new-nav", "--add", "watched", "--yes").code == 0
    words = ("watch", "--since", "1d", "--count", "1", "--ndjson", "--exec", "sh -c 'echo noise; exit 3'")
    done = require_done(run_apart(*words))
    assert [json.loads(line)["schema"] for line in done.out.splitlines()] == ["activity"]
    assert "noise\n" in done.err
    assert "sh ended with 3" in done.err
