"""How the changes of a command ended: sentences for people, one document for programs, an exit code."""

from asyncio import CancelledError
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Self

import click

from flagtui.changes.difference import MISSING, Clash
from flagtui.changes.guard import GuardRefused
from flagtui.changes.pipeline import STOPPED as LEFT_ON_ITS_WAY
from flagtui.changes.proposal import Outcome, Proposal, Skipped
from flagtui.changes.verbs import STATES
from flagtui.cli.plumbing.errors import EXIT_CODES, Code, Trouble, code_of
from flagtui.cli.plumbing.output.lines import say, warn
from flagtui.cli.plumbing.output.printer import Printer
from flagtui.cli.plumbing.output.record_schema import RecordField, RecordSchema
from flagtui.cli.plumbing.record_command import RecordCommand, command

STOPPED: Final = 130
NOTHING_TO_DO: Final = "nothing to do"
LEFT_OUT: Final = "skipped"
NOT_SENT: Final = "not sent"
CODES: Final[dict[str, Code]] = {
    "unknown": "not_known",
    "conflicted": "conflict",
    "awaiting approval": "awaiting_approval",
    "failed": "failed",
    "refused": "failed",
    NOT_SENT: "failed",
    LEFT_OUT: "refused",
    NOTHING_TO_DO: "nothing_to_do",
}
"""The gravest first: it decides how the command ends."""
TOLD_BY_THE_ANSWER: Final[tuple[Code, ...]] = ("sign_in", "not_found")
"""What a refusal can mean that another exit code is for."""
MOST_TOLD: Final = 3
"""Differences of one record that are told when it is saved."""


@dataclass(frozen=True)
class ChangeResult:
    """What became of one record."""

    key: str
    ending: str
    """`saved`, or one of CODES."""
    words: str = ""
    next: str = ""
    now: str = ""
    """What was saved, in words for people, where `words` does not say it."""
    id: str = ""
    version: int | None = None
    journal_id: str = ""
    undoes: str = ""
    clashes: Sequence[Clash] = ()
    code: Code | None = None
    """Why the server refused it, where that decides how the command ends."""


@dataclass(frozen=True)
class ChangePlan:
    """What one record would become, or why it stays as it is."""

    plan: Proposal | None
    left_out: Skipped | None = None

    @property
    def record(self) -> Any:
        return self.plan or self.left_out


def _sides(clashes: Sequence[Clash]) -> list[dict[str, Any]]:
    return [
        {"where": one.where, "was": one.seen, "yours": one.mine, "theirs": one.theirs, "by_you": one.is_own}
        for one in clashes
    ]


def _id(id: int | str) -> str:
    # A copy that is not there yet has the number of its original, below zero.
    return str(max(0, id) if isinstance(id, int) else id)


def _of(found: ChangePlan, name: str, missing: Any) -> Any:
    """Return an attribute of the plan; `missing` where nothing would change."""
    return missing if found.plan is None else getattr(found.plan, name)


def _raw(value: Any) -> Any:
    return None if value is MISSING else value


def _changes(found: ChangePlan) -> list[dict[str, Any]]:
    return [
        {"where": it.where, "words": it.words, "before": _raw(it.line.before), "after": _raw(it.line.after)}
        for it in _of(found, "lines", ())
    ]


OUTCOME: Final[RecordSchema[ChangeResult]] = RecordSchema(
    "change-result",
    "What became of one record that was to be changed.",
    (
        RecordField("key", "text", "What the record is called.", is_shown=True),
        RecordField("id", "text", "Its id; empty where it has none yet."),
        RecordField(
            "ending",
            "text",
            f"One of saved, {', '.join(ending.replace(' ', '_') for ending in CODES)}.",
            lambda one: one.ending.replace(" ", "_"),
            True,
            lambda ending: str(ending).replace("_", " "),
        ),
        RecordField("words", "text", "What is true of it now, or why not.", is_shown=True, is_long=True),
        RecordField("next", "text", "What to do about it.", is_shown=True, is_long=True),
        RecordField("version", "whole?", "The version that was saved."),
        RecordField("journal_id", "text", "What flagtui undo takes."),
        RecordField("undoes", "text", "The entry of the journal it took back."),
        RecordField(
            "clashes",
            "objects",
            "What was changed there since: where, was, yours, theirs, by_you.",
            lambda one: _sides(one.clashes),
        ),
    ),
)
PLAN: Final[RecordSchema[ChangePlan]] = RecordSchema(
    "change-plan",
    "What a change would do. Nothing was sent.",
    (
        RecordField("key", "text", "What the record is called.", lambda one: one.record.key, True),
        RecordField("id", "text", "Its id; 0 for a new one.", lambda one: _id(one.record.id)),
        RecordField("title", "text", "What would be done.", lambda one: _of(one, "title", ""), True),
        RecordField("versions", "text", "From which version to which.", lambda one: _of(one, "versions", "")),
        RecordField(
            "changes",
            "objects",
            "Each difference: where, words, before, after.",
            _changes,
            True,
            lambda found: "; ".join(one["words"] for one in found),
            is_long=True,
        ),
        RecordField(
            "cautions",
            "texts",
            "What to be careful about.",
            lambda one: [each.text for each in _of(one, "cautions", ())],
        ),
        RecordField(
            "clashes",
            "objects",
            "What another person changed there first.",
            lambda one: _sides(_of(one, "clashes", ())),
        ),
        RecordField(
            "left_out",
            "text",
            "Why nothing would be changed; empty when something would.",
            lambda one: f"{one.left_out.reason}; {one.left_out.next}".rstrip("; ") if one.left_out else "",
            True,
            is_long=True,
        ),
        RecordField(
            "consequences",
            "objects",
            "What follows: label, text.",
            lambda one: [{"label": each.label, "text": each.text} for each in _of(one, "consequences", ())],
            True,
            lambda found: "; ".join(f"{one['label']}: {one['text']}" for one in found),
            is_long=True,
        ),
    ),
)


