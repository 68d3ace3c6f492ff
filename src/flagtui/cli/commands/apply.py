"""`flagtui apply`: the only command that sends a change set, as one journal group with one undo."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Final

import click
import msgspec
from msgspec.structs import replace

from flagtui.changes.adapter import WriteContext
from flagtui.changes.proposal import Outcome, Purpose
from flagtui.changes.sets.applied_changes import DELETED
from flagtui.changes.sets.change_set import ChangeSet, StagedChange
from flagtui.changes.sets.outdated import OutdatedChange
from flagtui.changes.sets.set_files import hold, lock_name
from flagtui.changes.sets.set_plans import SetPlan, plan_set
from flagtui.changes.sets.set_progress import (
    AFTER_REFUSAL,
    AfterRefusal,
    SetProgress,
    choices_after_refusal,
    progress_of,
)
from flagtui.changes.skipped import Skipped
from flagtui.cli.commands.undo import undo_entries
from flagtui.cli.plumbing.change_records import UNCHANGED, ChangeResult
from flagtui.cli.plumbing.change_report import ChangeReport, change_command, exit_code, results_of_skipped
from flagtui.cli.plumbing.confirmation import TerminalInterface, ask_and_send, place_of
from flagtui.cli.plumbing.errors import EXIT_CODES, Trouble, code_of
from flagtui.cli.plumbing.next_commands import next_command
from flagtui.cli.plumbing.options import WriteTerms
from flagtui.cli.plumbing.output.lines import print_line, progress
from flagtui.cli.plumbing.project_session import ProjectSession
from flagtui.cli.plumbing.prompts import NO_PROMPTS, Prompts, find_prompts
from flagtui.cli.plumbing.session_context import SessionContext
from flagtui.cli.plumbing.set_sources import SetSource, find_source
from flagtui.cli.plumbing.shown_questions import FOR_PEOPLE, show_conflicts
from flagtui.cli.plumbing.staging import as_trouble, sets_folder
from flagtui.cli.plumbing.value_types import SetName
from flagtui.models.flag_rows import row_of_object
from flagtui.models.rows import FlagRow
from flagtui.store.kinds import BY_ENTRY, EVENTS
from flagtui.text.formats import count as count_words
from flagtui.text.set_words import order_note

WORDS: Final[Mapping[AfterRefusal, str]] = {
    "stop": "stop here",
    "undo": "undo what was applied",
    "continue": "continue with the rest",
}
OPERATIONS: Final = (
    *("flags.list", "flags.get", "flags.create", "flags.update", "flags.activity"),
    *("event_definitions.get", "event_definitions.update"),
)


@change_command(
    "apply",
    operations=OPERATIONS,
    never_staged="it applies what is staged",
    line="Apply a change set: a file, the staged set or a proposal.",
    examples=("staged --dry-run", "staged --yes --json"),
)
@click.argument("source", metavar="FILE|staged|PROPOSAL", type=SetName())
@click.option(
    "--on-refusal",
    type=click.Choice(AFTER_REFUSAL),
    help="When the server refuses a change: stop (the default), undo what was applied, or continue.",
)
async def apply(
    session: ProjectSession, source: str, on_refusal: AfterRefusal | None, terms: WriteTerms
) -> int:
    """Apply a change set: one question, one group in the journal, one undo.

    Every record is read and compared with the version that the set is based on before anything is sent, and
    again right before its own request. When one has changed since, and lacks its new values, nothing is sent:
    the exit code is 4, and --overwrite plans the set on the current records. After a crash, apply it again:
    what was applied is in the journal and is not sent twice.
    """
    place = find_source(session, source)
    name = lock_name(place.file) if place.is_staged else f"apply-{place.change_set.id}"
    with as_trouble(), hold(sets_folder(session), name, "flagtui apply"):
        # Another program may have changed it meanwhile.
        place = find_source(session, source)
        with ChangeReport(terms.printer, place_of(session)) as report:
            return await ApplyRun(session, place, terms, report, on_refusal).run()


class ApplyRun(msgspec.Struct):
    """One call of the command."""

    session: ProjectSession
    source: SetSource
    terms: WriteTerms
    report: ChangeReport
    on_refusal: AfterRefusal | None = None

    @property
    def change_set(self) -> ChangeSet:
        return self.source.change_set

    async def run(self) -> int:
        """Plan, ask, send and report; the exit code. Raises Trouble."""
        self._check_place()
        if not self.change_set.changes:
            raise Trouble(f"{self.source.words} has no changes; nothing was sent.", code="nothing_to_do")
        await self.session.me()
        plan = await self._plan()
        if plan.planned is None:
            self._remove_staged()
            return self._report_applied(plan.lost)
        count = len(self.change_set.changes)
        if applied := count - len(plan.left):
            progress(f"{applied:,} of {count:,} changes were applied before")
        if plan.outdated:
            return self._report_outdated(plan.outdated)
        if plan.blocked:
            return self._report_blocked(plan.blocked)
        return await self._send(plan.planned, len(plan.progress.saved))

    def _check_place(self) -> None:
        """Raise Trouble for a set of another server or project."""
        here, intended = self.session.signature, self.change_set
        if (intended.host, intended.project) != (here.host, here.project):
            what = f"{self.source.words} belongs to project {intended.project} of {intended.host}"
            fix = f"This profile works in project {here.project} of {here.host}; use --profile or --project."
            raise Trouble(f"{what}; nothing was sent.", fix, code="refused")

    async def _plan(self) -> SetPlan:
        """Plan the rest of the set. Raises Trouble while the outcome of an earlier run is not known."""
        session, agreement = self.session, self.terms.agreement
        wait = 0.0 if agreement.dry_run else agreement.wait
        writing = WriteContext(session.journal, session.signature, session.clock, progress, wait)
        context = ListedContext(session, self.terms)
        plan = await plan_set(self.change_set, context, writing, is_overwriting=agreement.overwrite)
        if plan.pending:
            names = ", ".join(entry.key for entry in plan.pending)
            what = f"whether an earlier run changed {names} is not known yet; nothing was sent."
            raise Trouble(what, "Apply the set again in a minute.", code="not_known", retryable=True)
        return plan

    def _report_blocked(self, blocked: Sequence[Skipped]) -> int:
        results, errors = results_of_skipped(blocked), [skipped.error for skipped in blocked if skipped.error]
        self.report.results(results)
        progress("Nothing was sent: a set is applied as a whole.")
        return EXIT_CODES[code_of(errors[0])] if errors else exit_code(results)

    def _report_applied(self, lost: Sequence[Skipped]) -> int:
        """Report that nothing is left; changes that are not in effect any more are conflicts."""
        gone = {each.id: each.reason for each in lost}
        results = [
            _result_of_lost(change, gone[change.record])
            if change.record in gone
            else ChangeResult(change.key, UNCHANGED, "the set was applied already")
            for change in self.change_set.changes
        ]
        self.report.results(results)
        return exit_code(results)

    def _report_outdated(self, outdated: Sequence[OutdatedChange]) -> int:
        results = [
            ChangeResult(
                item.change.key,
                "conflicted",
                f"{item.words}, so nothing was sent",
                _how_to_go_on(item),
                id=str(item.change.record),
                conflicts=item.conflicts,
            )
            for item in outdated
        ]
        self.report.results(results)
        if self.terms.printer.format in FOR_PEOPLE:
            # Beside the table of a script, the values are for the reader of its log.
            show = print_line if self.terms.printer.format == "table" else progress
            for item in outdated:
                show_conflicts(item.change.key, item.change.kind, item.conflicts, show)
        return exit_code(results)

    async def _send(self, planned: Any, applied_before: int) -> int:
        count = len(planned.plans)
        words = count_words(count, "change")
        reason = self.change_set.reason
        purpose = Purpose("Apply", f"{words}, {reason}" if reason else words)
        planned = replace(planned, purpose=purpose, batch=self.change_set.id, note=order_note(count))
        agreement = self.terms.agreement
        terms = replace(self.terms, agreement=replace(agreement, reason=agreement.reason or reason))
        prompts = find_prompts() if terms.printer.format == "table" else NO_PROMPTS
        interface = ApplyInterface(terms, self.report, planned, self.on_refusal, prompts, applied_before)
        code = await ask_and_send(planned, self.session, terms, self.report, interface)
        after = progress_of(self.change_set, await asyncio.to_thread(self.session.journal.entries))
        # Without a journal, the outcomes alone show that all of it is applied.
        if not code or not after.left_of(self.change_set):
            self._remove_staged()
        elif interface.choice == "undo" and after.saved:
            return await self._undo(after, terms) or code
        elif effect := interface.effect_of_another_run:
            undo = f", {next_command('undo')} reverts" if after.saved else ""
            name = "staged" if self.source.is_staged else str(self.source.file.path)
            fix = f"{next_command('apply', name)} {effect}{undo}"
            applied = len(after.applied_of(self.change_set))
            counted = f"{applied:,} of {len(self.change_set.changes):,} changes are applied"
            progress(f"{counted}; {fix}")
        return code

    async def _undo(self, after: SetProgress, terms: WriteTerms) -> int:
        words = f"{count_words(len(after.saved), 'change')} of the set"
        agreed = replace(terms, agreement=replace(terms.agreement, yes=True))
        return await undo_entries(self.session, after.saved, agreed, self.report, Purpose("Undo", words))

    def _remove_staged(self) -> None:
        if self.source.is_staged and not self.terms.agreement.dry_run:
            self.source.file.remove()


def _result_of_lost(change: StagedChange, reason: str) -> ChangeResult:
    """Return the result of an applied change that is no longer in effect."""
    next = "Create a new set to change the current record."
    if reason == DELETED and change.kind != EVENTS.entry:
        kind = BY_ENTRY[change.kind].plural
        next = f"Restore it with: {next_command(kind, 'restore', change.key)}"
    return ChangeResult(change.key, "conflicted", f"{reason}; nothing was sent", next)


def _how_to_go_on(outdated: OutdatedChange) -> str:
    if outdated.is_deleted:
        kind = BY_ENTRY[outdated.change.kind].plural
        return f"Restore it first: {next_command(kind, 'restore', outdated.change.key)}"
    return "To apply the set to the current records: --overwrite"


class ListedContext(SessionContext):
    """The project of a set: one list has the rows of all flags and the whole of those that change."""

    _listed: asyncio.Task[list[dict[str, Any]]] | None = None

    async def listed_flags(self) -> Sequence[dict[str, Any]]:
        if self._listed is None:
            self._listed = asyncio.ensure_future(self.client.flag_objects.all())
        return await self._listed

    async def all_flags(self, *, has_archived: bool = False) -> Sequence[FlagRow]:
        if has_archived:
            return await super().all_flags(has_archived=True)
        return [row_of_object(raw) for raw in await self.listed_flags()]


class ApplyInterface(TerminalInterface[Any, Any]):
    """Stops at the first refusal, and asks whether to undo or to continue."""

    after_conflict = "apply the set again to see what changed"
    choice: AfterRefusal | None = None
    """What follows the first refusal; None without one."""

    def __init__(
        self,
        terms: WriteTerms,
        report: ChangeReport,
        planned: Any,
        on_refusal: AfterRefusal | None,
        prompts: Prompts,
        applied_before: int = 0,
    ) -> None:
        """`applied_before` changes of the set were applied by earlier runs."""
        super().__init__(terms, report, planned)
        self._applied_before = applied_before
        self._on_refusal = on_refusal
        self._prompts = prompts

    async def on_outcome(self, outcome: Outcome) -> bool:
        goes_on = await super().on_outcome(outcome)
        if outcome.is_saved or outcome.ending == "unknown" or outcome.is_without_journal:
            return goes_on
        if self.choice is None:
            self.choice = self._on_refusal or self._choose(outcome)
        return goes_on and self.choice == "continue"

    @property
    def effect_of_another_run(self) -> str:
        """The effect of the same command when it runs again; empty before the first outcome."""
        endings = {outcome.ending for outcome in self._heard}
        if "conflicted" in endings:
            return "shows what changed since"
        if "awaiting approval" in endings:
            return "continues once it is approved"
        return "continues" if endings else ""

    def _choose(self, outcome: Outcome) -> AfterRefusal:
        applied = self._applied_before + sum(bool(heard.undo_words) for heard in self._heard)
        choices = choices_after_refusal(applied, len(self._plans) - len(self._heard))
        if not self._prompts.is_there or len(choices) == 1:
            return "stop"
        progress(f"{outcome.plan.key}: {outcome.ending}: {outcome.reason}")
        try:
            return choices[self._prompts.choose("What next", [WORDS[choice] for choice in choices])]
        except click.Abort:
            # What was applied is still reported, below the line of the question.
            print_line("")
            return "stop"
