"""Overrides through the pipeline: planned, sent to the mirror alone, journaled, undone."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest
from msgspec.structs import replace
from tests.changes.writing import Writing, approve
from tests.doubles.expected import expect, require
from tests.doubles.open_mirror import OpenMirror, open_mirror
from tests.doubles.steady_clock import SteadyClock

from flagtui.api import Client
from flagtui.api.errors import Unanswered, Unreachable
from flagtui.changes.guard import Question, guard
from flagtui.changes.journal import Journal
from flagtui.changes.journal_entries import Entry, Signature
from flagtui.changes.overrides.override_plan import OverrideIntent
from flagtui.changes.overrides.override_planner import OverridePlanner
from flagtui.changes.planner import PlanContext, Planned
from flagtui.changes.proposal import Outcome, Purpose
from flagtui.changes.recovery import recover_all
from flagtui.changes.undo import next_redo, next_undo, questions_of
from flagtui.changes.undo_planner import UndoPlanner
from flagtui.config.guard_rules import GuardRules, Level
from flagtui.mirror.override_file import OverrideFile

HERE = Signature("alice", "prod", "http://127.0.0.1:8020", "1")


class Nothing(httpx.AsyncBaseTransport):
    """The way to the server of the project, which no change of an override takes."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        raise AssertionError(f"{request.url} was asked")


@dataclass
class Desk:
    """A mirror, the journal, and a client that must not be used."""

    mirror: OpenMirror
    folder: Path
    clock: SteadyClock = field(default_factory=SteadyClock)

    def __post_init__(self) -> None:
        self.journal = Journal(self.folder, clock=self.clock.time)
        self.client = Client("http://127.0.0.1:1", "phx_key", 1, transport=Nothing())
        self.context = PlanContext(self.client, self.clock, mirror=self.mirror)

    async def plan(self, *intents: OverrideIntent) -> Planned:
        return await OverridePlanner(self.context, mirror=self.mirror).plan(intents)

    async def save(self, planned: Planned) -> Sequence[Outcome]:
        self.clock.now += 1
        assert planned.adapter is not None
        writing = Writing(planned.adapter, self.journal, HERE, self.clock)
        return await writing.send(approve(*planned.plans), planned.undoes)

    async def override(self, key: str, value: str | None, id: int = 7) -> Outcome:
        return (await self.save(await self.plan(OverrideIntent(id, key, value))))[0]

    async def undo(self, *, is_redo: bool = False) -> bool:
        """Return whether the newest change was undone, or redone."""
        newest = (next_redo if is_redo else next_undo)(self.journal.entries(), HERE)
        return (await self.save(await self.plan_undo(newest)))[0].is_saved

    async def plan_undo(self, newest: Sequence[Entry] = ()) -> Planned:
        entries = self.journal.entries()
        newest = newest or next_undo(entries, HERE)
        parts, _ = (await questions_of(newest, entries, self.client, Purpose("Undo", "")))[0]
        planner = UndoPlanner(self.context, entries=entries, signature=HERE, entry_kind="override")
        assert planner.is_local
        return await planner.plan(parts)

    @property
    def overrides(self) -> list[str]:
        return [str(each) for each in self.mirror.mirror.session]


ON, OFF = (OverrideIntent(7, "new-nav", value) for value in ("on", "off"))


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(open_mirror(), tmp_path)


@pytest.mark.parametrize("value", ["on", "off", "test", '"on"', "20%", '{"max": 3}'])
async def test_override_is_set_undone_and_redone(desk: Desk, value: str) -> None:
    assert (await desk.override("new-nav", value)).is_saved
    assert desk.overrides == [f"new-nav={value}"]
    assert (await desk.undo(), desk.overrides) == (True, [])
    assert (await desk.undo(is_redo=True), desk.overrides) == (True, [f"new-nav={value}"])


async def test_undo_gives_the_previous_override_back(desk: Desk) -> None:
    for value in ("on", "20%", None):
        await desk.override("new-nav", value)
    assert desk.overrides == []
    seen = []
    for _ in range(3):
        await desk.undo()
        seen.append(desk.overrides)
    assert seen == [["new-nav=20%"], ["new-nav=on"], []]


async def test_question_names_what_changes_and_what_stays(desk: Desk) -> None:
    desk.mirror = open_mirror("new-nav=off@ann")
    planned = await desk.plan(ON)
    rules = GuardRules(Level.READ_ONLY, require_reason=True, place="MIRROR").on_this_machine
    question = expect(guard(planned, rules), Question)
    assert (question.type_this, question.reason_required) == (None, False)
    assert question.title == "Override in MIRROR"
    assert question.undo_words == "restore the previous override"
    plan = planned.plans[0]
    assert [line.words for line in plan.lines] == ["override: none → on"]
    assert [each.text for each in plan.consequences] == [
        "only overrides of this machine; nothing is written to prod (https://eu.posthog.com, project 1)",
        "every program that queries this mirror",
        "ann keeps off",
    ]


