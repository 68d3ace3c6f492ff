"""The records that a changing command prints: the result of each record, or its plan in a dry run."""

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from flagtui.changes.difference import MISSING, FieldConflict
from flagtui.changes.proposal import Proposal
from flagtui.changes.skipped import Skipped
from flagtui.cli.plumbing.demo_places import DEMO_HOST
from flagtui.cli.plumbing.errors import Code
from flagtui.cli.plumbing.output.record_schema import RecordField, RecordSchema

UNCHANGED: Final = "unchanged"
STAGED: Final = "staged"
SKIPPED: Final = "skipped"
NOT_SENT: Final = "not_sent"
CODES: Final[dict[str, Code]] = {
    "unknown": "not_known",
    "conflicted": "conflict",
    "awaiting_approval": "awaiting_approval",
    "failed": "failed",
    "refused": "failed",
    NOT_SENT: "failed",
    SKIPPED: "refused",
}
"""The exit code of each ending but `saved`, `staged` and `unchanged`. The first one decides."""
ENDINGS: Final = ("saved", STAGED, UNCHANGED, *CODES)


class ChangePlace(msgspec.Struct, frozen=True):
    """The project and the server of a change."""

    project: str = ""
    host: str = ""

    @property
    def words(self) -> str:
        """`project 2 on https://eu.posthog.com`, `project 1 of the demo`."""
        return f"project {self.project} {'of the demo' if self.host == DEMO_HOST else f'on {self.host}'}"


NO_PLACE: Final = ChangePlace()


class ChangeResult(msgspec.Struct, frozen=True):
    """The result of one record."""

    key: str
    ending: str
    """`saved`, `staged`, `unchanged`, or one of CODES."""
    message: str = ""
    next: str = ""
    now: str = ""
    """The saved values in words, where `message` does not have them."""
    id: str = ""
    version: int | None = None
    journal_id: str = ""
    undoes: str = ""
    conflicts: Sequence[FieldConflict] = ()
    code: Code | None = None
    """Why the server refused it, where that decides how the command ends."""
    place: ChangePlace = NO_PLACE


class ChangePlan(msgspec.Struct, frozen=True):
    """The planned changes of one record, or the reason for none."""

    plan: Proposal | None
    skip: Skipped | None = None
    needs: tuple[str, ...] = ()
    """The needs of the real run, such as `yes` and `type new-nav`."""
    place: ChangePlace = NO_PLACE
    saved_ending: str = "saved"
    """The ending without a reason for none: `refused` where the key lacks a scope."""
    file: str = ""
    """The file with the change set, of `--out`."""

    @property
    def record(self) -> Any:
        return self.plan or self.skip

    @property
    def ending(self) -> str:
        """The ending of the real run with everything in `needs`, unless the server or the network fails."""
        if self.skip is None:
            return self.saved_ending
        return UNCHANGED if self.skip.is_no_op else SKIPPED


def _sides(conflicts: Sequence[FieldConflict]) -> list[dict[str, Any]]:
    return [
        {
            "where": conflict.where,
            "was": conflict.seen,
            "yours": conflict.mine,
            "theirs": conflict.theirs,
            "by_you": conflict.by == "you",
        }
        for conflict in conflicts
    ]


def ending_words(ending: str) -> str:
    """Return how a change ended as people read it: `awaiting approval`."""
    return ending.replace("_", " ")


def id_words(id: int | str) -> str:
    """Return the id of a record; 0 for one that does not exist yet."""
    # A copy that is not there yet has the number of its original, below zero.
    return str(max(0, id) if isinstance(id, int) else id)


def _of(plan: ChangePlan, name: str, missing: Any) -> Any:
    """Return an attribute of the plan; `missing` where nothing would change."""
    return missing if plan.plan is None else getattr(plan.plan, name)


def _raw(value: Any) -> Any:
    return None if value is MISSING else value


