"""Keep planned changes instead of sending them: in the staged set, or in a file for `flagtui apply`."""

from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from msgspec.structs import replace

from flagtui.changes.flags.property_rules import NEW_FLAG
from flagtui.changes.planner import PlanContext, Planned, PlannedRecord
from flagtui.changes.sets.after_set import AfterSet, created_flag, record_after
from flagtui.changes.sets.change_lines import change_words
from flagtui.changes.sets.change_set import DROP, ChangeSet, ChangeSetError, FaultName, StagedChange
from flagtui.changes.sets.plan_changes import changes_of
from flagtui.changes.sets.project_set import StagedSet
from flagtui.changes.sets.set_files import SetFile
from flagtui.changes.skipped import Skipped
from flagtui.cli.plumbing.change_records import STAGED, UNCHANGED, ChangeResult, id_words
from flagtui.cli.plumbing.change_report import ChangeReport, exit_code, results_of_skipped
from flagtui.cli.plumbing.errors import Code, Trouble
from flagtui.cli.plumbing.next_commands import next_command, with_place
from flagtui.cli.plumbing.options import WriteTerms
from flagtui.cli.plumbing.output.lines import progress
from flagtui.cli.plumbing.profile_choice import readable_state
from flagtui.cli.plumbing.project_session import ProjectSession
from flagtui.models.flag import Flag
from flagtui.models.json_value import as_id, as_text
from flagtui.store.kinds import EXPERIMENTS, FLAGS
from flagtui.text.formats import count

HOLDER: Final = "another flagtui command"
FAULT_CODES: Final[Mapping[FaultName, Code]] = {
    "missing": "not_found",
    "unreadable": "failed",
    "malformed": "usage",
    "newer": "usage",
    "edited": "usage",
    "elsewhere": "refused",
    "open": "refused",
    "too many": "refused",
    "twice": "refused",
    "outdated": "conflict",
    "direct": "refused",
}
"""How a command ends that meets the fault."""


@contextmanager
def as_trouble() -> Iterator[None]:
    """Report faults of change sets. Raises Trouble."""
    try:
        yield
    except ChangeSetError as error:
        code = FAULT_CODES[error.fault]
        fix = with_place(error.next, DROP)
        raise Trouble(f"{error.what}; nothing was changed.", fix, code=code) from None


def sets_folder(session: ProjectSession) -> Path:
    """Return the folder of staged sets and locks, writable or not. Raises Trouble."""
    return readable_state(session.opening.environment.places, "staged changes") / "sets"


def find_staged(session: ProjectSession) -> StagedSet:
    """Return the staged set of this project, which need not exist. Raises Trouble."""
    return StagedSet(sets_folder(session), session.signature, HOLDER)


def read_staged(session: ProjectSession) -> ChangeSet | None:
    """Return the staged set of this project; None without one. Raises Trouble."""
    with as_trouble():
        return find_staged(session).read()


def after_staged(session: ProjectSession, context: PlanContext) -> PlanContext:
    """Return the project after the staged set, to plan one more change on it. Raises Trouble."""
    change_set = read_staged(session)
    return context if change_set is None else AfterSet(context, change_set.changes)


def records_after(session: ProjectSession, records: Sequence[PlannedRecord]) -> list[PlannedRecord]:
    """Return the records with their changes in the staged set. Raises Trouble for one that has moved."""
    change_set = read_staged(session)
    with as_trouble():
        return [record if change_set is None else record_after(record, change_set) for record in records]


def created_flags(session: ProjectSession, keys: Sequence[str]) -> dict[str, Flag]:
    """Return the flags with these keys that the staged set creates, by key. Raises Trouble."""
    change_set = read_staged(session)
    new = {change.key: change for change in change_set.changes if change.is_new} if change_set else {}
    named = [new[key] for key in keys if key in new]
    return {change.key: created_flag(change, place) for place, change in enumerate(named, start=1)}


