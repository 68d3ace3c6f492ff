"""How changes ended, and what they would do, as writing commands print it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from flagtui.changes.difference import MISSING, Clash
from flagtui.changes.proposal import LeftOut, Proposal
from flagtui.cli.plumbing.errors import Code
from flagtui.cli.plumbing.output.record_kind import RecordField, RecordKind


@dataclass(frozen=True)
class ChangeResult:
    """What became of one record."""

    key: str
    ending: str
    """`saved`, `refused`, `skipped`, `not sent` …: see `ENDINGS`."""
    words: str = ""
    next: str = ""
    now: str = ""
    """What was saved, in words for people, where `words` does not say it."""
    id: str = ""
    version: int | None = None
    journal_id: str = ""
    undoes: str = ""
    clashes: Sequence[Clash] = ()
    is_without_journal: bool = False
    """Nothing was sent, because the journal cannot be written."""
    code: Code | None = None
    """Why the server refused it, where that decides how the command ends."""


@dataclass(frozen=True)
class ChangePlan:
    """What one record would become, or why it stays as it is."""

    plan: Proposal | None
    left_out: LeftOut | None = None

    @property
    def key(self) -> str:
        found = self.plan or self.left_out
        return found.key if found is not None else ""

    @property
    def id(self) -> str:
        found = self.plan or self.left_out
        return str(found.id) if found is not None else ""


ENDINGS: Final = (
    *("saved", "nothing_to_do", "left_out", "not_sent", "conflicted", "awaiting_approval"),
    *("refused", "failed", "unknown"),
)


def _sides(clashes: Sequence[Clash]) -> list[dict[str, Any]]:
    return [
        {"where": one.where, "was": one.seen, "yours": one.mine, "theirs": one.theirs, "by_you": one.is_own}
        for one in clashes
    ]


def _changes(found: ChangePlan) -> list[dict[str, Any]]:
    def side(value: Any) -> Any:
        return None if value is MISSING else value

    return [
        {
            "where": one.where,
            "words": one.words,
            "before": side(one.line.before),
            "after": side(one.line.after),
        }
        for one in (found.plan.lines if found.plan is not None else ())
    ]


OUTCOME: Final[RecordKind[ChangeResult]] = RecordKind(
    "change-result",
    "What became of one record that was to be changed.",
    (
        RecordField("key", "text", "What the record is called.", is_shown=True),
        RecordField("id", "text", "Its id; empty where it has none yet."),
        RecordField(
            "ending",
            "text",
            f"One of {', '.join(ENDINGS)}.",
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

PLAN: Final[RecordKind[ChangePlan]] = RecordKind(
    "change-plan",
    "What a change would do. Nothing was sent.",
    (
        RecordField("key", "text", "What the record is called.", is_shown=True),
        RecordField("id", "text", "Its id; 0 for a new one."),
        RecordField(
            "title", "text", "What would be done.", lambda one: one.plan.title if one.plan else "", True
        ),
        RecordField(
            "versions",
            "text",
            "From which version to which.",
            lambda one: one.plan.versions if one.plan else "",
        ),
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
            lambda one: [each.text for each in (one.plan.cautions if one.plan else ())],
        ),
        RecordField(
            "clashes",
            "objects",
            "What another person changed there first.",
            lambda one: _sides(one.plan.clashes if one.plan else ()),
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
            lambda one: [
                {"label": each.label, "text": each.text}
                for each in (one.plan.consequences if one.plan else ())
            ],
            True,
            lambda found: "; ".join(f"{one['label']}: {one['text']}" for one in found),
            is_long=True,
        ),
    ),
)
