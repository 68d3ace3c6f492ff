"""Shared metrics and holdouts: their plans, recovery and undo."""

from typing import Any

import httpx
import pytest
from msgspec.structs import replace
from tests.doubles.expected import expect
from tests.doubles.steady_clock import SteadyClock

from flagtui.api import Client
from flagtui.changes.entry_kind import RecoveryVerdict, UndoContext
from flagtui.changes.journal_entries import Entry
from flagtui.changes.planner import Planned
from flagtui.changes.shared.shared_plan import HOLDOUT, LONGEST, METRIC, SharedIntent, SharedPlan, plan_shared
from flagtui.changes.shared.shared_save import NEWEST, SHARED, SharedAdapter
from flagtui.changes.skipped import Blocked
from flagtui.models.experiment import SavedMetric
from flagtui.models.json_value import JSON

QUERY = {"kind": "ExperimentMetric"}


@pytest.mark.parametrize(("kind", "values", "reason"), [
    (METRIC, {"name": " ", "query": QUERY}, f"a name has 1 to {LONGEST} characters"),
    (METRIC, {"name": "x" * (LONGEST + 1), "query": QUERY}, f"a name has 1 to {LONGEST} characters"),
    (METRIC, {"name": "x", "description": 7, "query": QUERY}, "a description has at most"),
    (METRIC, {"name": "x"}, "a new shared metric needs a query"),
    (METRIC, {"name": "x", "query": "SELECT 1"}, "the query of a metric is a JSON object"),
    (HOLDOUT, {"name": "x"}, "a new holdout needs a share"),
    (HOLDOUT, {"name": "x", "filters": [{"rollout_percentage": 101}]}, "a share is between 0 % and 100 %"),
    (HOLDOUT, {"name": "x", "filters": [{"rollout_percentage": 10**400}]},
     "a share is between 0 % and 100 %"),
])  # fmt: skip
def test_value_that_servers_refuse_is_named(kind: str, values: dict[str, Any], reason: str) -> None:
    blocked = expect(plan_shared(SharedIntent(kind, 0, values, "create"), None), Blocked)
    assert blocked.reason.startswith(reason)


@pytest.mark.parametrize(("intent", "words"), [
    (SharedIntent(METRIC, 3, {}, "delete"), [
        "Delete the shared metric: the shared metric is deleted",
        "Permanent: deleted at once on the server, which cannot restore it",
        "Experiments: experiments that measure it continue without it",
        "Kept here: a copy in the journal; undo creates it again with another number",
    ]),
    (SharedIntent(METRIC, 3, {"query": {**QUERY, "goal": "decrease"}}, "edit"), [
        "Change the shared metric: query: ExperimentMetric: goal none → decrease",
        "Experiments: all that measure it measure the new query",
    ]),
])  # fmt: skip
def test_question_names_the_change_and_its_consequences(intent: SharedIntent, words: list[str]) -> None:
    fresh = SavedMetric.of({"id": 3, "name": "Paid", "query": QUERY})
    plan = expect(plan_shared(intent, fresh), SharedPlan)
    effects = [f"{each.label}: {each.text}" for each in plan.consequences]
    assert [f"{plan.title}: {plan.lines[0].words}", *effects] == words


RUNS_QUERY = {"kind": "ExperimentMetric", "source": {"kind": "EventsNode", "event": "query run"}}
ADAPTER = SharedAdapter(Client("https://service.test", "phx_key", 1))
PLANNED_CREATION = expect(
    plan_shared(SharedIntent(METRIC, 0, {"name": "Runs", "query": RUNS_QUERY}, "create"), None, newest=2),
    SharedPlan,
)


@pytest.mark.parametrize(("query", "is_created"), [
    (RUNS_QUERY, True),
    ({**RUNS_QUERY, "uuid": "9e5b", "fingerprint": "ab12"}, True),
    ({**RUNS_QUERY, "goal": "decrease"}, False),
    (None, False),
])  # fmt: skip
def test_creation_is_recognised_with_what_servers_add(query: JSON, is_created: bool) -> None:
    seen = None if query is None else SavedMetric.of({"id": 3, "name": "Runs", "query": query})
    assert (ADAPTER.judge(PLANNED_CREATION, seen) is not None) is is_created
    # With other fields it may be that of another user: never reported as not created.
    assert ADAPTER.is_as_before(PLANNED_CREATION, seen) is (seen is None)


MEAN = {"kind": "ExperimentMetric", "metric_type": "mean"}
RUNS = {"id": 3, "name": "Runs", "description": "", "query": MEAN, "tags": []}
CREATION = Entry(key="Runs", verb="create", kind=METRIC, record=0, before={NEWEST: 2}, after={"name": "Runs"})
DELETION = Entry(key="Runs", verb="delete", kind=METRIC, record=3, before={"name": "Runs", "query": MEAN})
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


@pytest.mark.parametrize(("entry", "records", "verdict"), [
    (CREATION, [RUNS], "applied"),
    (CREATION, [{**RUNS, "id": 2}], "not applied"),
    (CREATION, [], "not applied"),
    (DELETION, [], "applied"),
    (DELETION, [RUNS], "not applied"),
    (EDIT, [RUNS], "applied"),
    (EDIT, [{**RUNS, "name": "R"}], "not applied"),
    (EDIT, [{**RUNS, "name": "X"}], "changed since"),
    (EDIT, [], "gone"),
])  # fmt: skip
async def test_record_shows_whether_the_change_was_applied(
    entry: Entry, records: list[dict[str, Any]], verdict: RecoveryVerdict
) -> None:
    async with serving(*records) as client:
        recovery = await SHARED[METRIC].look(entry, client, "not applied")
    assert recovery.verdict == verdict


@pytest.mark.parametrize("kind", [HOLDOUT, METRIC])
def test_creation_without_a_number_is_not_undone(kind: str) -> None:
    assert "was not learned" in expect(SHARED[kind].why_not(CREATION), Blocked).reason
    assert SHARED[kind].why_not(EDIT) is None
    assert SHARED[kind].undo_words(CREATION) == "delete it"
    assert SHARED[kind].undo_words(DELETION) == "create it again with another number"


@pytest.mark.parametrize(("more", "conflicts"), [({}, []), ({"description": "Theirs"}, ["description"])])
async def test_undo_of_a_creation_names_what_others_changed(more: Any, conflicts: list[str]) -> None:
    creation = replace(CREATION, record=3, after={"name": "Runs", "query": MEAN})
    async with serving({**RUNS, **more}) as client:
        undo = await SHARED[METRIC].prepare_undo(creation, UndoContext(client, SteadyClock()))
    (plan,) = expect(undo, Planned).plans
    assert [conflict.where for conflict in plan.conflicts] == conflicts
