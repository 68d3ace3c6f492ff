"""From plans to their outcomes on the command line: the question, the answer, progress, results, a code."""

import asyncio
import signal
from collections.abc import Coroutine, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from typing import Any, ClassVar, Final, Generic

import click
from msgspec.structs import replace

from flagtui.changes.adapter import WriteContext
from flagtui.changes.guard import Approved, Confirmation, GuardRefused, NotYet, Question, noun_of_all
from flagtui.changes.pipeline import STOPPED as LEFT_IN_FLIGHT
from flagtui.changes.pipeline import Interface, run
from flagtui.changes.planner import Planned
from flagtui.changes.proposal import Outcome, P, R, Report
from flagtui.changes.unanswered import longest_watch
from flagtui.cli.plumbing.change_records import NOT_SENT, ChangePlace, ChangeResult
from flagtui.cli.plumbing.change_report import (
    AGAIN,
    NOTHING_MORE,
    ChangeReport,
    exit_code,
    nothing_sent,
    refusal,
    result_of,
    results_of_skipped,
)
from flagtui.cli.plumbing.dry_run import dry_run
from flagtui.cli.plumbing.errors import EXIT_CODES, Trouble
from flagtui.cli.plumbing.options import WriteTerms
from flagtui.cli.plumbing.output.lines import VOICE, progress
from flagtui.cli.plumbing.project_session import ProjectSession
from flagtui.cli.plumbing.prompts import Prompts, find_prompts
from flagtui.cli.plumbing.shown_questions import FOR_PEOPLE, how_to_agree, show_conflicts, show_question
from flagtui.text.formats import count


async def carry_out(planned: Planned[Any, P], session: ProjectSession, terms: WriteTerms) -> int:
    """Ask, send and report; the exit code. Raises Trouble when nothing could be sent, ApiError."""
    with ChangeReport(terms.printer) as report:
        return await ask_and_send(planned, session, terms, report)


async def ask_and_send(
    planned: Planned[Any, P],
    session: ProjectSession,
    terms: WriteTerms,
    report: ChangeReport,
    interface: "TerminalInterface[Any, Any] | None" = None,
) -> int:
    """Ask the question of a command, send, and return the exit code.

    `interface` is a `TerminalInterface` unless given. Raises Trouble, and ApiError for a record that could
    not be read.
    """
    if planned.refused is not None:
        raise planned.refused
    report.place = place_of(session, planned.project)
    if terms.agreement.stage and planned.skipped:
        from flagtui.cli.plumbing.staging import skipped_after_staged

        planned = replace(planned, skipped=skipped_after_staged(session, planned.skipped))
    if (most := terms.agreement.max_changes) is not None:
        check_count(len(planned.plans), noun_of_all(planned.plans), most)
    apart = results_of_skipped(planned.skipped)
    if terms.agreement.is_kept and planned.plans:
        # Few changes are kept; loading what keeps them would delay all others.
        from flagtui.cli.plumbing import staging

        if terms.agreement.stage:
            return await staging.stage_plans(planned, session, terms, report)
        await staging.write_plans(planned, session, terms)
    elif terms.agreement.out:
        is_no_op = all(skipped.is_no_op for skipped in planned.skipped)
        what = "Nothing would change" if is_no_op else "Nothing can be changed"
        progress(f"{what}, so no change set was written.")
    if terms.agreement.dry_run:
        return await dry_run(planned, session, terms.agreement, report)
    if not planned.plans:
        return nothing_sent(apart, report)
    interface = interface or TerminalInterface(terms, report, planned)
    try:
        signature = session.signature
        if planned.signature is not None:
            signature = planned.signature.made_from(signature)
        wait, project = terms.agreement.wait, planned.project or session.client.project
        requests = session.client.for_project(project).change_requests if wait else None
        context = WriteContext(session.journal, signature, session.clock, progress, wait, requests)
        ended = await run(planned, interface, session.rules, context)
    except (Trouble, click.Abort):
        report.results(interface.results(interface.ended_so_far))
        raise
    if ended is None:
        report.results(apart)
        return EXIT_CODES["conflict"]
    results = [*interface.results(ended), *apart]
    report.results(results)
    code = exit_code(results)
    is_stopped = interface.interrupts.is_asked and not ended.is_saved
    return interface.interrupts.exit_code if is_stopped else code


