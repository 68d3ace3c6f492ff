"""From plans to their outcomes on the command line: the question, the answer, progress, results, a code."""

import asyncio
import signal
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Final, Generic

from flagtui.changes.adapter import Adapter, WriteContext
from flagtui.changes.batch import Batch
from flagtui.changes.guard import Approved, Around, Confirmation, GuardRefused, NotYet, Question, guard
from flagtui.changes.left_out import LeftOut
from flagtui.changes.outcome import Outcome, P
from flagtui.cli.confirmation import how_to_agree, settle, show_question
from flagtui.cli.errors import EXIT_CODES, Code, Trouble
from flagtui.cli.options import WriteTerms
from flagtui.cli.output.lines import progress, say, warn
from flagtui.cli.output.printer import Printer
from flagtui.cli.project_session import ProjectSession
from flagtui.cli.records.change_records import OUTCOME, PLAN, ChangePlan, ChangeResult
from flagtui.cli.terminal_person import NOBODY, find_person

NOTHING_TO_DO: Final = "nothing to do"
LEFT_OUT: Final = "left out"
NOT_SENT: Final = "not sent"
STOPPED: Final = 130
CODES: Final[dict[str, Code]] = {
    "conflicted": "conflict",
    "unknown": "not_known",
    "awaiting approval": "awaiting_approval",
    "refused": "failed",
    "failed": "failed",
    NOT_SENT: "failed",
    LEFT_OUT: "refused",
    NOTHING_TO_DO: "nothing_to_do",
}
_ORDER: Final = (
    *("unknown", "conflicted", "awaiting approval", "failed", "refused"),
    *(NOT_SENT, LEFT_OUT, NOTHING_TO_DO),
)
"""The gravest first: it decides how the command ends."""


@dataclass(frozen=True)
class PlannedChange(Generic[P]):
    """What was planned together, of one kind of record."""

    plans: Sequence[P]
    adapter: Adapter[P, Any]
    left_out: Sequence[LeftOut] = ()
    settled: Sequence[LeftOut] = ()
    """What is as wanted already."""
    place: str = ""
    """Where it happens when that is not the project of the profile."""


async def carry_out(change: PlannedChange[P], session: ProjectSession, terms: WriteTerms) -> int:
    """Ask, send and report; the exit code. Raises Trouble when nothing could be sent."""
    agreement, printer = terms.agreement, terms.printer
    apart = [*_apart(change.left_out, LEFT_OUT), *_apart(change.settled, NOTHING_TO_DO)]
    if agreement.dry_run:
        return _dry_run(change, session, printer)
    if not change.plans:
        return _nothing_sent(apart, printer)
    approved = _agreed(_question(change, session), terms)
    results = await _sent(change, approved, session)
    if why := next((one.words for one in results.found if one.is_without_journal), ""):
        approved = _agreed(_question(change, session, why), terms)
        results = await _sent(change, approved, session)
    left = [
        ChangeResult(plan.key, NOT_SENT, "was not sent", id=str(plan.id))
        for plan in change.plans
        if not any(result.id == str(plan.id) or result.key == plan.key for result in results.found)
    ]
    report([*results.found, *left, *apart], printer)
    code = _code([*results.found, *left, *(one for one in apart if one.ending == LEFT_OUT)])
    return STOPPED if results.is_stopped else code


def report(results: Sequence[ChangeResult], printer: Printer) -> None:
    """Each record: a sentence for people, a record for programs."""
    if printer.format != "table" or printer.fields:
        printer.records(OUTCOME, results)
        return
    for result in results:
        if result.ending == "saved":
            say(f"{result.key} {result.words}." + (f" {result.next}" if result.next else ""))
        else:
            warn(f"{result.key}: {result.ending}: {result.words}. {result.next}".rstrip())


def _code(results: Sequence[ChangeResult]) -> int:
    endings = {result.ending for result in results}
    worst = next((ending for ending in _ORDER if ending in endings), "")
    return EXIT_CODES[CODES[worst]] if worst else 0


def _apart(left_out: Sequence[LeftOut], ending: str) -> Iterator[ChangeResult]:
    for one in left_out:
        yield ChangeResult(one.key, ending, one.reason, one.next, str(one.id))


def _nothing_sent(apart: Sequence[ChangeResult], printer: Printer) -> int:
    """One reason is the trouble itself; several are listed."""
    if len(apart) == 1:
        code = CODES[apart[0].ending]
        fix = f"To go on: {apart[0].next}." if apart[0].next else ""
        raise Trouble(f"{apart[0].key}: {apart[0].words}; nothing was sent.", fix, code=code)
    if not apart:
        raise Trouble("nothing was found; nothing was sent.", code="nothing_to_do")
    report(apart, printer)
    return _code(apart)


def _question(change: PlannedChange[P], session: ProjectSession, without_journal: str = "") -> Question[P]:
    rules = session.rules
    if change.place:
        rules = replace(rules, place=f"{rules.place} › {change.place}")
    question = guard(change.plans, rules, Around(change.left_out, without_journal=without_journal))
    if isinstance(question, GuardRefused):
        fix = f"To go on: {question.next}." if question.next else ""
        raise Trouble(f"{question.reason}; nothing was sent.", fix, code="refused")
    return question


