"""How each of many records came out of one confirmation, in words that are the same for every kind."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from flagtui.changes.left_out import LeftOut
from flagtui.changes.outcome import Outcome, P, R
from flagtui.store.load_progress import RecordId
from flagtui.text.outcomes import done_word

LEFT_OUT = "skipped"
NOT_SENT = "not sent"


@dataclass(frozen=True)
class Result:
    """One record. `key` and `reason` are raw."""

    id: RecordId
    key: str
    ending: str
    """`saved`, `refused`, `skipped`, `not sent`: a word or two."""
    reason: str = ""
    done: str = ""
    """What was done to it where it is saved, such as `deleted`."""
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


def results_of(
    outcomes: Iterable[Outcome[P, R]], unsent: Iterable[P], record_of: Callable[[P], RecordId]
) -> Iterator[Result]:
    """What became of each, and what was not sent; `record_of` names the record that was chosen for a plan."""
    for one in outcomes:
        reason = "" if one.is_saved else one.reason or one.ending
        done = done_word(one) if one.is_saved else ""
        yield Result(record_of(one.plan), one.plan.key, one.ending, reason, done, one.is_unchanged)
    for plan in unsent:
        yield Result(record_of(plan), plan.key, NOT_SENT, can_try_again=True)


def count_results(results: Sequence[Result]) -> str:
    """`17 deleted, 3 skipped`."""
    endings = [result.done or result.ending for result in results]
    return ", ".join(f"{endings.count(ending):,} {ending}" for ending in dict.fromkeys(endings))
