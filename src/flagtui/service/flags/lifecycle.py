"""Switching a flag on and off and putting it away, each by an operation that says so."""

import sqlite3
from collections.abc import Mapping

from flagtui.service.answers import Answer
from flagtui.service.call import Call
from flagtui.service.errors import Json, hand_written
from flagtui.service.flags.approvals import ask_for_approval
from flagtui.service.flags.guards import check_guards
from flagtui.service.flags.levels import check_level
from flagtui.service.flags.representation import flag_answer
from flagtui.service.flags.rows import called_row
from flagtui.service.flags.save import change_flag, opened_values


def enable(call: Call) -> Answer:
    return _move(call, {"active": True}, "enabling")


def disable(call: Call) -> Answer:
    return _move(call, {"active": False}, "disabling")


def archive(call: Call) -> Answer:
    """Archived flags are off, so this switches off too."""
    return _move(call, {"archived": True, "active": False}, "archiving")


def unarchive(call: Call) -> Answer:
    """Back in the list, and still off."""
    return _move(call, {"archived": False}, "unarchiving")


def _move(call: Call, wanted: Mapping[str, Json], doing: str) -> Answer:
    """Writes nothing when the flag is as wanted already."""
    row = called_row(call)
    check_level(call, row["id"], "editor")
    check_not_deleted(row, doing)
    before = opened_values(call, row)
    if all(before[name] == value for name, value in wanted.items()):
        return flag_answer(call, row)
    after = {**before, **wanted}
    check_guards(call, row, before, after)
    return ask_for_approval(call, row, before, after) or flag_answer(call, change_flag(call, row, after))


def check_not_deleted(row: sqlite3.Row, doing: str) -> None:
    """400 in the words of the operations that each do one thing."""
    if row["deleted"]:
        text = f"This feature flag has been deleted. Restore it before {doing} it."
        raise hand_written(400, {"success": False, "error": text})