def _changes(plan: ChangePlan) -> list[dict[str, Any]]:
    # The lines of a step are words for a dialog; its moves have the values too.
    differences = _of(plan, "moves", ()) if hasattr(plan.plan, "moves") else _of(plan, "lines", ())
    return [
        {"where": it.where, "text": it.words, "before": _raw(it.before), "after": _raw(it.after)}
        for it in differences
    ]


OUTCOME: Final[RecordSchema[ChangeResult]] = RecordSchema(
    "change-result",
    "The result of a change of one record.",
    (
        RecordField("key", "text", "What the record is called.", is_shown=True),
        RecordField("id", "text", "Its id; empty for a new record."),
        RecordField(
            "ending",
            "text",
            "How it ended; unchanged: it has the requested values already.",
            is_shown=True,
            words=ending_words,
            choices=ENDINGS,
        ),
        RecordField(
            "message", "text", "The current state of the record, or the reason.", is_shown=True, is_long=True
        ),
        RecordField("next", "text", "The next step.", is_shown=True, is_long=True),
        RecordField("version", "whole?", "The version that was saved."),
        RecordField("journal_id", "text", "The id for flagtui undo."),
        RecordField("undoes", "text", "The journal entry that it undid."),
        RecordField(
            "conflicts",
            "objects",
            "Values changed meanwhile: where, was, yours, theirs, by_you.",
            lambda result: _sides(result.conflicts),
        ),
        RecordField("project", "text", "The id of its project.", lambda result: result.place.project),
        RecordField("host", "text", "The server.", lambda result: result.place.host),
    ),
    version=2,
)
PLAN: Final[RecordSchema[ChangePlan]] = RecordSchema(
    "change-plan",
    "The effect of a change that was not sent.",
    (
        RecordField("key", "text", "What the record is called.", lambda plan: plan.record.key, True),
        RecordField("id", "text", "Its id; 0 for a new record.", lambda plan: id_words(plan.record.id)),
        RecordField(
            "title", "text", "The change.", lambda plan: _of(plan, "title", "").removesuffix(" of"), True
        ),
        RecordField(
            "versions", "text", "The versions before and after.", lambda plan: _of(plan, "versions", "")
        ),
        RecordField(
            "changes",
            "objects",
            "Each difference: where, text, before, after.",
            _changes,
            True,
            lambda differences: "; ".join(difference["text"] for difference in differences),
            is_long=True,
        ),
        RecordField(
            "cautions", "texts", "Warnings.", lambda plan: [each.text for each in _of(plan, "cautions", ())]
        ),
        RecordField(
            "conflicts",
            "objects",
            "Values that were changed first, by another user or by you elsewhere.",
            lambda plan: _sides(_of(plan, "conflicts", ())),
        ),
        RecordField(
            "skipped",
            "text",
            "Why the record is skipped; empty when it would change.",
            lambda plan: f"{plan.skip.reason}; {plan.skip.next}".rstrip("; ") if plan.skip else "",
            True,
            is_long=True,
        ),
        RecordField(
            "consequences",
            "objects",
            "Each consequence: label, text.",
            lambda plan: [{"label": each.label, "text": each.text} for each in _of(plan, "consequences", ())],
            True,
            lambda consequences: "; ".join(f"{change['label']}: {change['text']}" for change in consequences),
            is_long=True,
        ),
        RecordField(
            "ending",
            "text",
            "How the real run would end with everything in needs; with --yes, skipped may be refused.",
            choices=("saved", UNCHANGED, SKIPPED, "refused", NOT_SENT),
        ),
        RecordField(
            "needs",
            "texts",
            "What the real run needs: yes, type TEXT, overwrite, reason.",
            lambda plan: list(plan.needs),
        ),
        RecordField("project", "text", "The id of its project.", lambda plan: plan.place.project),
        RecordField("host", "text", "The server.", lambda plan: plan.place.host),
        RecordField("file", "text", "The file of the change set with --out and propose, else empty."),
    ),
    version=2,
)
