"""After a crash or for an undo: whether a change of a holdout or shared metric was applied."""

from typing import Any

import httpx
import pytest
from tests.doubles.expected import expect

from flagtui.api import Client
from flagtui.changes.adapter import RecoveryVerdict
from flagtui.changes.journal_entries import Entry
from flagtui.changes.shared.shared_plan import HOLDOUT, METRIC
from flagtui.changes.shared.shared_save import NEWEST, SHARED
from flagtui.changes.skipped import Blocked

QUERY = {"kind": "ExperimentMetric", "metric_type": "mean"}
RUNS = {"id": 3, "name": "Runs", "description": "", "query": QUERY, "tags": []}
CREATION = Entry(key="Runs", verb="create", kind=METRIC, record=0, before={NEWEST: 2}, after={"name": "Runs"})
DELETION = Entry(key="Runs", verb="delete", kind=METRIC, record=3, before={"name": "Runs", "query": QUERY})
EDIT = Entry(key="Runs", verb="edit", kind=METRIC, record=3, before={"name": "R"}, after={"name": "Runs"})


def serving(*records: dict[str, Any]) -> Client:
    """A client of a server with these shared metrics and nothing else."""

    def respond(request: httpx.Request) -> httpx.Response:
        number = request.url.path.rstrip("/").rpartition("/")[2]
        if not number.isdigit():
            return httpx.Response(200, json={"count": len(records), "next": None, "results": list(records)})
        for record in records:
            if record["id"] == int(number):
                return httpx.Response(200, json=record)
        return httpx.Response(404, json={"detail": "Not found."})

    return Client("https://service.test", "phx_key", 1, transport=httpx.MockTransport(respond))


@pytest.mark.parametrize(
    ("entry", "records", "verdict"),
    [
        (CREATION, [RUNS], "applied"),
        (CREATION, [{**RUNS, "id": 2}], "not applied"),
        (CREATION, [], "not applied"),
        (DELETION, [], "applied"),
        (DELETION, [RUNS], "not applied"),
        (EDIT, [RUNS], "applied"),
        (EDIT, [{**RUNS, "name": "R"}], "not applied"),
        (EDIT, [{**RUNS, "name": "X"}], "changed since"),
        (EDIT, [], "gone"),
    ],
)
async def test_record_shows_whether_the_change_was_applied(
    entry: Entry, records: list[dict[str, Any]], verdict: RecoveryVerdict
) -> None:
    async with serving(*records) as client:
        recovery = await SHARED[METRIC].look(entry, client, "not applied")
    assert recovery.verdict == verdict


@pytest.mark.parametrize("kind", [HOLDOUT, METRIC])
def test_creation_without_a_number_is_not_undone(kind: str) -> None:
    reason = expect(SHARED[kind].why_not(CREATION), Blocked)
    assert "was not learned" in reason.reason
    assert SHARED[kind].why_not(EDIT) is None


def test_undo_is_named_after_the_change() -> None:
    assert SHARED[METRIC].undo_words(CREATION) == "delete it"
    assert SHARED[METRIC].undo_words(DELETION) == "make it again, under a new number"
