"""From plans to their outcomes on the command line: the question, the answer, progress, results, a code."""

import asyncio
import signal
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Final, Generic

from flagtui.changes.adapter import Adapter, WriteContext
from flagtui.changes.batch import Batch
from flagtui.changes.guard import (
    Approved,
    Around,
    Confirmation,
    GuardRefused,
    NotYet,
    Purpose,
    Question,
    guard,
)
from flagtui.changes.journal_entries import Signature, TakenBack
from flagtui.changes.left_out import LeftOut
from flagtui.changes.outcome import Outcome, P
from flagtui.cli.change_report import (
    LEFT_OUT,
    NOT_SENT,
    NOTHING_TO_DO,
    ChangeReport,
    exit_code,
    nothing_sent,
    result_of,
    set_apart,
)
from flagtui.cli.confirmation import how_to_agree, settle, show_question
from flagtui.cli.errors import EXIT_CODES, Trouble
from flagtui.cli.options import WriteTerms
from flagtui.cli.output.lines import progress, say
from flagtui.cli.project_session import ProjectSession
from flagtui.cli.records.change_records import ChangePlan, ChangeResult
from flagtui.cli.terminal_person import NOBODY, find_person

STOPPED: Final = 130


@dataclass(frozen=True)
class Undoing:
    """What is peculiar to taking back."""

    purpose: Purpose
    undoes: Mapping[str, TakenBack]
    """By the key of a plan: the journal entry that it takes back."""
    signature: Signature
    """Of the project in which it is taken back."""


@dataclass(frozen=True)
class PlannedChange(Generic[P]):
    """What was planned together, of one kind of record."""

    plans: Sequence[P]
    adapter: Adapter[P, Any] | None
    """None where nothing is planned."""
    left_out: Sequence[LeftOut] = ()
    settled: Sequence[LeftOut] = ()
    """What is as wanted already."""
    place: str = ""
    """Where it happens when that is not the project of the profile."""
    undoing: Undoing | None = None


async def carry_out(change: PlannedChange[P], session: ProjectSession, terms: WriteTerms) -> int:
    """Ask, send and report; the exit code. Raises Trouble when nothing could be sent."""
    report = ChangeReport(terms.printer)
    try:
        return await ask_and_send(change, session, terms, report)
    finally:
        report.close()


async def ask_and_send(
    change: PlannedChange[P], session: ProjectSession, terms: WriteTerms, report: ChangeReport
) -> int:
    """One question of a command, and what follows from its answer; the exit code. Raises Trouble."""
    apart = [*set_apart(change.left_out, LEFT_OUT), *set_apart(change.settled, NOTHING_TO_DO)]
    if terms.agreement.dry_run:
        return _dry_run(change, session, report)
    if not change.plans:
        return nothing_sent(apart, report)
    question = _question(change, session)
    approved = _settled(question, terms)
    if isinstance(approved, NotYet):
        return _not_agreed(question, approved, terms, report)
    results = await _sent(change, approved, session)
    if why := next((one.words for one in results.found if one.is_without_journal), ""):
        question = _question(change, session, why)
        approved = _settled(question, terms)
        if isinstance(approved, NotYet):
            return _not_agreed(question, approved, terms, report)
        results = await _sent(change, approved, session)
    left = [
        ChangeResult(plan.key, NOT_SENT, "was not sent", id=str(plan.id))
        for plan in change.plans
        if not any(result.id == str(plan.id) or result.key == plan.key for result in results.found)
    ]
    report.results([*results.found, *left, *apart])
    code = exit_code([*results.found, *left, *(one for one in apart if one.ending == LEFT_OUT)])
    return STOPPED if results.is_stopped else code


def _question(change: PlannedChange[P], session: ProjectSession, without_journal: str = "") -> Question[P]:
    rules, undoing = session.rules, change.undoing
    purpose = undoing.purpose if undoing is not None else None
    if change.place:
        rules = replace(rules, place=f"{rules.place} › {change.place}")
    question = guard(change.plans, rules, Around(change.left_out, purpose, without_journal))
    if isinstance(question, GuardRefused):
        fix = f"To go on: {question.next}." if question.next else ""
        raise Trouble(f"{question.reason}; nothing was sent.", fix, code="refused")
    return question


def _settled(question: Question[P], terms: WriteTerms) -> Approved[P] | NotYet:
    agreement, printer = terms.agreement, terms.printer
    person = NOBODY if printer.format != "table" else find_person()
    if printer.format == "table":
        show_question(question)
    given = Confirmation(
        agreement.yes,
        agreement.typed,
        agreement.reason,
        agreement.overwrite,
        without_journal=agreement.without_journal,
    )
    return settle(question, given, person)


def _not_agreed(question: Question[P], missing: NotYet, terms: WriteTerms, report: ChangeReport) -> int:
    """What was changed there first is told with all its sides; the rest is one sentence. Raises Trouble."""
    how = how_to_agree(question)
    if not question.clashes or terms.agreement.overwrite:
        raise Trouble(f"{missing.why}; nothing was sent. T{how[1:]}", code="refused")
    why = f"{missing.why}, so nothing was sent"
    clashing = [plan for plan in question.plans if plan.clashes]
    ended = [
        Outcome(plan, "conflicted", reason=why, next=how, clashes=tuple(plan.clashes)) for plan in clashing
    ]
    report.results(list(map(result_of, ended)))
    return EXIT_CODES["conflict"]


def _dry_run(change: PlannedChange[P], session: ProjectSession, report: ChangeReport) -> int:
    printer = report.printer
    if printer.format == "table" and not printer.fields and change.plans:
        show_question(_question(change, session))
        say("Nothing was sent: this was a dry run.")
        return 0
    planned = [ChangePlan(plan) for plan in change.plans]
    report.plans([*planned, *(ChangePlan(None, one) for one in (*change.left_out, *change.settled))])
    return 0 if planned else EXIT_CODES["nothing_to_do"]


@dataclass
class _Results:
    found: list[ChangeResult]
    is_stopped: bool = False


async def _sent(change: PlannedChange[P], approved: Approved[P], session: ProjectSession) -> _Results:
    results = _Results([])
    count = len(change.plans)
    undoing = change.undoing
    undoes = {key: back.id for key, back in undoing.undoes.items()} if undoing is not None else {}
    with _interrupts() as stop:
        stream = _outcomes(change, approved, session)
        try:
            async for outcome in stream:
                result = result_of(outcome, undoes.get(outcome.plan.key, ""))
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
    assert change.adapter is not None
    undoing = change.undoing
    signature = session.signature if undoing is None else undoing.signature
    context = WriteContext(session.journal, signature, session.clock, progress)
    batch = Batch(approved, change.adapter, context, undoing.undoes if undoing is not None else {})
    async for outcome in batch.run():
        if outcome.ending != "unknown":
            yield outcome
    async for outcome in batch.settle():
        yield outcome


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
