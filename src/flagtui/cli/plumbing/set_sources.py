"""Sources of change sets: a file, the staged set, the folder of proposals."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec

from flagtui.changes.sets.change_lines import change_lines
from flagtui.changes.sets.change_set import ChangeSet, StagedChange
from flagtui.changes.sets.set_files import SetFile
from flagtui.cli.plumbing.errors import Trouble
from flagtui.cli.plumbing.next_commands import NO_PLACE, next_command
from flagtui.cli.plumbing.output.record_schema import RecordField, RecordSchema
from flagtui.cli.plumbing.project_session import ProjectSession
from flagtui.cli.plumbing.proposal_files import STAGED, ProposedSet, read_proposals
from flagtui.cli.plumbing.staging import as_trouble, find_staged
from flagtui.models.json_value import as_text
from flagtui.store.kinds import FLAGS

CHANGE: Final[RecordSchema[StagedChange]] = RecordSchema(
    "staged-change",
    "One change of a change set.",
    (
        RecordField("key", "text", "What the record is called.", is_shown=True),
        RecordField(
            "record_kind", "text", "flag, event_definition or experiment.", lambda change: change.kind, True
        ),
        RecordField(
            "id",
            "text",
            "Its id; new:KEY for a flag that the set creates.",
            lambda change: str(change.record),
        ),
        RecordField("verb", "text", "The change, as in the journal.", is_shown=True),
        RecordField(
            "changes",
            "objects",
            "Each difference: where, text.",
            lambda change: [{"where": line.where, "text": line.words} for line in change_lines(change)],
            True,
            lambda lines: "; ".join(line["text"] for line in lines),
            is_long=True,
        ),
        RecordField("version", "whole?", "The version that the change is based on."),
        RecordField("base", "object", "The changed fields that the change is based on."),
        RecordField("values", "object", "The changed fields with their new values."),
    ),
)


class SetSource(msgspec.Struct, frozen=True):
    """A change set to apply, and where it is."""

    file: SetFile
    change_set: ChangeSet
    is_staged: bool = False

    @property
    def words(self) -> str:
        """The set in a sentence."""
        return "the staged set" if self.is_staged else str(self.file.path)


def find_source(session: ProjectSession, word: str) -> SetSource:
    """Return the set that the word names: `staged`, a file, or the start of a proposal's id.

    Raises Trouble.
    """
    with as_trouble():
        if word == STAGED:
            staged = find_staged(session)
            change_set = staged.read()
            if change_set is None:
                raise Trouble(
                    "nothing is staged in this project.", "Stage with --stage.", code="nothing_to_do"
                )
            return SetSource(staged.file, change_set, is_staged=True)
        file = SetFile(Path(word))
        if file.exists or "/" in word:
            return SetSource(file, file.read())
        proposal = find_proposal(word)
        return SetSource(proposal.file, proposal.read())


def find_proposal(word: str) -> ProposedSet:
    """Return the proposal whose id or file name begins with the word; it may be unreadable.

    Raises Trouble.
    """
    proposals = [each for each in read_proposals() if _is_named(each, word)]
    if not proposals:
        fix = f"See: {next_command('proposals', 'list', **NO_PLACE)}; a file is named with its path."
        raise Trouble(f"there is no file or proposal {word}.", fix, code="not_found")
    if len(proposals) > 1:
        raise Trouble(
            f"{len(proposals):,} proposals begin with {word}.", "Give more of the id.", code="usage"
        )
    return proposals[0]


def changes_named(change_set: ChangeSet, names: Sequence[str]) -> list[StagedChange]:
    """Return the changes of the records with these keys, names that the set gives them, or ids, or all.

    Raises Trouble for a name without one, and for a name of two records.
    """
    return [_change_named(change_set, name) for name in names] if names else [*change_set.changes]


def _change_named(change_set: ChangeSet, name: str) -> StagedChange:
    every = change_set.changes
    changes = [each for each in every if name in (each.key, _new_name(each))] or [
        each for each in every if str(each.record) == name.removeprefix("#")
    ]
    if not changes:
        changed = ", ".join(dict.fromkeys(change.key for change in every))
        raise Trouble(f"the set does not change {name}.", f"It changes: {changed}.", code="not_found")
    if len(changes) > 1:
        ids = " or ".join(f"{each.record} ({each.kind})" for each in changes)
        raise Trouble(f"the set changes two records called {name}.", f"Name its id: {ids}.", code="usage")
    return changes[0]


def _new_name(change: StagedChange) -> str:
    """Return the name that the change gives its record; empty where that keeps its own."""
    return as_text(change.values.get("key" if change.kind == FLAGS.entry else "name"))


def _is_named(proposal: ProposedSet, word: str) -> bool:
    by_id = proposal.change_set is not None and proposal.change_set.id.startswith(word.lower())
    return by_id or proposal.file.path.name.startswith(word)
