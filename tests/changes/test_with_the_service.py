"""The whole pipeline of changes against the real service, in each of its generations."""

import copy
import dataclasses
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.changes.writing import Writing, approve, edited
from tests.doubles.expected import expect, require
from tests.doubles.new_database import copy_tables
from tests.doubles.service_world import asks_for
from tests.doubles.slices import crossed
from tests.doubles.steady_clock import SteadyClock
from tests.doubles.targeting import asks, group, variants

from flagtui.api.client import Client
from flagtui.api.errors import ApprovalNeeded
from flagtui.api.http_library import in_process
from flagtui.changes.blocked import Blocked
from flagtui.changes.difference import difference
from flagtui.changes.flags import flag_intent
from flagtui.changes.flags.context_queries import read_context
from flagtui.changes.flags.flag_context import Context
from flagtui.changes.flags.flag_entries import undo_of
from flagtui.changes.flags.flag_intent import Intent
from flagtui.changes.flags.flag_plan import NoOp, Plan, plan_flag
from flagtui.changes.flags.flag_save import FlagAdapter
from flagtui.changes.flags.flags_together import sort_by_dependency, within_batch
from flagtui.changes.journal import Journal
from flagtui.changes.journal_entries import Signature
from flagtui.changes.proposal import Outcome
from flagtui.models.flag import Flag
from flagtui.models.json_value import JSON
from flagtui.service import create_service
from flagtui.service.application import close_service

HERE = Signature("ada@acme.test", "demo", "http://127.0.0.1:8010", "1")
GENERATIONS: dict[str, dict[str, Any]] = {
    "default": {},
    "strict": {"strict": True, "strict_filters": True, "strict_versions": True},
    "legacy": {"legacy": True},
}
RICH: dict[str, JSON] = {
    "groups": [
        group(25, asks("email", "icontains", "@acme.test"), variant="test", sort_key="a"),
        group(10, description="everyone else"),
        group(1.5),
    ],
    "multivariate": variants(control=50, test=50),
    "payloads": {"test": '{"copy": "Buy  now"}'},
    "holdout": {"id": 4, "exclusion_percentage": 5},
    "mystery": {"kept": [1, {"two": 2}]},
}


class Bench:
    """A service in this process and a person working on its flags."""

    def __init__(self, client: Client, folder: Path) -> None:
        self.flags = client.flags
        self.clock = SteadyClock()
        self.journal = Journal(folder / "journal", clock=self.clock.time)
        self.save_context = Writing(FlagAdapter(self.flags), self.journal, HERE, self.clock)

    async def new(self, key: str, **fields: JSON) -> Flag:
        return await self.flags.create({"key": key, **fields})

    async def plan(self, wanted: Intent) -> Plan | NoOp | Blocked:
        fresh = await self.flags.get(wanted.id)
        base = Context(now=self.clock.time())
        return plan_flag(wanted, fresh, await read_context(self.flags, fresh, wanted, (), base))

    async def save(self, *plans: Plan, **more: Any) -> Outcome:
        return await self.save_context.save(approve(*plans, overwrite=True), **more)

    async def do(self, wanted: Intent) -> Outcome:
        plan = expect(await self.plan(wanted), Plan)
        self.clock.now += 1
        return await self.save(plan)

    async def saved(self, wanted: Intent) -> Outcome:
        outcome = await self.do(wanted)
        assert outcome.is_saved, outcome
        assert outcome.remarks == ()
        return outcome

    async def undo(self) -> Plan | NoOp | Blocked:
        entry = self.journal.entries()[0]
        context = Context(now=self.clock.time(), dependents=())
        found = undo_of(entry).plan(await self.flags.get(entry.record), context)
        if isinstance(found, Plan) and not found.conflicts:
            self.clock.now += 1
            outcome = await self.save(found, undoes=entry.id)
            assert outcome.is_saved, outcome
            assert outcome.remarks == ()
        return found


@asynccontextmanager
async def working(folder: Path, **choices: Any) -> AsyncIterator[Bench]:
    service = create_service(copy_tables(folder / "flags.db"), key="phx_everything", **choices)
    try:
        async with Client(HERE.host, "phx_everything", 1, transport=in_process(service)) as client:
            yield Bench(client, folder)
    finally:
        close_service(service)


