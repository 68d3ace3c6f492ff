"""Killed at every moment of a change of any kind: afterwards the journal tells the truth.

FLAGTUI_ROUNDS=1000 pytest tests/changes/test_killed_changes.py goes through every change at every moment.
"""

import contextlib
import os
import random
from pathlib import Path
from typing import Final

import pytest
from msgspec.structs import replace
from tests.changes.bench import GENERATIONS, Bench, working
from tests.changes.kinds import BACK, KINDS, Make, of_experiment
from tests.changes.sets.set_desk import Killed, in_halves
from tests.changes.test_every_kind import Scene
from tests.doubles.slices import at_most

from flagtui.changes.journal import Disk
from flagtui.config.locations import make_folder
from flagtui.models.json_value import as_id

ROUNDS: Final = int(os.environ.get("FLAGTUI_ROUNDS", at_most(2, full=1000)))
"""At most so many kills of each change."""
CONCLUDED: Final = {"conclusion": "won", "conclusion_comment": None}
CHANGES: Final[dict[str, Make]] = {
    **KINDS,
    **{what: make for what, make in BACK.items() if what.startswith("experiment: ")},
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


class Life:
    """A program that can be killed around each request and write: then nothing of it has an effect."""

    def __init__(self, killed_at: int) -> None:
        self.killed_at = killed_at
        self.moments = 0

    def pass_moment(self, _request: object = None) -> None:
        self.moments += 1
        if 0 < self.killed_at <= self.moments:
            raise Killed


async def kill_once(what: str, killed_at: int, generation: str, folder: Path) -> int:
    """Assert what has to be true after a kill and the next start; return the moments that were passed."""
    async with working(folder, **GENERATIONS[generation]) as bench:
        scene, life = Scene(bench, await CHANGES[what](bench)), Life(killed_at)
        # The server finishes a request although the program is killed.
        bench.wire.before = bench.wire.after = life.pass_moment
        scene.journal = replace(scene.journal, disk=Disk(in_halves(life.pass_moment), life.pass_moment))
        with contextlib.suppress(Killed):
            await scene.save()
        bench.wire.heal()
        scene.journal = bench.journal
        entries = bench.journal.entries()
        assert scene.done <= 1, f"{what} at {killed_at}: made twice"
        assert len(entries) == 1 or not scene.done, f"{what} at {killed_at}: no line in the journal"
        if entries:
            assert await scene.at_the_next_start() == ("saved" if scene.done else "failed")
            await check_record(bench, is_done=bool(scene.done))
    return life.moments


async def check_record(bench: Bench, *, is_done: bool) -> None:
    """Check that the entry of an experiment has the number of the one that was changed, or made."""
    (entry,) = bench.journal.entries()
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
