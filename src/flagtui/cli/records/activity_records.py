"""Entries of the activity, as they are printed."""

from typing import Final

from flagtui.cli.plumbing.output.record_schema import RecordField, RecordSchema
from flagtui.cli.records.field_words import minute_words
from flagtui.models.activity_rows import ChangeRow
from flagtui.text.activity_words import activity_words
from flagtui.text.user_words import user_change_in_short


def _change(row: ChangeRow) -> str:
    return activity_words(row.entry, 1_000)


def _users(row: ChangeRow) -> str | None:
    return user_change_in_short(row.users, 20) if row.users is not None else None


def _changes(row: ChangeRow) -> list[dict[str, object]]:
    return [
        {"field": change.field, "action": change.action, "before": change.before, "after": change.after}
        for change in row.entry.changes
    ]


ACTIVITY: Final[RecordSchema[ChangeRow]] = RecordSchema(
    "activity",
    "A change of a record, by any user.",
    (
        RecordField("at", "time?", "When it was changed.", is_shown=True, words=minute_words),
        RecordField("key", "text", "What the record was called.", is_shown=True),
        RecordField("record_id", "whole?", "The id of the record.", lambda row: row.record_id),
        RecordField("record", "text", "flags, experiments or events.", lambda row: row.kind),
        RecordField("who", "text", "The user, staff as the user, or system.", is_shown=True),
        RecordField("email", "text", "The user's e-mail address."),
        RecordField("change", "text", "The change in words.", _change, True, is_long=True),
        RecordField("version", "whole?", "The version after the change.", is_shown=True),
        RecordField(
            "users", "text?", "Users who got or lost the flag, around a moment.", _users, is_shown=True
        ),
        RecordField(
            "gained", "whole?", "Users who got the flag.", lambda row: row.users.gained if row.users else None
        ),
        RecordField(
            "lost", "whole?", "Users who lost the flag.", lambda row: row.users.lost if row.users else None
        ),
        RecordField("kinds", "texts", "on, off, rollout, conditions, …"),
        RecordField("changes", "objects", "Each field: field, action, before, after.", _changes),
        RecordField("id", "text", "The id of the entry."),
    ),
    version=2,
)
