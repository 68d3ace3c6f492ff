"""`flagtui undo` and `flagtui redo`: undo a change of this user by the usual write path."""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

import click
from msgspec.structs import replace

from flagtui.changes.entry_kind import Recovery
from flagtui.changes.journal import Journal
from flagtui.changes.journal_entries import Entry, Signature
from flagtui.changes.planner import Planned
from flagtui.changes.proposal import Purpose
from flagtui.changes.recovery import read_for_undo
from flagtui.changes.skipped import Skipped
from flagtui.changes.unanswered import WATCH_FOR
from flagtui.changes.undo import (
    kind_of,
    next_redo,
    next_undo,
    purpose_of,
    questions_of,
    undoable,
    unsettled_change,
    why_not,
)
from flagtui.changes.undo_planner import UndoPlanner
from flagtui.cli.plumbing.change_report import ChangeReport, change_command
from flagtui.cli.plumbing.confirmation import ask_and_send
from flagtui.cli.plumbing.errors import Trouble
from flagtui.cli.plumbing.next_commands import next_command
from flagtui.cli.plumbing.options import WriteTerms
from flagtui.cli.plumbing.output.lines import progress
from flagtui.cli.plumbing.profile_choice import Opening, readable_state
from flagtui.cli.plumbing.project_session import ProjectSession
from flagtui.cli.plumbing.session_context import SessionContext
from flagtui.cli.plumbing.value_types import SHORT_ID, ChangeId
from flagtui.text.formats import count

AT_ONCE: Final = "an undo belongs to the journal, not to a set"
OPERATIONS: Final = ("flags.get", "flags.update", "experiments.get", "experiments.update", "schedule.get")


def project_of_change(opening: Opening, given: Mapping[str, Any]) -> str:
    """Return the project of the change to undo: the one with the id, else the newest on this host."""
    entries = Journal(readable_state(opening.environment.places) / "journal").entries()
    id, host = str(given.get("change") or "").lower(), opening.host.origin
    projects = (
        entry.signature.project
        for entry in entries
        if entry.signature.host == host
        and (entry.ending in ("saved", "awaiting approval") or (entry.is_open and not id))
        and entry.id.startswith(id)
    )
    return next(projects, "")


@change_command(
    "undo",
    project_of=project_of_change,
    line="Undo a change of yours, compared with the current record.",
    never_staged=AT_ONCE,
    operations=OPERATIONS,
    examples=("--dry-run", "--yes --json"),
)
@click.argument("change", default="", metavar="[CHANGE_ID]", type=ChangeId())
async def undo(session: ProjectSession, change: str, terms: WriteTerms) -> int:
    """Undo your last change, or the one with CHANGE_ID; flagtui journal shows the ids.

    It is compared with the current record: later changes, by another user or by you, are
    shown first and stay, unless you choose to overwrite them. flagtui redo redoes the change.
    """
    return await _undo_or_redo(session, change, terms)


@change_command(
    "redo",
    project_of=project_of_change,
    line="Redo the last undone change.",
    never_staged=AT_ONCE,
    operations=OPERATIONS,
    examples=("--dry-run", "--yes --json"),
)
async def redo(session: ProjectSession, terms: WriteTerms) -> int:
    """Redo the last undone change, unless you changed something else since."""
    return await _undo_or_redo(session, "", terms, is_redo=True)


async def _undo_or_redo(
    session: ProjectSession, change: str, terms: WriteTerms, *, is_redo: bool = False
) -> int:
    """Undo all changes confirmed together, up to the first failure, and return the exit code.

    Raises Trouble for what has to be corrected before anything can be sent.
    """
    await session.me()
    signature = session.signature
    is_meant = (lambda entry: entry.id.startswith(change.lower())) if change else None
    entries = await read_for_undo(session.journal, session.client, signature, is_meant, _report)
    if not entries and (fault := session.journal.fault()):
        raise Trouble(f"the journal cannot be read: {fault}.")
    changes = choose_entries(entries, change, signature, session.journal.clock(), is_redo=is_redo)
    purpose = purpose_of(changes, is_redo=is_redo, now=None if change else session.clock.time())
    with ChangeReport(terms.printer) as report:
        return await undo_entries(session, changes, terms, report, purpose, is_newest=not change)