def staged_flag_ids(session: ProjectSession) -> dict[str, str]:
    """Return the ids of the flags that the staged set changes, by key, and by the key that it gives them.

    The server finds no flag by a key that the set restores or gives. Raises Trouble.
    """
    change_set = read_staged(session)
    every = change_set.changes if change_set else ()
    changes = [change for change in every if change.kind == FLAGS.entry and not change.is_new]
    ids = {change.key: str(change.record) for change in changes}
    return ids | {key: ids[change.key] for change in changes if (key := as_text(change.values.get("key")))}


def staged_experiment_names(session: ProjectSession) -> list[tuple[str, int]]:
    """Return the names that the staged set gives experiments, and their numbers. Raises Trouble."""
    change_set = read_staged(session)
    changes = (
        [change for change in change_set.changes if change.kind == EXPERIMENTS.entry] if change_set else ()
    )
    names = ((as_text(change.values.get("name")), as_id(change.record)) for change in changes)
    return [(name, id) for name, id in names if name and id is not None]


def skipped_after_staged(session: ProjectSession, skipped: Sequence[Skipped]) -> list[Skipped]:
    """Return the same; a no-op of a staged record is one only once the set is applied. Raises Trouble."""
    change_set = read_staged(session)
    changes = change_set.changes if change_set else ()
    staged = {("0" if change.is_new else str(change.record), change.key) for change in changes}
    return [
        replace(each, reason=f"{each.reason} once the staged set is applied")
        if each.is_no_op and (id_words(each.id), each.key) in staged
        else each
        for each in skipped
    ]


async def stage_plans(
    planned: Planned[Any, Any], session: ProjectSession, terms: WriteTerms, report: ChangeReport
) -> int:
    """Add the plans to the staged set; the exit code. Raises Trouble."""
    await session.me()
    staged, reason = find_staged(session), terms.agreement.reason.strip()
    with as_trouble(), staged.hold_set():
        added = staged.add(planned.plans, session.rules.bulk_limit, session.now, reason)
    grown = added.change_set
    counted = count(len(grown.changes), "change")
    see = "; ".join(_next(session, *words) for words in (("staged", "list"), ("apply", "staged")))
    size = f"The staged set has {counted}: {see}" if grown.changes else "The staged set is empty now."
    progress(f"Nothing was sent. {size}")
    apart = results_of_skipped(planned.skipped)
    left = {change.identity for change in grown.changes}
    report.results([*(_result_of(change, left) for change in added.changes), *apart])
    return exit_code(apart)


async def write_plans(planned: Planned[Any, Any], session: ProjectSession, terms: WriteTerms) -> None:
    """Write the plans to the file of `--out`. Raises Trouble."""
    await session.me()
    out = terms.agreement.out
    assert out is not None
    with as_trouble():
        changes = changes_of(planned.plans)
        empty = find_staged(session).begin(session.now, terms.agreement.reason.strip())
        change_set = empty.with_changes(changes, session.rules.bulk_limit)
        SetFile(out).create(change_set)
    progress(f"The change set is in {out}; to apply it: {_next(session, 'apply', str(out))}")


def _next(session: ProjectSession, *words: str) -> str:
    """Return a command about the set, which is that of the other project when flags are copied there."""
    place = {"project": str(session.client.project)} if session.origin else {}
    return next_command(*words, **place)


def _result_of(change: StagedChange, left: Container[tuple[str, int | str]]) -> ChangeResult:
    """Return the result; a change that undoes the staged one of its record leaves nothing in the set."""
    id = "" if change.is_new else str(change.record)
    renamed = f"{NEW_FLAG}{change.values.get('key', change.key)}"
    if (change.kind, renamed if change.is_new else change.record) not in left:
        return ChangeResult(change.key, UNCHANGED, "is not staged any more", id=id)
    return ChangeResult(change.key, STAGED, f"is staged: {'; '.join(change_words(change))}", id=id)