async def test_no_ops_and_keys_beyond_overrides_are_skipped(desk: Desk) -> None:
    await desk.override("new-nav", "on")
    others = [OverrideIntent(8, key, value) for key, value in (("other", None), ("a=b", "on"), ("a@b", "on"))]
    planned = await desk.plan(ON, *others)
    assert [(each.key, each.reason, each.is_no_op) for each in planned.skipped] == [
        ("new-nav", "it is overridden with on already", True),
        ("other", "it has no override", True),
        ("a=b", "a=b has a sign that an override cannot name", False),
    ]
    assert [str(plan.intent.override) for plan in planned.plans] == ["a@b=on"]


async def test_override_of_the_file_is_removed_in_the_file_alone(tmp_path: Path) -> None:
    path = tmp_path / "overrides.toml"
    path.write_text("[everyone]\nnew-nav = true\n")
    desk = Desk(open_mirror(file=OverrideFile(path)), tmp_path)
    desk.mirror.mirror.look_at_files()
    planned = await desk.plan(OverrideIntent(7, "new-nav", None))
    assert planned.skipped[0].why == f"its override is in {path}; remove it there"
    assert (await desk.override("new-nav", "off")).is_saved
    assert (await desk.undo(), desk.overrides) == (True, ["new-nav=on"])


async def test_override_changed_meanwhile_is_a_conflict(desk: Desk) -> None:
    planned = await desk.plan(ON)
    desk.mirror.mirror.set([require(OFF.override)])
    outcome = (await desk.save(planned))[0]
    assert (outcome.ending, outcome.reason) == ("conflicted", "its override is off now")
    assert desk.overrides == ["new-nav=off"]


async def test_undo_asks_before_it_overwrites_a_later_override(desk: Desk) -> None:
    await desk.override("new-nav", "on")
    await desk.mirror.set(require(OverrideIntent(7, "new-nav", "test").override))
    planned = await desk.plan_undo()
    conflict = planned.plans[0].conflicts[0]
    assert (conflict.seen, conflict.mine, conflict.theirs) == ("on", None, "test")


async def test_undo_after_the_mirror_started_again_is_a_no_op(desk: Desk) -> None:
    await desk.override("new-nav", "on")
    desk.mirror.mirror.clear()
    planned = await desk.plan_undo()
    assert (len(planned.plans), planned.skipped[0].is_no_op) == (0, True)


async def test_lost_response_is_looked_up(desk: Desk) -> None:
    planned = await desk.plan(ON)
    desk.mirror.error, desk.mirror.loses_response = Unanswered("cut"), True
    assert (await desk.save(planned))[0].is_saved
    assert desk.mirror.changes == ["set new-nav=on"]
    assert desk.journal.entries()[0].ending == "saved"


async def test_mirror_that_is_gone_changes_nothing(desk: Desk) -> None:
    planned = await desk.plan(ON)
    desk.mirror.error = Unreachable("The mirror on port 8020 does not respond.")
    outcome = (await desk.save(planned))[0]
    assert (outcome.ending, outcome.reason) == ("failed", "The mirror on port 8020 does not respond.")
    assert (await desk.plan(ON)).skipped[0].error is desk.mirror.error


def test_undo_outside_of_the_mirror_does_not_reach_overrides(desk: Desk) -> None:
    entry = Entry(id="1", kind="override", ending="saved", signature=HERE)
    assert next_undo([entry], Signature("alice", "prod", "https://eu.posthog.com", "1")) == ()


@pytest.mark.parametrize(
    ("current", "verdict", "ending"),
    [("on", "applied", "saved"), (None, "not applied", "failed"), ("off", "changed since", "")],
)
async def test_open_override_is_judged_by_its_mirror(
    desk: Desk, current: str | None, verdict: str, ending: str
) -> None:
    planned = await desk.plan(ON)
    assert planned.adapter is not None
    entry = planned.adapter.journal_entry(planned.plans[0])
    desk.journal.begin(replace(entry, id="open", at=desk.clock.time(), signature=HERE))
    if current is not None:
        await desk.mirror.set(require(OverrideIntent(7, "new-nav", current).override))
    desk.clock.now += 120
    (recovery,) = await recover_all(desk.journal, desk.client, HERE, desk.mirror)
    assert recovery.verdict == verdict
    assert [each.ending for each in desk.journal.entries()] == [ending]
