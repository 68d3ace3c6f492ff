"""Report the outcomes of a command: sentences for people, one document for programs, an exit code."""

from asyncio import CancelledError
from collections.abc import Callable, Sequence
from typing import Any, Final, Self

import click
import msgspec
from msgspec.structs import replace

from flagtui.api.errors import (
    ApiError,
    EndpointNotFound,
    Invalid,
    NotOffered,
    PaymentNeeded,
    RateLimited,
)
from flagtui.changes.guard import GuardRefused
from flagtui.changes.pipeline import STOPPED as LEFT_IN_FLIGHT
from flagtui.changes.proposal import Outcome, Proposal
from flagtui.changes.skipped import Skipped
from flagtui.changes.unanswered import NEITHER, cause_words
from flagtui.changes.verbs import STATES
from flagtui.cli.plumbing.change_records import (
    CODES,
    NO_PLACE,
    OUTCOME,
    PLAN,
    SKIPPED,
    STAGED,
    UNCHANGED,
    ChangePlace,
    ChangePlan,
    ChangeResult,
    ending_words,
    id_words,
)
from flagtui.cli.plumbing.errors import EXIT_CODES, Code, Trouble, code_of, time_to_retry
from flagtui.cli.plumbing.next_commands import next_command
from flagtui.cli.plumbing.output.lines import VOICE, print_line, warn
from flagtui.cli.plumbing.output.printer import Printer
from flagtui.cli.plumbing.record_command import RecordCommand, command

STOPPED: Final = 130
CODES_OF_RESPONSES: Final[tuple[Code, ...]] = ("refused", "sign_in", "not_found", "rate_limited")
"""What a refusal can mean that another exit code is for."""
NOTHING_SENT: Final = "nothing was sent"
NOTHING_MORE: Final = "nothing more was sent"
AGAIN: Final = "run the command again to change the current record"
"""The next step after a conflict that the server, or the last read before the request, reported."""
MOST_LISTED: Final = 3
"""Differences of one record that are listed when it is saved."""


def change_command(name: str, **more: Any) -> Callable[[Callable[..., Any]], RecordCommand]:
    """Declare a command that changes records and prints the outcomes; a dry run prints plans."""
    return command(name, kind=OUTCOME, plans=PLAN, **more)


class ChangeReport(msgspec.Struct):
    """Report the changes of a command: a sentence each for people, one document for programs."""

    printer: Printer
    place: ChangePlace = NO_PLACE
    """Where the next results and plans belong."""
    _results: list[ChangeResult] = []
    _plans: list[ChangePlan] | None = None
    _has_results: bool = False
    _has_saved: bool = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _kind: object, fault: BaseException | None, _where: object) -> None:
        """Print pending results; leaving a later question does not mean that nothing was changed."""
        if self._plans is not None:
            self.printer.records(PLAN, self._plans)
        try:
            if self._results:
                self.printer.records(OUTCOME, self._results)
        except Trouble as trouble:
            # A filter fails after the changes were made: its exit code would mean that there are none.
            warn(f"{trouble} The report follows unfiltered.")
            replace(self.printer, jq=None).records(OUTCOME, self._results)
        if self._has_results and isinstance(fault, click.Abort | CancelledError):
            warn("stopped; changes made until then are reported.")
            raise click.exceptions.Exit(STOPPED)

    def results(self, results: Sequence[ChangeResult]) -> None:
        """Report outcomes; people see them immediately."""
        self._has_results = self._has_results or bool(results)
        self._has_saved = self._has_saved or any(result.ending == "saved" for result in results)
        results = [replace(result, place=self.place) for result in results]
        if self.printer.format != "table" or self.printer.fields:
            self._results += results
            return
        for result in results:
            if VOICE.is_quiet and result.ending in ("saved", STAGED, UNCHANGED):
                continue
            if result.ending in ("saved", STAGED):
                now = f": {result.now}" if result.now else ""
                print_line(f"{result.key} {result.message}{now}. {result.next}".rstrip())
            elif result.ending == UNCHANGED:
                what = f"{result.key}: unchanged: {result.message}; nothing was sent to {self.place.words}."
                print_line(f"{what} {result.next}".rstrip())
            else:
                now = f" Nothing was sent to {self.place.words}." if result.ending == SKIPPED else ""
                what = f"{result.key}: {ending_words(result.ending)}: {result.message.rstrip('.')}."
                warn(f"{what}{now} {_advice(result)}".rstrip())

    @property
    def not_sent(self) -> str:
        """`nothing was sent`, as far as that is true of the whole command."""
        return NOTHING_MORE if self._has_saved else NOTHING_SENT

    def plans(self, plans: Sequence[ChangePlan]) -> None:
        """Print what a dry run would change."""
        self._plans = [*(self._plans or ()), *(replace(plan, place=self.place) for plan in plans)]


def _advice(result: ChangeResult) -> str:
    """Return the next step as a sentence."""
    return f"To go on: {result.next}." if result.ending == SKIPPED and result.next else result.next


