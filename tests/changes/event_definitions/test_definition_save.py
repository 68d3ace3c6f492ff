"""Approved changes on their way to a real service, with the faults of real links."""

from collections.abc import Callable

import httpx
import pytest
from tests.changes.event_definitions.conftest import AROUND, HERE, Opened, World
from tests.changes.writing import recover
from tests.doubles.expected import expect, require

from flagtui.api.errors import NotFound
from flagtui.changes.event_definitions.definition_intent import (
    EventIntent,
    delete,
    retag,
    set_field,
    verify,
)
from flagtui.changes.event_definitions.definition_plan import EventPlan, plan_event, plan_recreation
from flagtui.changes.event_definitions.definition_save import is_deletion
from flagtui.changes.unanswered import WATCH_FOR
from flagtui.changes.undo import next_undo


async def plan(world: World, name: str, intent: EventIntent) -> EventPlan:
    return expect(plan_event(intent, await world.fresh(name), AROUND), EventPlan)


async def test_deletion_keeps_a_copy_that_undo_recreates(opened: Opened) -> None:
    async with opened("signed up") as world:
        id = world.ids["signed up"]
        await world.client.event_definitions.update(
            id, {"description": "Joined", "tags": ["growth"], "verified": True}
        )
        [ended] = await world.save(await plan(world, "signed up", delete(id)))
        assert ended.ending == "saved"
        with pytest.raises(NotFound):
            await world.fresh("signed up")
        [entry] = next_undo(world.entries(), HERE)
        assert is_deletion(entry)
        [again] = await world.save(
            plan_recreation(entry.key, entry.before, AROUND), undoes={entry.key: entry.id}
        )
        assert again.record is not None
        assert again.record.id != id
        assert (again.record.description, again.record.tags, again.record.verified) == (
            "Joined",
            ("growth",),
            True,
        )


async def test_one_that_came_back_by_itself_gets_its_description_again(opened: Opened) -> None:
    async with opened("signed up") as world:
        id = world.ids["signed up"]
        await world.client.event_definitions.update(id, {"description": "Joined"})
        await world.save(await plan(world, "signed up", delete(id)))
        [entry] = next_undo(world.entries(), HERE)
        await world.client.event_definitions.create("signed up")
        [again] = await world.save(plan_recreation(entry.key, entry.before, AROUND))
        assert again.ending == "saved"
        assert require(again.record).description == "Joined"


async def test_copy_waits_for_the_next_event_where_only_events_create(opened: Opened) -> None:
    async with opened("signed up") as world:
        id = world.ids["signed up"]
        await world.client.event_definitions.update(id, {"description": "Joined"})
        await world.save(await plan(world, "signed up", delete(id)))
        [entry] = next_undo(world.entries(), HERE)

        def older(request: httpx.Request) -> httpx.Response | None:
            is_creation = request.method == "POST" and request.url.path.endswith("/event_definitions/")
            return httpx.Response(405, json={"detail": "Method not allowed."}) if is_creation else None

        world.wire.before = older
        again = plan_recreation(entry.key, entry.before, AROUND)
        [refused] = await world.save(again, undoes={entry.key: entry.id})
        assert refused.ending == "refused"
        assert "once the event is sent again" in refused.next
        assert next_undo(world.entries(), HERE) == (entry,)
        world.wire.before = lambda request: None
        await world.client.event_definitions.create("signed up")
        world.wire.before = older
        [saved] = await world.save(plan_recreation(entry.key, entry.before, AROUND))
        assert require(saved.record).description == "Joined"


@pytest.mark.parametrize("options", [{}, {"legacy": True}])
async def test_verifying_or_tagging_many_sends_one_request_where_possible(
    opened: Opened, options: dict[str, bool]
) -> None:
    async with opened("a", "b", "c", **options) as world:
        plans = [await plan(world, name, verify(world.ids[name])) for name in "abc"]
        world.wire.passed.clear()
        assert [one.ending for one in await world.save(*plans)] == ["saved"] * 3
        assert len([line for line in world.wire.passed if line.startswith("POST")]) == 1
        assert len(world.wire.writes()) == (3 if options else 0)
        assert all([(await world.fresh(name)).verified for name in "abc"])
        assert {entry.key for entry in next_undo(world.entries(), HERE)} == {"a", "b", "c"}
        plans = [await plan(world, name, retag(world.ids[name], "add", ["billing"], [])) for name in "ab"]
        assert [one.ending for one in await world.save(*plans)] == ["saved"] * 2
        assert (await world.fresh("a")).tags == ("billing",)


async def test_deleted_definition_is_named_and_the_others_are_saved(opened: Opened) -> None:
    async with opened("a", "b") as world:
        plans = [await plan(world, name, verify(world.ids[name])) for name in "ab"]
        await world.client.event_definitions.delete(world.ids["a"])
        ended = await world.save(*plans)
        assert [(one.plan.key, one.ending, one.reason) for one in ended] == [
            ("a", "refused", "Not found"),
            ("b", "saved", ""),
        ]


def silent_from_the_write() -> Callable[[httpx.Request], Exception | None]:
    """A link that is lost with the first write."""
    lost: list[httpx.Request] = []

    def answer(request: httpx.Request) -> Exception | None:
        if request.method != "GET":
            lost.append(request)
        return httpx.ReadTimeout("lost", request=request) if lost else None

    return answer


@pytest.mark.parametrize(
    ("is_done", "theirs", "truth", "ending"),
    [
        (True, "", "applied", "saved"),
        (False, "", "not applied", "failed"),
        (True, "z", "changed since", "unknown"),
        (False, "z", "changed since", "unknown"),
    ],
)
async def test_unknown_change_is_resolved_at_next_start_unless_changed_since(
    opened: Opened, is_done: bool, theirs: str, truth: str, ending: str
) -> None:
    async with opened("a") as world:
        planned = await plan(world, "a", set_field(world.ids["a"], "description", "x", ""))
        world.wire.fail(silent_from_the_write(), is_done=is_done)
        [ended] = await world.save(planned)
        assert ended.ending == "unknown"
        world.wire.heal()
        definitions, journal = world.client.event_definitions, world.save_context.journal
        if not is_done and not theirs:
            [early] = await recover(journal, HERE, event_definitions=definitions)
            assert early.verdict == "not known", "the server may still do it"
        if theirs:
            await definitions.update(world.ids["a"], {"description": theirs})
        world.timing.now += WATCH_FOR
        [found] = await recover(journal, HERE, event_definitions=definitions)
        assert (found.verdict, world.entries()[0].ending) == (truth, ending)
        assert bool(await recover(journal, HERE, event_definitions=definitions)) is (ending == "unknown")
