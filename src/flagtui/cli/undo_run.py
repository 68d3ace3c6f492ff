"""What `flagtui undo` and `flagtui redo` do: take back a change of this person through the pipeline."""

import asyncio
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from flagtui.api import Client
from flagtui.api.errors import ApiError
from flagtui.changes.adapter import WriteContext
from flagtui.changes.batch import Batch
from flagtui.changes.entry_kind import PreparedUndo, UndoContext
from flagtui.changes.guard import Around, Confirmation, GuardRefused, GuardRules, NotYet, Purpose, guard
from flagtui.changes.journal import Journal
from flagtui.changes.journal_entries import Ending, Entry, Signature
from flagtui.changes.left_out import LeftOut
from flagtui.changes.outcome import Outcome
from flagtui.changes.undo import Part, asked_together, parts_left, prepare_undo
from flagtui.changes.undo_list import (
    SURPRISING,
    next_redo,
    next_undo,
    undo_words,
    undoable,
    why_not,
)
from flagtui.cli.agreement import result_of
from flagtui.cli.confirmation import how_to_agree, settle, show_question
from flagtui.cli.errors import EXIT_CODES, Code, Trouble
from flagtui.cli.options import Agreement, WriteTerms
from flagtui.cli.output.lines import say
from flagtui.cli.profile_choice import Opening
from flagtui.cli.records.change_records import OUTCOME, PLAN, ChangePlan, ChangeResult
from flagtui.cli.rules import rules_of
from flagtui.cli.signed_in import ask, find_key, open_profile
from flagtui.cli.terminal_person import NOBODY, TerminalPerson, find_person
from flagtui.text.formats import ago

ALREADY: Final = "is as it was already; nothing was sent"
ANOTHER: Final = "To take back another change, give its id: flagtui journal shows the ids."
CODES: Final[dict[Ending, Code]] = {
    "conflicted": "conflict",
    "unknown": "not_known",
    "awaiting approval": "awaiting_approval",
    "refused": "refused",
    "failed": "failed",
}


def take_back(change: str, terms: WriteTerms, *, is_redo: bool = False) -> int:
    """The exit code. Raises Trouble for what has to be corrected before anything can be sent."""
    place, agreement, printer = terms.place, terms.agreement, terms.printer
    opening = open_profile(place.profile, place.project)
    rules = rules_of(opening.profile, read_only=place.read_only)
    as_json = printer.is_for_programs
    work = Work(opening, rules, agreement, as_json, NOBODY if as_json else find_person(), is_redo)
    try:
        code = ask(opening, find_key(opening), lambda client: work.run(client, change))
    except KeyboardInterrupt:
        if not work.is_on_its_way:
            raise
        words = "stopped while it was on its way; the next start of the app finds out whether it was done."
        print(f"flagtui: {words}", file=sys.stderr)
        return 130
    if as_json and agreement.dry_run:
        printer.records(PLAN, work.planned)
    elif as_json:
        printer.records(OUTCOME, work.told)
    return code


