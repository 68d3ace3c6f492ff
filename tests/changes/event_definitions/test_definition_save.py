"""Approved changes on their way to a real service, with the faults of real links."""

from collections.abc import Sequence
from pathlib import Path

import httpx
import pytest
from tests.changes.bench import HERE, Bench, working
from tests.changes.event_definitions.conftest import AROUND
from tests.changes.test_every_kind import from_the_write_on, lost
from tests.changes.writing import approve, recover
from tests.doubles.expected import require

from flagtui.api.errors import NotFound
from flagtui.changes.event_definitions.definition_intent import delete, retag, set_field, verify
from flagtui.changes.event_definitions.definition_plan import EventPlan, plan_recreation
from flagtui.changes.event_definitions.definition_save import (
    DefinitionAdapter,
    DefinitionOutcome,
    is_deletion,
)
from flagtui.changes.journal_entries import Entry, UndoTarget
from flagtui.changes.unanswered import WATCH_FOR
from flagtui.changes.undo import next_undo


async def save(bench: Bench, *plans: EventPlan, undoes: Entry | None = None) -> Sequence[DefinitionOutcome]:
    adapter = DefinitionAdapter(bench.client.event_definitions)
    return await bench.writing(adapter).send(
        approve(*plans), {(plan.id, plan.key): UndoTarget(undoes.id) for plan in plans} if undoes else None
    )


async def verify_all(bench: Bench, names: str) -> tuple[list[str], list[EventPlan]]:
    """The ids of new events with these names, and the plans that verify them."""
    ids = [bench.new_event(name=name) for name in names]
    plans = [await bench.plan_event(verify(id)) for id in ids]
    bench.wire.passed.clear()
    return ids, plans


async def delete_described(bench: Bench) -> tuple[Entry, EventPlan]:
    """The entry of a deletion, and the plan that takes it back."""
    id, definitions = bench.new_event(), bench.client.event_definitions
    await definitions.update(id, {"description": "Joined"})
    [ended] = await save(bench, await bench.plan_event(delete(id)))
    assert ended.ending == "saved"
    with pytest.raises(NotFound):
        await definitions.get(id)
    [entry] = next_undo(bench.journal.entries(), HERE)
    assert is_deletion(entry)
    return entry, plan_recreation(entry.key, entry.before, AROUND)


async def test_recreation_without_a_response_is_recognised_by_name(tmp_path: Path) -> None:
    async with working(tmp_path) as bench:
        entry, undo = await delete_described(bench)
        bench.wire.fail(from_the_write_on(lost), is_done=True)
        [ended] = await save(bench, undo, undoes=entry)
        assert ended.ending == "unknown"
        bench.wire.heal()
        bench.clock.now += WATCH_FOR
        definitions = bench.client.event_definitions
        [recovery] = await recover(bench.journal, HERE, event_definitions=definitions)
        assert recovery.verdict == "applied"


@pytest.mark.parametrize("only_events_create", [False, True])
async def test_event_sent_again_gets_its_description_back(only_events_create: bool, tmp_path: Path) -> None:
    def older(request: httpx.Request) -> httpx.Response | None:
        is_creation = request.method == "POST" and request.url.path.endswith("/event_definitions/")
        return httpx.Response(405, json={"detail": "Method not allowed."}) if is_creation else None

    async with working(tmp_path) as bench:
        entry, undo = await delete_described(bench)
        if only_events_create:
            bench.wire.before = older
            [refused] = await save(bench, undo, undoes=entry)
            assert refused.ending == "refused"
            assert "once the event is sent again" in refused.next
            assert next_undo(bench.journal.entries(), HERE) == (entry,)
        bench.new_event(name="signed up")
        [saved] = await save(bench, undo)
        assert (saved.ending, require(saved.record).description) == ("saved", "Joined")


