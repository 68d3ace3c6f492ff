"""Every fault of a response to a change has its outcome, and the change is sent once."""

from pathlib import Path

import httpx
import pytest
from tests.changes.bench import working
from tests.changes.test_every_kind import is_write, scene_of
from tests.doubles.faults import DONE_OR_NOT, ENDINGS, FAULTS, SENT_AGAIN

REAL = httpx.Response(200, content=b'{"count": 3, "results": [')


@pytest.mark.parametrize(("name", "is_done"), DONE_OR_NOT)
async def test_a_fault_ends_a_change_as_what_it_means(name: str, is_done: bool, tmp_path: Path) -> None:
    def answer(request: httpx.Request) -> httpx.Response | Exception | None:
        return FAULTS[name].serve(request, REAL) if is_write(request) else None

    async with working(tmp_path) as bench:
        scene = await scene_of("flag", bench)
        bench.wire.fail(answer, is_done=is_done)
        outcome = await scene.save()
        if outcome.ending == "unknown":
            outcome = await scene.writing().settle(outcome)
        (entry,) = scene.journal.entries()
        assert entry.ending == outcome.ending == ENDINGS[FAULTS[name].means, is_done]
        assert scene.sends == 1 or name in SENT_AGAIN
        assert (await bench.client.flags.get(scene.prepared.plan.fresh.id)).active is not is_done