@pytest.fixture(params=GENERATIONS)
def generation(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
async def bench(generation: str, tmp_path: Path) -> AsyncIterator[Bench]:
    async with working(tmp_path, **GENERATIONS[generation]) as found:
        yield found


def content(flag: Flag) -> dict[str, JSON]:
    """What people put into a flag."""
    names = ("key", "name", "active", "deleted", "filters", "tags", "evaluation_runtime", CONTINUITY)
    return {name: copy.deepcopy(flag.raw[name]) for name in names if name in flag.raw}


async def test_rollout_edit_changes_one_number_and_undo_restores_it(
    bench: Bench,
) -> None:
    made = await bench.new("checkout", filters=RICH)
    # The first edit by anyone lets the server put its own keys in; they are no part of the comparison.
    await bench.saved(flag_intent.set_rollout(made, 1, 11))
    before = await bench.flags.get(made.id)
    await bench.saved(flag_intent.set_rollout(before, 0, 60))
    after = await bench.flags.get(made.id)
    assert [(line.where, line.before, line.after) for line in difference(before.filters, after.filters)] == [
        ("groups[0].rollout_percentage", 25, 60)
    ]
    assert isinstance(await bench.undo(), Plan)
    assert (await bench.flags.get(made.id)).filters == before.filters


CONTINUITY = "ensure_experience_continuity"
INTENTS = [
    lambda flag: edited(flag, lambda copy: copy.add_condition()),
    lambda flag: edited(flag, lambda copy: copy.remove_condition(0)),
    lambda flag: edited(flag, lambda copy: copy.move_condition(2, 0)),
    lambda flag: edited(flag, lambda copy: copy.set_payload("control", "[1, 2]")),
    lambda flag: edited(flag, lambda copy: copy.set_payload("test", None)),
    lambda flag: flag_intent.set_field(flag.id, "name", flag.name, "Other words"),
    lambda flag: flag_intent.set_field(flag.id, "evaluation_runtime", flag.evaluation_runtime, "server"),
    lambda flag: flag_intent.set_field(flag.id, "key", flag.key, "checkout-v2"),
    lambda flag: flag_intent.set_field(flag.id, CONTINUITY, False, True),
    lambda flag: flag_intent.switch("turn off", flag.id),
    lambda flag: flag_intent.switch("delete", flag.id),
]


@pytest.mark.parametrize(("intent", "generation"), crossed(INTENTS, GENERATIONS))
async def test_any_edit_is_saved_as_planned_and_taken_back_whole(bench: Bench, intent: Any) -> None:
    made = await bench.new("checkout", filters=RICH)
    await bench.saved(flag_intent.set_rollout(made, 1, 11))
    before = await bench.flags.get(made.id)
    await bench.saved(intent(before))
    assert content(await bench.flags.get(made.id)) != content(before)
    assert isinstance(await bench.undo(), Plan)
    after = await bench.flags.get(made.id)
    assert difference(content(before), content(after)) == ()


async def test_another_persons_rollout_meanwhile_is_a_conflict_with_both_sides(bench: Bench) -> None:
    made = await bench.new("checkout", filters=RICH)
    plan = expect(await bench.plan(flag_intent.set_rollout(made, 0, 60)), Plan)
    await bench.flags.update(made.id, flag_intent.set_rollout(await bench.flags.get(made.id), 0, 80).changes)
    outcome = await bench.save(plan)
    assert outcome.ending == "conflicted"
    assert [
        (conflict.where, conflict.mine["rollout_percentage"], conflict.theirs["rollout_percentage"])
        for conflict in outcome.conflicts
    ] == [("filters.groups[0]", 60, 80)]
    again = expect(await bench.plan(dataclasses.replace(plan.intent)), Plan)
    assert again.conflicts
    assert (await bench.save(again)).is_saved
    assert (await bench.flags.get(made.id)).targeting.conditions[0].rollout == 60


async def test_what_the_server_would_refuse_is_known_before(bench: Bench) -> None:
    base = await bench.new("base", filters={"groups": [{"rollout_percentage": 100}]})
    child = await bench.new("child", filters=asks_for(base.id))
    assert "child" in expect(await bench.plan(flag_intent.switch("turn off", base.id)), Blocked).reason
    await bench.saved(flag_intent.switch("turn off", child.id))
    await bench.saved(flag_intent.switch("turn off", base.id))


async def test_dependent_flags_go_off_together_in_a_valid_order(bench: Bench) -> None:
    base = await bench.new("base", filters={"groups": [{"rollout_percentage": 100}]})
    child = await bench.new("child", filters=asks_for(base.id))
    ids = frozenset({base.id, child.id})
    found = []
    empty = Context(now=bench.clock.time())
    for id in (base.id, child.id):
        fresh = await bench.flags.get(id)
        intent = flag_intent.switch("turn off", id)
        context = await read_context(bench.flags, fresh, intent, (), empty)
        plan = expect(plan_flag(intent, fresh, within_batch(context, ids)), Plan)
        found.append(plan)
    batch = bench.save_context.batch(approve(*sort_by_dependency(found)))
    assert [(one.plan.key, one.ending) async for one in batch.run()] == [
        ("child", "saved"),
        ("base", "saved"),
    ]


async def test_deleted_flag_with_changed_key_is_restored_under_the_old(bench: Bench) -> None:
    made = await bench.new("checkout", filters=RICH)
    await bench.saved(flag_intent.switch("delete", made.id))
    assert (await bench.flags.get(made.id)).deleted
    restored = require((await bench.saved(flag_intent.switch("restore", made.id))).record)
    assert (restored.key, restored.deleted) == ("checkout", False)


async def test_an_approval_policy_holds_a_change_back(tmp_path: Path) -> None:
    async with working(tmp_path) as bench:
        made = await bench.new("checkout", filters=RICH)
    async with working(tmp_path, approvals=True) as bench:
        outcome = await bench.do(flag_intent.switch("turn off", made.id))
        assert outcome.ending == "awaiting approval"
        assert isinstance(outcome.error, ApprovalNeeded)
        assert outcome.error.change_request_id
        assert (await bench.flags.get(made.id)).active is True


async def test_an_encrypted_payload_survives_an_edit_around_it(tmp_path: Path) -> None:
    async with working(tmp_path) as bench:
        filters = {"groups": [{"rollout_percentage": 100}], "payloads": {"true": '"hunter2"'}}
        flags = {"is_remote_configuration": True, "has_encrypted_payloads": True}
        made = await bench.new("secret", filters=filters, **flags)
        before = await bench.flags.get(made.id)
        await bench.saved(flag_intent.set_rollout(before, 0, 40))
        assert b"hunter2" not in b"".join(path.read_bytes() for path in bench.journal.files())
        await bench.undo()
        assert (await bench.flags.get(made.id)).filters == before.filters