def check_count(
    number: int, noun: str, most: int | None, effect: str = "change", *, is_least: bool = False
) -> None:
    """Raise Trouble for more records than `--max-changes`; with `is_least`, there may be more of them."""
    if most is not None and number > most:
        at_least = "at least " if is_least else ""
        what = f"{at_least}{count(number, noun)} would {effect}; --max-changes allows {most:,}"
        raise Trouble(f"{what}; nothing was sent.", "Select fewer, or raise --max-changes.", code="refused")


STOP_SIGNALS: Final = (signal.SIGINT, signal.SIGHUP, signal.SIGTERM)


class Interrupts:
    """Ctrl+C, SIGTERM or a closed terminal while changes are in flight: the change in flight is finished."""

    number = 0
    """The first signal that came; 0 for none."""

    def __enter__(self) -> None:
        self._task, self._loop = asyncio.current_task(), asyncio.get_running_loop()
        self._before: dict[signal.Signals, Any] = {}
        for number in STOP_SIGNALS:
            before = signal.getsignal(number)
            # Only the main thread of a Unix process can handle signals; a signal ignored (nohup) stays so.
            with suppress(NotImplementedError, RuntimeError, ValueError):
                if before is not signal.SIG_IGN:
                    self._loop.add_signal_handler(number, self._stop, number)
                    self._before[number] = before

    @property
    def is_asked(self) -> bool:
        """Whether a signal asked to stop."""
        return self.number != 0

    @property
    def exit_code(self) -> int:
        """The exit code that a shell reports for the signal."""
        return 128 + (self.number or signal.SIGINT)

    def _stop(self, number: signal.Signals) -> None:
        if self.is_asked and self._task is not None:
            self._task.cancel()
            return
        self.number = number
        # A closed terminal takes no message.
        with suppress(OSError):
            progress("stopping after the change in flight; ctrl+c again stops without waiting for it")

    def __exit__(self, *_raised: object) -> None:
        for number, before in self._before.items():
            self._loop.remove_signal_handler(number)
            # The loop restores Python's default handler, which would end the report.
            with suppress(ValueError):
                signal.signal(number, before)


