"""Steps on their way: sent once, written down, and looked for when no answer comes."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest
from tests.changes.experiments.conftest import NOW, made, planned
from tests.changes.writing import Writing
from tests.doubles.expected import expect

from flagtui.api.errors import (
    ApiError,
    ApprovalNeeded,
    ErrorFacts,
    Invalid,
    NotSignedIn,
    RateLimited,
    Refused,
    Unanswered,
)
from flagtui.api.experiments import Experiments
from flagtui.changes.experiments.step_plan import ExperimentPlan
from flagtui.changes.experiments.step_save import StepAdapter
from flagtui.changes.experiments.step_undo import step_back
from flagtui.changes.guard import Approved, Confirmation, GuardRules, Question, guard
from flagtui.changes.journal import Journal
from flagtui.changes.journal_entries import Signature
from flagtui.changes.undo import next_redo, next_undo
from flagtui.models.experiment import Experiment

A_LONG_PAUSE = ErrorFacts("POST", True, status=429, retry_after=600)
HERE = Signature("alice@acme.com", "prod", "https://us.example", "1")


@dataclass
class Timing:
    now: float = NOW

    def time(self) -> float:
        return self.now

    def monotonic(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.now += seconds


@dataclass
class Server:
    """Takes every step; `fails` comes before or after it does."""

    stored: Experiment
    fails: ApiError | None = None
    acts: bool = True
    taken: list[str] = field(default_factory=list)

    async def get(self, id: int) -> Experiment:
        return self.stored

    def __getattr__(self, name: str) -> Any:
        async def step(id: int, *words: object, **more: object) -> Experiment:
            self.taken.append(name)
            if self.acts:
                self.stored = made({"pause": "paused", "resume": "running", "end": "stopped"}[name])
            if self.fails is not None:
                raise self.fails
            return self.stored

        return step


def approve(*plans: ExperimentPlan) -> Approved[ExperimentPlan]:
    question = expect(guard(plans, GuardRules()), Question)
    return expect(question.settle(Confirmation(yes=True, reason="calm")), Approved)


def context_for(server: Server, folder: Path) -> Writing:
    timing = Timing()
    return Writing(StepAdapter(cast(Experiments, server)), Journal(folder, clock=timing.time), HERE, timing)


async def test_a_step_is_sent_once_and_written_down(tmp_path: Path) -> None:
    server = Server(made())
    save_context = context_for(server, tmp_path)
    approved = approve(planned("pause", made()))
    assert ((await save_context.save(approved)).ending, server.taken) == ("saved", ["pause"])
    (entry,) = save_context.journal.entries()
    assert (entry.kind, entry.record, entry.verb, entry.ending) == (
        "experiment",
        12,
        "pause experiment",
        "saved",
    )
    assert entry.reason == "calm"
    assert "flag blue: on → off" in entry.words
    with pytest.raises(ValueError, match="used before"):
        await save_context.save(approved)
    assert server.taken == ["pause"]


@pytest.mark.parametrize(
    ("fault", "acts", "endings"),
    [
        (None, True, ["saved", "saved"]),
        (Invalid("Experiment is already paused."), False, ["refused", "refused"]),
        (NotSignedIn("The server does not take this key."), False, ["refused"]),
        (RateLimited("The server asks for a pause.", facts=A_LONG_PAUSE), False, ["refused"]),
        (Refused("The server does not take connections."), False, ["failed"]),
        (Unanswered("The server did not answer in time."), False, ["unknown"]),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, ApiError) else "",
)
async def test_several_steps_go_on_after_a_refusal_of_one_and_stop_at_what_is_everybodys(
    fault: ApiError | None, acts: bool, endings: list[str], tmp_path: Path
) -> None:
    server = Server(made(), fault, acts=acts)
    approved = approve(planned("pause", made()), planned("pause", made(id=13)))
    save_context = context_for(server, tmp_path)
    found = []
    batch = save_context.batch(approved)
    async for one in batch.run():
        found.append(one.ending)
        server.stored = made(id=13)
    assert found == endings
    assert server.taken == ["pause"] * len(endings)
    assert len(save_context.journal.entries()) == len(endings)
    with pytest.raises(ValueError, match="used before"):
        save_context.batch(approved)


async def test_an_answer_that_never_came_is_looked_for_and_never_sent_again(tmp_path: Path) -> None:
    server = Server(made(), Unanswered("The server did not answer in time."))
    ended = await context_for(server, tmp_path).save(approve(planned("pause", made())))
    assert (ended.ending, server.taken) == ("saved", ["pause"])
    assert ended.record is not None
    assert ended.record.state == "paused"


async def test_what_cannot_be_found_out_is_said_to_be_unknown(tmp_path: Path) -> None:
    server = Server(made(), Unanswered("The server did not answer in time."), acts=False)
    save_context = context_for(server, tmp_path)
    ended = await save_context.save(approve(planned("pause", made())))
    assert (ended.ending, server.taken) == ("unknown", ["pause"])
    assert save_context.journal.entries()[0].is_open


@pytest.mark.parametrize(
    ("fault", "ending"),
    [
        (Invalid("Experiment is already paused."), "refused"),
        (Refused("The server does not take connections."), "failed"),
        (ApprovalNeeded("It waits for approval."), "awaiting approval"),
    ],
)
async def test_a_refusal_is_told_apart_from_a_failure(fault: ApiError, ending: str, tmp_path: Path) -> None:
    server = Server(made(), fault, acts=False)
    ended = await context_for(server, tmp_path).save(approve(planned("pause", made())))
    assert ended.ending == ending
    assert ended.reason


async def test_a_yes_that_changed_nothing_is_not_called_saved(tmp_path: Path) -> None:
    ended = await context_for(Server(made(), acts=False), tmp_path).save(approve(planned("pause", made())))
    assert ended.ending == "refused"
    assert "it is running" in ended.reason


async def test_a_question_that_stood_long_is_checked_against_today(tmp_path: Path) -> None:
    plan = planned("pause", made())
    server = Server(made("stopped"))
    save_context = context_for(server, tmp_path)
    save_context.clock.now += 3600  # type: ignore[attr-defined]  # the double above
    assert ((await save_context.save(approve(plan))).ending, server.taken) == ("conflicted", [])


async def test_the_last_step_can_be_taken_back_once(tmp_path: Path) -> None:
    save_context = context_for(Server(made()), tmp_path)
    await save_context.save(approve(planned("pause", made())))
    entry = next_undo(save_context.journal.entries(), HERE)[0]
    back = step_back(entry)
    assert back is not None
    assert back.step.name == "resume"
    await save_context.save(approve(planned("resume", made("paused"))), undoes=entry.id)
    assert next_undo(save_context.journal.entries(), HERE) == ()
    (following,) = next_redo(save_context.journal.entries(), HERE)
    assert following.verb == "resume experiment"
    assert next_redo(save_context.journal.entries(), Signature(host="elsewhere", project="1")) == ()


async def test_an_end_is_taken_back_with_the_conclusion_it_erased(tmp_path: Path) -> None:
    fresh = made(conclusion="won", conclusion_comment="so far")
    save_context = context_for(Server(fresh), tmp_path)
    await save_context.save(approve(planned("end", fresh)))
    back = step_back(next_undo(save_context.journal.entries(), HERE)[0])
    assert back is not None
    assert back.choices.fields == {"end_date": None, "conclusion": "won", "conclusion_comment": "so far"}