def _agreed(question: Question[P], terms: WriteTerms) -> Approved[P]:
    agreement, printer = terms.agreement, terms.printer
    person = NOBODY if printer.format != "table" else find_person()
    if person.is_there:
        show_question(question)
    given = Confirmation(
        agreement.yes,
        agreement.typed,
        agreement.reason,
        agreement.overwrite,
        without_journal=agreement.without_journal,
    )
    approved = settle(question, given, person)
    if isinstance(approved, NotYet):
        is_clash = bool(question.clashes) and not agreement.overwrite
        raise Trouble(how_to_agree(question, approved.why), code="conflict" if is_clash else "refused")
    return approved


def _dry_run(change: PlannedChange[P], session: ProjectSession, printer: Printer) -> int:
    if printer.format == "table" and not printer.fields and change.plans:
        show_question(_question(change, session))
        say("Nothing was sent: this was a dry run.")
        return 0
    planned = [ChangePlan(plan) for plan in change.plans]
    printer.records(PLAN, [*planned, *(ChangePlan(None, one) for one in (*change.left_out, *change.settled))])
    return 0 if planned else EXIT_CODES["nothing_to_do"]


@dataclass
class _Results:
    found: list[ChangeResult]
    is_stopped: bool = False


async def _sent(change: PlannedChange[P], approved: Approved[P], session: ProjectSession) -> _Results:
    results = _Results([])
    count = len(change.plans)
    with _interrupts() as stop:
        stream = _outcomes(change, approved, session)
        try:
            async for outcome in stream:
                result = result_of(outcome)
                results.found.append(result)
                if count > 1:
                    progress(f"{len(results.found)}/{count}  {result.key}  {result.ending}")
                if stop.is_asked and len(results.found) < count:
                    results.is_stopped = True
                    break
        except asyncio.CancelledError:
            results.is_stopped = True
            plan = change.plans[min(len(results.found), count - 1)]
            words = "stopped while it was on its way; the next start of the app finds out whether it was done"
            results.found.append(ChangeResult(plan.key, "unknown", words, id=str(plan.id)))
        finally:
            await stream.aclose()
    return results


async def _outcomes(
    change: PlannedChange[P], approved: Approved[P], session: ProjectSession
) -> AsyncGenerator[Outcome, None]:
    """How each plan ended; what has no answer is watched until it is known, or a minute is over."""
    context = WriteContext(session.journal, session.signature, session.clock, progress)
    batch = Batch(approved, change.adapter, context)
    async for outcome in batch.run():
        if outcome.ending != "unknown":
            yield outcome
    async for outcome in batch.settle():
        yield outcome


def result_of(outcome: Outcome, undoes: str = "") -> ChangeResult:
    """How a change ended; `undoes` is the entry of the journal that it took back."""
    plan, record = outcome.plan, outcome.record
    words = plan.verb.done if outcome.is_saved else outcome.reason or outcome.ending
    said = (*outcome.remarks, outcome.note, outcome.reason if outcome.is_saved else outcome.next)
    if outcome.ending == "unknown":
        words = "no answer came, and whether it was done is not known; it was not sent twice"
        said = ("flagtui journal keeps it",)
    elif outcome.ending == "conflicted":
        words = f"{words}; nothing of yours was saved"
    id = getattr(record, "id", plan.id)
    if outcome.is_saved and isinstance(id, int) and plan.id and id != plan.id and plan.id > 0:
        said = (f"it is #{id}", *said)
    return ChangeResult(
        plan.key,
        outcome.ending,
        words,
        "".join(f"{_sentence(part)} " for part in said if part).rstrip(),
        "" if isinstance(id, int) and id <= 0 else str(id),
        getattr(record, "version", None) if outcome.is_saved else None,
        outcome.journal_id,
        undoes,
        outcome.clashes,
        is_without_journal=outcome.is_without_journal,
    )


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."


@dataclass
class _Stop:
    is_asked: bool = False


@contextmanager
def _interrupts() -> Iterator[_Stop]:
    """Ctrl+C ends after the change that is on its way; a second one leaves that, too."""
    stop, task, loop = _Stop(), asyncio.current_task(), asyncio.get_running_loop()

    def heard() -> None:
        if stop.is_asked and task is not None:
            task.cancel()
        elif not stop.is_asked:
            progress("stopping after the change that is on its way; ctrl+c again leaves it")
        stop.is_asked = True

    has_signals = True
    try:
        loop.add_signal_handler(signal.SIGINT, heard)
    except (NotImplementedError, RuntimeError, ValueError):
        # Elsewhere than in the main thread of a Unix process Ctrl+C ends at once.
        has_signals = False
    try:
        yield stop
    finally:
        if has_signals:
            loop.remove_signal_handler(signal.SIGINT)