class TerminalInterface(Interface[P, R], Generic[P, R]):
    """Ask and report in lines; the user at the terminal or the options of the command confirm."""

    after_conflict: ClassVar[str] = AGAIN
    """The next step after a conflict that the server, or the last read, reported."""

    def __init__(self, terms: WriteTerms, report: ChangeReport, planned: Planned[Any, P]) -> None:
        self._terms = terms
        self._report = report
        self._adapter, self._plans = planned.adapter, planned.plans
        self._undoes = {plan: back.id for plan, back in planned.undoes.items()}
        self.interrupts = Interrupts()
        """Signals that leave changes unsent."""
        self._heard = list[Outcome[P, R]]()
        self._is_watching = False
        """Nothing is in flight any more; changes without a response are looked up."""
        self.ended_so_far = Report[P, R]()
        """Outcomes from before the journal became unwritable."""

    def refuse(self, refused: GuardRefused) -> None:
        """Raise Trouble."""
        raise refusal(refused, self._report.not_sent)

    async def confirm(self, question: Question[P]) -> Approved[P] | None:
        """Confirm the question and show conflicts in full. Raises Trouble for what else is missing."""
        given, printer = self._terms.agreement, self._terms.printer
        is_agreed = given.yes or bool(given.typed)
        if printer.format == "table" and not (VOICE.is_quiet and is_agreed):
            show_question(question, self._report.place)
        answer = Confirmation(
            given.yes, given.typed, given.reason, given.overwrite, without_journal=given.without_journal
        )
        if printer.format == "table" and (person := find_prompts()).is_there:
            answer = ask_person(question, answer, person)
        approved = question.settle(answer)
        if not isinstance(approved, NotYet):
            self._plans, self._heard, self._is_watching = question.plans, [], False
            return approved
        how = how_to_agree(question)
        not_sent = NOTHING_MORE if self.ended_so_far.saved else self._report.not_sent
        if not question.conflicts or given.overwrite:
            raise Trouble(f"{approved.why}; {not_sent}.", f"T{how[1:]}", code="refused")
        why = f"{question.conflict_words}, so {not_sent}"
        ended: list[Outcome[P, R]] = [
            Outcome(plan, "conflicted", reason=why, next=how, conflicts=tuple(plan.conflicts))
            for plan in question.plans
            if plan.conflicts
        ]
        unsent = [plan for plan in question.plans if not plan.conflicts]
        self._report.results(self.results(Report(tuple(ended), tuple(unsent))))
        return None

    async def run_to_end(self, saving: Coroutine[Any, Any, Report[P, R]]) -> Report[P, R]:
        """Stop after the change in flight on Ctrl+C; a second one does not wait for it."""
        with self.interrupts:
            try:
                ended = await saving
            except asyncio.CancelledError:
                heard = {id(outcome.plan) for outcome in self._heard}
                left = [plan for plan in self._plans if id(plan) not in heard]
                groups = () if self._is_watching or self._adapter is None else self._adapter.groups(left)
                begun = next(iter(groups), ())
                stopped: list[Outcome[P, R]] = [
                    Outcome(plan, "unknown", reason=LEFT_IN_FLIGHT) for plan in begun
                ]
                unsent = [plan for plan in left if not any(plan is each for each in begun)]
                return Report((*self._heard, *stopped), tuple(unsent))
            done = (outcome for outcome in ended.outcomes if not outcome.is_without_journal)
            self.ended_so_far = Report((*self.ended_so_far.outcomes, *done))
            return ended

    def show(self, _plans: Sequence[P]) -> AbstractContextManager[None]:
        return nullcontext()

    async def on_outcome(self, outcome: Outcome[P, R]) -> bool:
        self._heard.append(outcome)
        if outcome.conflicts and self._terms.printer.format in FOR_PEOPLE:
            show_conflicts(outcome.plan.key, outcome.plan.noun, outcome.conflicts, progress)
        if outcome.ending != "unknown":
            self._print_progress(outcome)
        return not self.interrupts.is_asked or len(self._heard) == len(self._plans)

    def watch(self, report: Report[P, R], watched: Sequence[Outcome[P, R]]) -> AbstractContextManager[None]:
        self._is_watching = True
        if watched and (longest := longest_watch(self._terms.agreement.wait)) > 0:
            keys = ", ".join(outcome.plan.key for outcome in watched)
            progress(f"checking whether {keys} was changed, for {longest:g} s at most")
        return nullcontext()

    async def on_settled(self, outcome: Outcome[P, R]) -> None:
        self._heard = [outcome if heard.plan is outcome.plan else heard for heard in self._heard]
        self._print_progress(outcome)

    def _print_progress(self, outcome: Outcome[P, R]) -> None:
        if len(self._plans) > 1:
            progress(f"{len(self._heard):,}/{len(self._plans):,}  {outcome.plan.key}  {outcome.ending}")

    def results(self, ended: Report[P, R]) -> list[ChangeResult]:
        """Return how each change ended, and the unsent ones."""
        sent = [
            result_of(outcome, self._undoes.get((outcome.plan.id, outcome.plan.key), ""), self.after_conflict)
            for outcome in ended.outcomes
        ]
        unsent = [ChangeResult(plan.key, NOT_SENT, "was not sent", id=str(plan.id)) for plan in ended.unsent]
        return [*sent, *unsent]


def place_of(session: ProjectSession, project: int | None = None) -> ChangePlace:
    """Return where changes of the session happen; `project` is that of an undo elsewhere."""
    return ChangePlace(str(project or session.client.project), session.client.host.origin)


def ask_person(question: Question[Any], given: Confirmation, person: Prompts) -> Confirmation:
    """Prompt a person for the parts that the options leave open."""
    answer = given
    if question.conflicts and not answer.overwrite:
        whose = {"you": "your later changes", "others": "the changes of another user"}
        is_agreed = person.agree(f"Overwrite {whose.get(question.overwritten, 'the later changes')}?")
        answer = replace(answer, overwrite=is_agreed, yes=answer.yes or is_agreed)
        if not is_agreed:
            return answer
    if question.planned.without_journal and not answer.without_journal:
        agreed = person.agree("Continue without the journal? You cannot undo the change from here then.")
        answer = replace(answer, without_journal=agreed)
        if not agreed:
            return answer
    if question.reason_required and not answer.reason.strip():
        answer = replace(answer, reason=person.ask("Why, for the journal", ""))
    if question.type_this is not None and not answer.typed:
        return replace(answer, typed=person.ask(f"To confirm, type {question.type_this}", ""))
    if question.type_this is None and not answer.yes:
        return replace(answer, yes=person.agree("Do it?"))
    return answer