def results_of_skipped(skipped: Sequence[Skipped]) -> list[ChangeResult]:
    """Return the results of skipped records."""
    return [
        ChangeResult(
            it.key,
            UNCHANGED if it.is_no_op else SKIPPED,
            it.reason,
            it.next,
            id="" if (id := id_words(it.id)) == "0" else id,
        )
        for it in skipped
    ]


def nothing_sent(apart: Sequence[ChangeResult], report: ChangeReport) -> int:
    """Report why there is no question; return the exit code. Raises Trouble when no record was selected."""
    if not apart:
        raise Trouble("no record matches; nothing was sent.", code="nothing_to_do")
    report.results(apart)
    return exit_code(apart)


def exit_code(results: Sequence[ChangeResult]) -> int:
    """Return the exit code of the gravest ending."""
    endings = {result.ending: result for result in results}
    worst = next((endings[ending] for ending in CODES if ending in endings), None)
    return EXIT_CODES[worst.code or CODES[worst.ending]] if worst is not None else 0


def refusal(refused: GuardRefused, not_sent: str = NOTHING_SENT) -> Trouble:
    """Return the error for a change that the guard refuses."""
    fix = f"To go on: {refused.next}." if refused.next else ""
    return Trouble(f"{refused.reason}; {not_sent}.", fix, code="refused")


def result_of(outcome: Outcome, undoes: str = "", after_conflict: str = AGAIN) -> ChangeResult:
    """Return how a change ended; `undoes` is the journal entry that it undid."""
    plan, record, error, is_saved = outcome.plan, outcome.record, outcome.error, outcome.is_saved
    words, sentences = plan.verb.done, (*outcome.remarks, outcome.note, outcome.reason)
    if not is_saved:
        words, sentences = _failure_words(outcome, after_conflict)
    id = getattr(record, "id", plan.id)
    if is_saved and isinstance(id, int) and 0 < plan.id != id:
        # A copy names its number, and more of it.
        named = outcome.reason if outcome.reason.startswith(f"#{id}") else f"#{id}"
        sentences = (f"it is {named}", *(part for part in sentences if part != named))
    return ChangeResult(
        plan.key,
        outcome.ending.replace(" ", "_"),
        words,
        " ".join(f"{part[:1].upper()}{part[1:].rstrip('.')}." for part in sentences if part),
        _now(plan) if is_saved else "",
        "" if isinstance(id, int) and id <= 0 else str(id),
        getattr(record, "version", None) if is_saved else None,
        outcome.journal_id,
        undoes,
        outcome.conflicts,
        code=_code_of_refusal(outcome.ending, error) if error is not None else None,
    )


def _failure_words(outcome: Outcome, after_conflict: str) -> tuple[str, tuple[str, ...]]:
    """Return why a change is not saved, and what else is to be known, above all the next step."""
    words, sentences = outcome.reason or outcome.ending, (*outcome.remarks, outcome.note, outcome.next)
    if outcome.reason == LEFT_IN_FLIGHT:
        return f"{words}; the next undo or start of the app checks whether it was applied", sentences
    match outcome.ending:
        case "unknown":
            now = NEITHER if outcome.reason.endswith(NEITHER) else "the change may have been applied"
            words = f"{cause_words(outcome.error)}; {now}; it was not sent twice"
            return words, (f"it is in the journal: {next_command('journal')}",)
        case "conflicted":
            next_steps = sentences if outcome.record is None else (after_conflict,)
            return f"{words}; your change was not saved", next_steps
        case "refused" | "failed" if isinstance(outcome.error, RateLimited):
            return "too many requests; nothing was changed", (f"run again {time_to_retry(outcome.error)}",)
        case "refused" | "failed":
            return f"{words.rstrip('.')}; nothing was changed", sentences
    return words, sentences


def _code_of_refusal(ending: str, error: ApiError) -> Code | None:
    """Return what a refusal means where another exit code is for it."""
    # A dry run ends with the same code where it foresees the refusal.
    # A proxy, which proves nothing of the server, sends no code of the API.
    is_unknown = isinstance(error, EndpointNotFound) and error.code
    if is_unknown or isinstance(error, Invalid | PaymentNeeded | NotOffered):
        return "refused"
    code = code_of(error) if ending in ("refused", "failed") else None
    return code if code in CODES_OF_RESPONSES else None


def _now(plan: Proposal) -> str:
    """Return the first differences of a change that its name does not state: `rollout 10 % → 25 %`."""
    if plan.verb.name in STATES or plan.verb.name == "create":
        return ""
    # `has a new description` has named it.
    named = plan.verb.done.partition("new ")[2]
    differences = [line.words.removeprefix(f"{named}: ") for line in plan.lines[:MOST_LISTED]]
    differences += [f"{more} more"] if (more := len(plan.lines) - MOST_LISTED) > 0 else []
    return "; ".join(differences)