def change_command(name: str, **more: Any) -> Callable[[Callable[..., Any]], RecordCommand]:
    """Declares a command that changes something and prints what became of it; a dry run prints plans."""
    return command(name, kind=OUTCOME, plans=PLAN, **more)


@dataclass
class ChangeReport:
    """Report the changes of a command: a sentence each for people, one document for programs."""

    printer: Printer
    _results: list[ChangeResult] = field(default_factory=list)
    _plans: list[ChangePlan] | None = None
    _is_told: bool = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _kind: object, fault: BaseException | None, _where: object) -> None:
        """Print pending results; leaving a later question does not mean that nothing was changed."""
        self.close()
        if self._is_told and isinstance(fault, click.Abort | CancelledError):
            warn("stopped; changes made until then are reported.")
            raise click.exceptions.Exit(STOPPED)

    def results(self, found: Sequence[ChangeResult]) -> None:
        """Report outcomes; people see them immediately."""
        self._is_told = self._is_told or bool(found)
        if self.printer.format != "table" or self.printer.fields:
            self._results += found
            return
        for result in found:
            if result.ending == "saved":
                now = f": {result.now}" if result.now else ""
                say(f"{result.key} {result.words}{now}. {result.next}".rstrip())
            else:
                now = " Nothing was changed." if result.ending in ("refused", "failed") else ""
                what = f"{result.key}: {result.ending}: {result.words.rstrip('.')}."
                warn(f"{what}{now} {result.next}".rstrip())

    def plans(self, found: Sequence[ChangePlan]) -> None:
        """What a dry run would change."""
        self._plans = [*(self._plans or ()), *found]

    def close(self) -> None:
        """Print pending plans and results."""
        if self._plans is not None:
            self.printer.records(PLAN, self._plans)
        if self._results:
            self.printer.records(OUTCOME, self._results)


def exit_code(results: Sequence[ChangeResult]) -> int:
    """That of the gravest ending."""
    endings = {result.ending: result for result in results}
    worst = next((endings[ending] for ending in CODES if ending in endings), None)
    return EXIT_CODES[worst.code or CODES[worst.ending]] if worst is not None else 0


def set_apart(skipped: Sequence[Skipped]) -> list[ChangeResult]:
    """What was asked for and is left as it is, as results."""
    ending = {True: NOTHING_TO_DO, False: LEFT_OUT}
    return [ChangeResult(it.key, ending[it.is_no_op], it.reason, it.next, str(it.id)) for it in skipped]


def nothing_sent(apart: Sequence[ChangeResult], report: ChangeReport) -> int:
    """Report why there is no question; the exit code. Raises Trouble for one reason alone."""
    if len(apart) == 1:
        code = CODES[apart[0].ending]
        fix = f"To go on: {apart[0].next}." if apart[0].next else ""
        raise Trouble(f"{apart[0].key}: {apart[0].words}; nothing was sent.", fix, code=code)
    if not apart:
        raise Trouble("nothing was found; nothing was sent.", code="nothing_to_do")
    report.results(apart)
    return exit_code(apart)


def refusal(refused: GuardRefused) -> Trouble:
    """That the guard does not even ask."""
    fix = f"To go on: {refused.next}." if refused.next else ""
    return Trouble(f"{refused.reason}; nothing was sent.", fix, code="refused")


def result_of(outcome: Outcome, undoes: str = "") -> ChangeResult:
    """How a change ended; `undoes` is the entry of the journal that it took back."""
    plan, record = outcome.plan, outcome.record
    words = plan.verb.done if outcome.is_saved else outcome.reason or outcome.ending
    said = (*outcome.remarks, outcome.note, outcome.reason if outcome.is_saved else outcome.next)
    if outcome.reason == LEFT_ON_ITS_WAY:
        words = f"{words}; the next start of the app finds out whether it was done"
    elif outcome.ending == "unknown":
        words = "no answer came, and whether it was done is not known; it was not sent twice"
        said = ("the journal keeps it: flagtui journal",)
    elif outcome.ending == "conflicted":
        words = f"{words}; nothing of yours was saved"
    code = code_of(outcome.error) if outcome.error and outcome.ending in ("refused", "failed") else None
    id = getattr(record, "id", plan.id)
    if outcome.is_saved and isinstance(id, int) and plan.id and id != plan.id and plan.id > 0:
        said = (f"it is #{id}", *said)
    return ChangeResult(
        plan.key,
        outcome.ending,
        words,
        " ".join(f"{part[:1].upper()}{part[1:].rstrip('.')}." for part in said if part),
        _now(plan) if outcome.is_saved else "",
        "" if isinstance(id, int) and id <= 0 else str(id),
        getattr(record, "version", None) if outcome.is_saved else None,
        outcome.journal_id,
        undoes,
        outcome.clashes,
        code=code if code in TOLD_BY_THE_ANSWER else None,
    )


def _now(plan: Proposal) -> str:
    """The first differences of a change whose name leaves them open: `rollout 10 % → 25 %`."""
    if plan.verb.name in STATES or plan.verb.name == "create":
        return ""
    # `has a new description` has named it.
    named = plan.verb.done.partition("new ")[2]
    told = [line.words.removeprefix(f"{named}: ") for line in plan.lines[:MOST_TOLD]]
    told += [f"{more} more"] if (more := len(plan.lines) - MOST_TOLD) > 0 else []
    return "; ".join(told)