@dataclass
class Work:
    """One run of the command."""

    opening: Opening
    rules: GuardRules
    agreement: Agreement
    as_json: bool
    person: TerminalPerson
    is_redo: bool = False
    planned: list[ChangePlan] = field(default_factory=list)
    """What a dry run would take back."""
    told: list[ChangeResult] = field(default_factory=list)
    """How each part ended, for programs."""
    is_on_its_way: bool = False

    @property
    def answer(self) -> Confirmation:
        """What the options agree to."""
        given = self.agreement
        return Confirmation(
            given.yes, given.typed, given.reason, given.overwrite, without_journal=given.without_journal
        )

    async def run(self, client: Client, change: str) -> int:
        """Everything that was confirmed together, until something is not taken back."""
        if client.project == "@current":
            client = client.for_project(await client.projects.current())
        journal = Journal(self.opening.state_folder() / "journal")
        entries = await asyncio.to_thread(journal.entries)
        context = await self._context(client, entries)
        found = chosen(entries, change, context.signature, is_redo=self.is_redo)
        parts = [await parts_left(entry, entries, client) for entry in found]
        words = undo_words(found, is_redo=self.is_redo)
        now = client.connection.clock.time()
        ago_words = ago(found[0].at, now) if not change and now - found[0].at > SURPRISING else ""
        purpose = Purpose("Redo" if self.is_redo else "Undo", words, ago_words)
        questions = asked_together(parts)
        for number, together in enumerate(questions, 1):
            part = f"{number} of {len(questions)}" if len(questions) > 1 else ""
            door = UndoRun(context, journal, replace(purpose, part=part), is_newest=not change)
            if code := await self._take_back(together, door):
                return code
        return 0

    async def _context(self, client: Client, entries: Sequence[Entry]) -> UndoContext:
        try:
            me = await client.people.me()
        except ApiError:
            # A key that may not say whose it is may still write.
            me = None
        here = Signature(
            by=(me.email or me.label) if me else "",
            profile=self.opening.profile.name,
            host=str(client.host),
            project=str(client.project),
        )
        return UndoContext(client, here, client.connection.clock, me, entries)

    async def _take_back(self, together: Sequence[Part], door: "UndoRun") -> int:
        flags = frozenset(part.entry.record for part in together if part.entry.kind == "flag")
        ready: list[tuple[Part, PreparedUndo]] = []
        left_out: list[LeftOut] = []
        for part in together:
            prepared = await prepare_undo(part.entry, replace(door.context, together=flags))
            if isinstance(prepared, PreparedUndo):
                ready.append((part, prepared))
            elif prepared is None:
                self._tell_already(part.entry, is_newest=door.is_newest)
            elif len(together) == 1:
                raise Trouble(_sentence(part.entry.key, prepared.reason, prepared.next), code="refused")
            else:
                entry = part.entry
                left_out.append(LeftOut(entry.record, entry.key, prepared.reason, prepared.next))
        return await self._ask(ready, left_out, door) if ready else 0

    async def _ask(
        self,
        ready: Sequence[tuple[Part, PreparedUndo]],
        left_out: Sequence[LeftOut],
        door: "UndoRun",
        without_journal: str = "",
    ) -> int:
        where = ready[0][1].place
        place = f"{self.rules.place} › {where}" if where else self.rules.place
        around = Around(left_out, door.purpose, without_journal)
        question = guard([one.plan for _, one in ready], replace(self.rules, place=place), around)
        if isinstance(question, GuardRefused):
            raise Trouble(_sentence(ready[0][1].plan.key, question.reason, question.next), code="refused")
        if not self.as_json:
            show_question(question)
        if self.agreement.dry_run:
            self.planned += [ChangePlan(one.plan) for _, one in ready]
            return 0
        approved = settle(question, self.answer, self.person)
        if isinstance(approved, NotYet):
            return self._not_agreed(ready, how_to_agree(question, approved.why))
        undoes = {one.plan.key: part.undoes for part, one in ready}
        signature, clock = ready[0][1].signature, door.context.clock
        context = WriteContext(door.journal, signature, clock, self._say)
        batch = Batch(approved, ready[0][1].adapter, context, undoes)
        self.is_on_its_way = True
        async for _outcome in batch.run():
            pass
        async for _settled in batch.settle():
            pass
        self.is_on_its_way = False
        if not without_journal and (why := _unwritable(batch.outcomes)):
            return await self._ask(ready, left_out, door, why)
        entries = {part.undoes.id: part.entry for part, _ in ready}
        by_key = {one.plan.key: entries[part.undoes.id] for part, one in ready}
        for outcome in batch.outcomes:
            self._ended(by_key[outcome.plan.key], outcome)
        if batch.unsent:
            print(f"flagtui: {len(batch.unsent)} not sent because of that.", file=sys.stderr)
        return next((EXIT_CODES[CODES[one.ending]] for one in batch.outcomes if not one.is_saved), 0)

    def _not_agreed(self, ready: Sequence[tuple[Part, PreparedUndo]], words: str) -> int:
        clashing = [(part, one) for part, one in ready if one.plan.clashes]
        if not clashing or self.answer.overwrite:
            raise Trouble(f"{ready[0][1].plan.key}: {words}", code="refused")
        for part, one in clashing:
            conflict = Outcome(one.plan, "conflicted", reason=words, clashes=tuple(one.plan.clashes))
            self._ended(part.entry, conflict)
        return EXIT_CODES["conflict"]

    def _tell_already(self, entry: Entry, *, is_newest: bool) -> None:
        another = ANOTHER if is_newest else ""
        if self.as_json:
            self.told.append(ChangeResult(entry.key, "saved", ALREADY, another, undoes=entry.id))
        else:
            say(f"{entry.key} {ALREADY}. {another}".rstrip())

    def _ended(self, entry: Entry, outcome: Outcome) -> None:
        result = result_of(outcome, entry.id)
        if self.as_json:
            self.told.append(result)
        elif outcome.is_saved:
            say(f"{result.key} {result.words}." + (f" {result.next}" if result.next else ""))
        else:
            text = f"{result.key}: {result.ending}: {result.words}. {result.next}".rstrip()
            print(f"flagtui: {Trouble(text)}", file=sys.stderr)

    def _say(self, words: str) -> None:
        if not self.as_json:
            say(words)


@dataclass(frozen=True)
class UndoRun:
    """What every question of one run needs."""

    context: UndoContext
    journal: Journal
    purpose: Purpose
    is_newest: bool


def _unwritable(outcomes: Sequence[Outcome]) -> str:
    return next((one.reason for one in outcomes if one.is_without_journal), "")


def chosen(entries: Sequence[Entry], change: str, here: Signature, *, is_redo: bool) -> Sequence[Entry]:
    """The change with this id, or the newest with those that were confirmed with it. Raises Trouble."""
    if is_redo:
        if again := next_redo(entries, here):
            return again
        words = "there is nothing to redo: nothing was undone since your last change."
        raise Trouble(words, code="nothing_to_do")
    if not change:
        newest = next_undo(entries, here)
        if not newest:
            raise Trouble("there is nothing of yours to take back in this project.", code="nothing_to_do")
        if refusal := why_not(newest[0], here):
            words = f"{newest[0].key}, {newest[0].verb}"
            raise Trouble(_sentence(words, refusal.reason, refusal.next), ANOTHER, code="refused")
        return newest
    found = [entry for entry in entries if entry.id.startswith(change.lower())]
    if not found:
        what = f"no change {change} is in the journal."
        raise Trouble(what, "flagtui journal shows the ids.", code="not_found")
    if len(found) > 1:
        raise Trouble(f"{len(found)} changes begin with {change}; give more of the id.", code="usage")
    if refusal := why_not(found[0], here):
        raise Trouble(_sentence(found[0].key, refusal.reason, refusal.next), code="refused")
    if found[0] not in undoable(entries, here):
        raise Trouble(f"{found[0].key}: it was taken back already.", code="nothing_to_do")
    return found


def _sentence(key: str, reason: str, following: str) -> str:
    return f"{key}: {reason}." + (f" To go on: {following}." if following else "")