async def undo_entries(
    session: ProjectSession,
    changes: Sequence[Entry],
    terms: WriteTerms,
    report: ChangeReport,
    purpose: Purpose,
    *,
    is_newest: bool = True,
) -> int:
    """Undo these changes up to the first failure; return the exit code. `is_newest` changes the advice."""
    entries, signature = await asyncio.to_thread(session.journal.entries), session.signature
    context = SessionContext(session, terms)
    questions = await questions_of(changes, entries, session.client, purpose)
    planned_before: set[str] = set()
    for parts, question_purpose in questions:
        kind = parts[0].entry.kind
        planner = UndoPlanner(context, entries=entries, signature=signature, entry_kind=kind)
        planned = await planner.plan(parts)
        if not planned.plans and is_newest and parts is questions[0][0] and purpose.name == "Undo":
            planned = replace(planned, skipped=[_with_another(skipped) for skipped in planned.skipped])
        planned = replace(planned, purpose=question_purpose)
        if terms.agreement.dry_run:
            later = [part.entry for part in parts if part.undoes.id in planned_before]
            planned_before |= {part.undoes.id for part in parts}
            planned = _without_waiting(planned, {entry.uuid or entry.record for entry in later}, kind)
            if not (planned.plans or planned.skipped):
                continue
        if code := await ask_and_send(planned, session, terms, report):
            return code
    return 0


def _without_waiting(
    planned: Planned[Any, Any], later: Collection[int | str], kind: str
) -> Planned[Any, Any]:
    """Return the plans of a dry run without records that wait for an earlier part of the same change."""
    waiting = [each for each in planned.skipped if each.id in later and each.error is None]
    if waiting:
        number = count(len(waiting), kind_of(kind).noun)
        progress(f"Then {number}, planned once the changes before are saved.")
    return replace(planned, skipped=[each for each in planned.skipped if each not in waiting])


def _report(recovery: Recovery) -> None:
    progress(f"{recovery.words}.")


def choose_entries(
    entries: Sequence[Entry], change: str, here: Signature, now: float, *, is_redo: bool
) -> Sequence[Entry]:
    """Return the change with this id, or the newest and those confirmed with it. Raises Trouble."""
    if is_redo:
        if again := next_redo(entries, here):
            return again
        words = "there is nothing to redo: nothing was undone since your last change."
        raise Trouble(words, code="nothing_to_do")
    if not change:
        newest = next_undo(entries, here)
        if unsettled := unsettled_change(entries, here, newest):
            is_open = unsettled.is_open
            why = "whether it was applied is not known" if is_open else "it waits for approval"
            words = f"{unsettled.key}, {unsettled.verb}: {why}, so nothing was undone."
            # By then the server no longer applies it, and a look at the record decides.
            wait = "Try again in a minute. " if is_open and now - unsettled.at < WATCH_FOR else ""
            raise Trouble(words, wait + _another(), code="refused")
        if not newest:
            raise Trouble("you have no change to undo in this project.", code="nothing_to_do")
        if refusal := why_not(newest[0], here):
            words = f"{newest[0].key}, {newest[0].verb}"
            raise Trouble(_sentence(words, refusal.reason, refusal.next), _another(), code="refused")
        return newest
    matches = [entry for entry in entries if entry.id.startswith(change.lower())]
    if not matches:
        what = f"no change {change} is in the journal."
        raise Trouble(what, f"{next_command('journal')} shows the ids.", code="not_found")
    if len(matches) > 1:
        raise Trouble(f"{len(matches):,} changes begin with {change}; give more of the id.", code="usage")
    if refusal := why_not(matches[0], here):
        following = _in_its_place(matches[0], here) or refusal.next
        raise Trouble(_sentence(matches[0].key, refusal.reason, following), code="refused")
    if matches[0] not in undoable(entries, here):
        raise Trouble(f"{matches[0].key}: it is already undone.", code="nothing_to_do")
    return matches


def _another() -> str:
    return f"To undo another change, give its id: {next_command('journal')} shows the ids."


def _with_another(skipped: Skipped) -> Skipped:
    """Return the same with the way past the newest change, which would be refused again and again."""
    if skipped.is_no_op:
        return replace(skipped, next=_another())
    another = f"undo another change by its id, which {next_command('journal')} shows"
    return replace(skipped, next=f"{skipped.next}, or {another}" if skipped.next else another)


def _in_its_place(entry: Entry, here: Signature) -> str:
    """Return the command that undoes a change of another project or host; empty for one of this project."""
    signature = entry.signature
    if signature.reaches(here):
        return ""
    is_here = signature.host == here.host or not signature.profile
    profile = {} if is_here else {"profile": signature.profile}
    return next_command("undo", entry.id[:SHORT_ID], **profile, project=signature.project)


def _sentence(key: str, reason: str, following: str) -> str:
    return f"{key}: {reason}." + (f" To go on: {following}." if following else "")
