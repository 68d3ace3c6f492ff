"""Killed at every moment of a change of any kind: afterwards the journal tells the truth.

FLAGTUI_ROUNDS=1000 pytest tests/changes/test_killed_changes.py goes through every change at every moment.
"""

import contextlib
import os
import random
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import httpx
import pytest
from tests.changes.bench import GENERATIONS, HERE, Bench, working
from tests.changes.kinds import BACK, KINDS, Make, of_experiment
from tests.changes.sets.set_desk import Killed
from tests.changes.writing import Writing, approve
from tests.doubles.slices import at_most

from flagtui.changes.journal import Disk, Journal
from flagtui.changes.journal_entries import Entry
from flagtui.changes.recovery import recover_all
from flagtui.config.locations import make_folder
from flagtui.models.json_value import as_id

ROUNDS: Final = int(os.environ.get("FLAGTUI_ROUNDS", at_most(2, full=1000)))
"""At most so many kills of each change."""
CONCLUDED: Final = {"conclusion": "won", "conclusion_comment": None}
CHANGES: Final[dict[str, Make]] = {
    **KINDS,
    **{what: make for what, make in BACK.items() if what.startswith("experiment: ")},
    "end again": of_experiment("end", "concluded"),
    "reset a concluded one": of_experiment("reset", "concluded"),
    "reopen": of_experiment("reopen", "concluded", fields=CONCLUDED),
    "reopen ended": of_experiment("reopen", "stopped", fields={"end_date": None}),
    "exposure cohort": of_experiment("cohort", "running"),
}
OLDER: Final = (
    *("flag", "fields of an experiment", "new experiment", "event definition", "reopen"),
    *(
        f"experiment: {step}"
        for step in ("launch", "resume", "end", "archive", "unarchive", "reset", "delete")
    ),
)
"""What servers without words for the steps can do with one request."""


@dataclass
class Life:
    """A program that can be killed around each request and write: then nothing of it has an effect."""

    killed_at: int = 0
    moments: int = 0

    def pass_moment(self) -> None:
        self.moments += 1
        if 0 < self.killed_at <= self.moments:
            raise Killed

    def write(self, descriptor: int, data: bytes) -> int:
        """Half a line is on disk for a moment."""
        self.pass_moment()
        half = os.write(descriptor, data[: len(data) // 2])
        self.pass_moment()
        return half + os.write(descriptor, data[half:])

    def sync(self, _descriptor: int) -> None:
        self.pass_moment()


class Line(httpx.AsyncBaseTransport):
    """The way to the server, which finishes a request although the program is killed."""

    def __init__(self, inner: httpx.AsyncBaseTransport, life: Life) -> None:
        self.inner, self.life = inner, life

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.life.pass_moment()
        response = await self.inner.handle_async_request(request)
        self.life.pass_moment()
        return response


async def kill_once(what: str, killed_at: int, generation: str, folder: Path) -> int:
    """Assert what has to be true after a kill and the next start; return the moments that were passed."""
    async with working(folder, **GENERATIONS[generation]) as bench:
        prepared, life = await CHANGES[what](bench), Life(killed_at)
        began_with = bench.service.done
        bench.wire.inner = Line(bench.service, life)
        journal = Journal(folder / "journal", bench.clock.time, Disk(life.write, life.sync))
        with contextlib.suppress(Killed):
            await Writing(bench.adapter_of(prepared.plan), journal, HERE, bench.clock).save(
                approve(prepared.plan)
            )
        bench.wire.inner = bench.service
        done = bench.service.done - began_with
        # The next start, ten minutes later.
        journal = Journal(folder / "journal", clock=lambda: bench.clock.time() + 600)
        await recover_all(journal, bench.client, HERE)
        assert done <= 1, f"{what} at {killed_at}: made twice"
        entries = journal.entries()
        assert len(entries) == 1 or not done, f"{what} at {killed_at}: no line in the journal"
        for entry in entries:
            await is_true(entry, bench, is_done=bool(done))
    return life.moments


async def is_true(entry: Entry, bench: Bench, *, is_done: bool) -> None:
    """Its ending is known, and its number is that of the record that was changed, or made."""
    assert entry.ending == ("saved" if is_done else "failed"), entry
    key = entry.after.get("feature_flag_key")
    if is_done and key and entry.kind == "experiment":
        client = bench.client.for_project(as_id(entry.after.get("project")) or 1)
        assert (await client.experiments.get(entry.record)).feature_flag_key == key


@pytest.mark.parametrize(
    ("what", "generation"), [*((what, "default") for what in CHANGES), *((what, "legacy") for what in OLDER)]
)
async def test_journal_is_correct_after_a_kill_during_a_change(
    what: str, generation: str, tmp_path: Path
) -> None:
    moments = range(1, 1 + await kill_once(what, 0, generation, tmp_path))
    assert len(moments) >= 8
    chosen = random.Random(f"{what} {generation}").sample(moments, min(ROUNDS, len(moments)))
    for killed_at in chosen:
        await kill_once(what, killed_at, generation, make_folder(tmp_path / str(killed_at), "a run"))
