"""The access level of the caller for each flag of a project."""

import sqlite3

import msgspec

from flagtui.service.access import ADMINISTRATOR
from flagtui.service.call import Call, Caller, Project
from flagtui.service.database import find
from flagtui.service.errors import forbidden
from flagtui.service.list_filters import Where, among
from flagtui.service.responses import text_of

_ORDER = ("none", "viewer", "editor", "manager")
DEFAULT = "editor"


class Levels(msgspec.Struct, frozen=True):
    """Access levels of one caller; a level for one flag wins over the one for all flags."""

    general: str
    single: dict[str, str]

    def of(self, flag_id: int) -> str:
        return self.single.get(str(flag_id), self.general)

    def reaches(self, flag_id: int, level: str) -> bool:
        return _ORDER.index(self.of(flag_id)) >= _ORDER.index(level)

    def narrow(self, where: Where, column: str) -> None:
        """Exclude records that the caller may not see from a list, by the ids in a column."""
        seen = [int(record) for record, level in self.single.items() if level != "none"]
        hidden = [int(record) for record, level in self.single.items() if level == "none"]
        if self.general == "none":
            where.add(f"{column} IN {among('seen')}", seen=text_of(seen))
        elif hidden:
            where.add(f"{column} NOT IN {among('hidden')}", hidden=text_of(hidden))


def load_levels(
    db: sqlite3.Connection, caller: Caller, project: Project, resource: str = "feature_flag"
) -> Levels:
    """Return levels of the caller; administrators of the organization have every right."""
    rows = db.execute(
        "SELECT record_id, level FROM access_levels WHERE project_id = ? AND user_id = ? AND resource = ?",
        (project.id, caller.user_id, resource),
    ).fetchall()
    member = find(db, "organization_members", organization_id=project.organization_id, user_id=caller.user_id)
    if not rows or (member is not None and member["level"] >= ADMINISTRATOR):
        return Levels(DEFAULT, {})
    single = {row["record_id"]: row["level"] for row in rows}
    return Levels(single.pop("", DEFAULT), single)


def check_level(call: Call, record_id: int, level: str, resource: str = "feature_flag") -> None:
    """Refuse with 403 if the caller's level is lower than `level`; record 0 is a new one."""
    if not load_levels(call.db, call.caller, call.project, resource).reaches(record_id, level):
        raise forbidden(f"You do not have {level} access to this resource.")
