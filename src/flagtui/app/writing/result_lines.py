"""How each of many records came out of one confirmation, in words that are the same for every kind."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from flagtui.app.writing.optimistic_save import FlagsEnded
from flagtui.changes.event_definitions.definition_outcome import DefinitionEnded
from flagtui.changes.experiments.step_save import StepEnded
from flagtui.changes.left_out import LeftOut
from flagtui.changes.outcome import Saved
from flagtui.changes.proposal import Proposal
from flagtui.store.load_progress import RecordId
from flagtui.text.outcomes import reason_of

LEFT_OUT = "left out"
NOT_SENT = "not sent"


@dataclass(frozen=True)
class Result:
    """One record. `key` and `reason` are raw."""

    id: RecordId
    key: str
    ending: str
    """`saved`, `refused`, `left out`, `not sent`: a word or two."""
    reason: str = ""
    can_try_again: bool = False
    """Whether it surely is as it was, so that the same can be asked for again."""

    @property
    def is_saved(self) -> bool:
        return self.ending == "saved"


def left_out_results(left_out: Iterable[LeftOut]) -> Iterator[Result]:
    """What was never asked about."""
    for one in left_out:
        reason = f"{one.reason}; {one.next}" if one.next else one.reason
        yield Result(one.id, one.key, LEFT_OUT, reason)


def flag_results(ended: FlagsEnded) -> Iterator[Result]:
    """What became of flags."""
    retryable = ended.retryable
    for outcome in ended.outcomes:
        plan, reason = outcome.plan, "" if isinstance(outcome, Saved) else reason_of(outcome)
        yield Result(plan.id, plan.key, outcome.ending, reason, plan.id in retryable)
    yield from _not_sent(ended.unsent)


def event_results(ended: Sequence[DefinitionEnded], planned: Sequence[Proposal]) -> Iterator[Result]:
    """What became of event definitions."""
    for one in ended:
        is_sure = one.ending not in ("saved", "unknown", "awaiting approval")
        yield Result(one.id, one.plan.key, one.ending, one.reason, is_sure)
    yield from _not_sent(planned[len(ended) :])


def step_results(ended: Sequence[StepEnded], planned: Sequence[Proposal]) -> Iterator[Result]:
    """What became of experiments."""
    for one in ended:
        is_sure = one.ending not in ("saved", "unknown", "awaiting approval")
        yield Result(one.plan.id, one.plan.key, one.ending, one.reason, is_sure)
    yield from _not_sent(planned[len(ended) :])


def count_results(results: Sequence[Result]) -> str:
    """`17 saved, 3 left out`."""
    endings = [result.ending for result in results]
    return ", ".join(f"{endings.count(ending):,} {ending}" for ending in dict.fromkeys(endings))


def _not_sent(plans: Iterable[Proposal]) -> Iterator[Result]:
    return (Result(plan.id, plan.key, NOT_SENT, can_try_again=True) for plan in plans)
