"""`flagtui undo`: takes back one change of this person through the pipeline of changes."""

import asyncio
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import click

from flagtui.api import Client
from flagtui.api.errors import ApiError
from flagtui.changes.difference import Clash
from flagtui.changes.flags.flag_refusals import Blocked
from flagtui.changes.guard import Confirmation, GuardRefused, GuardRules, NotYet
from flagtui.changes.journal import Journal
from flagtui.changes.journal_entries import Ending, Entry, Signature
from flagtui.changes.undo import BackEnded, PreparedUndo, UndoTools, parts_left, prepare_undo
from flagtui.changes.undo_list import as_left, undoable, why_not
from flagtui.cli.confirmation import how_to_agree, settle, show_question
from flagtui.cli.errors import EXIT_CODES, Code, Trouble
from flagtui.cli.options import WriteTerms
from flagtui.cli.output.lines import say
from flagtui.cli.profile_choice import Opening
from flagtui.cli.records.change_records import OUTCOME, PLAN, ChangePlan, ChangeResult
from flagtui.cli.rules import rules_of
from flagtui.cli.signed_in import ask, find_key, open_profile
from flagtui.cli.terminal_person import NOBODY, TerminalPerson, find_person
from flagtui.cli.twin_command import TwinCommand

ALREADY: Final = "is as it was already; nothing was sent"
ANOTHER: Final = "To take back another change, give its id: flagtui journal shows the ids."
CODES: Final[dict[Ending, Code]] = {
    "conflicted": "conflict",
    "unknown": "not_known",
    "awaiting approval": "awaiting_approval",
    "refused": "refused",
    "failed": "failed",
}


def take_back(change: str, terms: WriteTerms) -> int:
    """The exit code. Raises Trouble for what has to be corrected before anything can be sent."""
    place, agreement, printer = terms.place, terms.agreement, terms.printer
    opening = open_profile(place.profile, place.project)
    rules = rules_of(opening.profile, read_only=place.read_only)
    as_json = printer.is_for_programs
    answer = Confirmation(
        agreement.yes,
        agreement.typed,
        agreement.reason,
        agreement.overwrite,
        without_journal=agreement.without_journal,
    )
    work = Work(opening, rules, answer, as_json, NOBODY if as_json else find_person(), agreement.dry_run)
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
    answer: Confirmation
    as_json: bool
    person: TerminalPerson
    is_dry: bool = False
    planned: list[ChangePlan] = field(default_factory=list)
    """What a dry run would take back."""
    told: list[ChangeResult] = field(default_factory=list)
    """How each part ended, for programs."""
    is_on_its_way: bool = False

    async def run(self, client: Client, change: str) -> int:
        """Everything that was confirmed together, one after the other, until one is not taken back."""
        if client.project == "@current":
            client = client.for_project(await client.projects.current())
        tools = await self._tools(client)
        entries = await asyncio.to_thread(tools.journal.entries)
        for entry in chosen(entries, change, tools.signature):
            parts = await parts_left(as_left(entry, entries), client)
            for part in parts:
                undoes = entry.id if part is parts[-1] else ""
                prepared = await prepare_undo(part, tools, undoes, entries)
                if prepared is None:
                    self._ended(part, BackEnded(part.key, "saved", ALREADY, "" if change else ANOTHER))
                elif code := await self._take_back(part, prepared):
                    return code
        return 0

    async def _tools(self, client: Client) -> UndoTools:
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
        journal = Journal(self.opening.state_folder() / "journal")
        return UndoTools(client, journal, here, client.connection.clock, me, self._say)

    async def _take_back(self, part: Entry, prepared: PreparedUndo | Blocked) -> int:
        if isinstance(prepared, Blocked):
            raise Trouble(_sentence(part.key, prepared.reason, prepared.next), code="refused")
        place = f"{self.rules.place} › {prepared.place}" if prepared.place else self.rules.place
        question = prepared.ask(replace(self.rules, place=place))
        if isinstance(question, GuardRefused):
            raise Trouble(_sentence(part.key, question.reason, question.next), code="refused")
        if not self.as_json:
            show_question(question)
        if self.is_dry:
            self.planned.append(ChangePlan(prepared.plan))
            return 0
        approved = settle(question, self.answer, self.person)
        if isinstance(approved, NotYet):
            return self._not_agreed(part, prepared, how_to_agree(question, approved.why))
        self.is_on_its_way = True
        ended = await prepared.send(approved)
        self.is_on_its_way = False
        self._ended(part, ended)
        return 0 if ended.ending == "saved" else EXIT_CODES[CODES[ended.ending]]

    def _not_agreed(self, part: Entry, prepared: PreparedUndo, words: str) -> int:
        if not prepared.plan.clashes or self.answer.overwrite:
            raise Trouble(f"{part.key}: {words}", code="refused")
        self._ended(part, BackEnded(part.key, "conflicted", words), prepared.plan.clashes)
        return EXIT_CODES["conflict"]

    def _ended(self, part: Entry, ended: BackEnded, clashes: Sequence[Clash] = ()) -> None:
        if self.as_json:
            told = ChangeResult(
                ended.key, ended.ending, ended.words, ended.next, undoes=part.id, clashes=clashes
            )
            self.told.append(told)
        elif ended.ending == "saved":
            say(f"{ended.key} {ended.words}." + (f" {ended.next}" if ended.next else ""))
        else:
            words = f"{ended.key}: {ended.ending}: {ended.words}. {ended.next}".rstrip()
            print(f"flagtui: {Trouble(words)}", file=sys.stderr)

    def _say(self, words: str) -> None:
        if not self.as_json:
            say(words)


def chosen(entries: Sequence[Entry], change: str, here: Signature) -> list[Entry]:
    """The change with this id, or the newest with those that were confirmed with it. Raises Trouble."""
    open_ones = undoable(entries, here)
    if not change:
        if not open_ones:
            raise Trouble("there is nothing of yours to take back in this project.", code="nothing_to_do")
        batch = open_ones[0].batch
        return [entry for entry in open_ones if entry.batch == batch] if batch else open_ones[:1]
    found = [entry for entry in entries if entry.id.startswith(change.lower())]
    if not found:
        raise Trouble(
            f"no change {change} is in the journal.", "flagtui journal shows the ids.", code="not_found"
        )
    if len(found) > 1:
        raise Trouble(f"{len(found)} changes begin with {change}; give more of the id.", code="usage")
    if refusal := why_not(found[0], here):
        raise Trouble(_sentence(found[0].key, refusal.reason, refusal.next), code="refused")
    if found[0] not in open_ones:
        raise Trouble(f"{found[0].key}: it was taken back already.", code="nothing_to_do")
    return found


def _sentence(key: str, reason: str, following: str) -> str:
    return f"{key}: {reason}." + (f" To go on: {following}." if following else "")


@click.command(
    "undo",
    cls=TwinCommand,
    kind=OUTCOME,
    writes=True,
    operations=("flags.get", "flags.update", "experiments.get", "experiments.update", "schedule.get"),
    examples=("undo --dry-run", "undo --yes --json"),
)
@click.argument("change", default="", metavar="[CHANGE_ID]")
def command(change: str, terms: WriteTerms) -> None:
    """Take back your last change, or the one with CHANGE_ID; flagtui journal shows the ids.

    It is held against today's record: what was changed there since, by somebody else or by you, is
    shown first and stays, unless you choose to overwrite it.
    """

    raise SystemExit(take_back(change, terms))