@pytest.mark.parametrize("options", [{}, {"legacy": True}])
async def test_verifying_or_tagging_many_sends_one_request_where_possible(
    options: dict[str, bool], tmp_path: Path
) -> None:
    async with working(tmp_path, **options) as bench:
        ids, plans = await verify_all(bench, "abc")
        assert [outcome.ending for outcome in await save(bench, *plans)] == ["saved"] * 3
        assert bench.wire.count("POST") == 1
        assert len(bench.wire.writes()) == (3 if options else 0)
        definitions = bench.client.event_definitions
        assert all([(await definitions.get(id)).verified for id in ids])
        assert {entry.key for entry in next_undo(bench.journal.entries(), HERE)} == {"a", "b", "c"}
        plans = [await bench.plan_event(retag(id, "add", ["billing"], [])) for id in ids[:2]]
        assert [outcome.ending for outcome in await save(bench, *plans)] == ["saved"] * 2
        assert (await definitions.get(ids[0])).tags == ("billing",)


@pytest.mark.parametrize(("is_done", "ending"), [(True, "saved"), (False, "unknown")])
async def test_lost_answer_within_many_is_looked_up(is_done: bool, ending: str, tmp_path: Path) -> None:
    async with working(tmp_path, legacy=True) as bench:
        ids, plans = await verify_all(bench, "abc")

        def lose_the_second(request: httpx.Request) -> Exception | None:
            is_second = request.method == "PATCH" and request.url.path.endswith(f"/{ids[1]}/")
            return lost(request) if is_second else None

        bench.wire.fail(lose_the_second, is_done=is_done)
        outcomes = await save(bench, *plans)
        assert [outcome.ending for outcome in outcomes] == ["saved", ending, "refused"]
        endings = {entry.key: entry.ending for entry in bench.journal.entries()}
        assert endings == {"a": "saved", "b": ending, "c": "refused"}


async def test_definition_changed_since_the_question_is_not_deleted(tmp_path: Path) -> None:
    async with working(tmp_path) as bench:
        id, definitions = bench.new_event(), bench.client.event_definitions
        deletion = await bench.plan_event(delete(id))
        await definitions.update(id, {"description": "Theirs"})
        [ended] = await save(bench, deletion)
        assert (ended.ending, ended.reason) == ("conflicted", "changed since it was shown: description")
        assert (await definitions.get(id)).description == "Theirs"


async def test_deleted_definition_is_named_and_the_others_are_saved(tmp_path: Path) -> None:
    async with working(tmp_path) as bench:
        ids, plans = await verify_all(bench, "ab")
        await bench.client.event_definitions.delete(ids[0])
        expected = [("a", "refused", "Not found"), ("b", "saved", "")]
        ended = await save(bench, *plans)
        assert [(outcome.plan.key, outcome.ending, outcome.reason) for outcome in ended] == expected


@pytest.mark.parametrize("is_done", [True, False])
async def test_unknown_change_stays_open_after_one_of_another_user(is_done: bool, tmp_path: Path) -> None:
    async with working(tmp_path) as bench:
        id, definitions, journal = bench.new_event(), bench.client.event_definitions, bench.journal
        planned = await bench.plan_event(set_field(id, "description", "x", ""))
        bench.wire.fail(from_the_write_on(lost), is_done=is_done)
        await save(bench, planned)
        bench.wire.heal()
        await definitions.update(id, {"description": "z"})
        bench.clock.now += WATCH_FOR
        for _ in range(2):
            [recovery] = await recover(journal, HERE, event_definitions=definitions)
            assert (recovery.verdict, journal.entries()[0].ending) == ("changed since", "unknown")


async def test_value_that_the_server_rewrites_can_be_undone(tmp_path: Path) -> None:
    async with working(tmp_path) as bench:
        planned = await bench.plan_event(set_field(bench.new_event(), "description", "Joined today", ""))
        stored = httpx.Response(200, json={**planned.fresh.raw, "description": "Joined"})
        bench.wire.after = lambda request: stored if request.method == "PATCH" else None
        [ended] = await save(bench, planned)
        assert (ended.ending, ended.remarks) == ("saved", ("not changed as planned: description",))
        [entry] = next_undo(bench.journal.entries(), HERE)
        assert entry.after == {"description": "Joined"}
