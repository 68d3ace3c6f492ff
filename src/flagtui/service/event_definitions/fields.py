"""What may be written about an event: reading a body, and the rules between fields."""

import sqlite3
from collections.abc import Mapping
from typing import Final

from flagtui.service.bodies import Fields
from flagtui.service.call import Call
from flagtui.service.errors import Json, invalid

LONGEST_NAME: Final = 400
LONGEST_TAG: Final = 255
ENFORCEMENT: Final = ("allow", "reject")

Values = dict[str, Json]
"""Columns to be written, with Python values: `tags` and `default_columns` are lists of texts."""


def read_fields(call: Call, body: Mapping[str, Json]) -> Values:
    """The fields that were sent; the first that is wrong is a 400."""
    fields = Fields(body)
    found: Values = {
        "owner_id": _read_owner(call, fields),
        "description": fields.text("description", null=True),
        "tags": read_tags(fields, "tags"),
        "verified": fields.flag("verified"),
        "hidden": fields.flag("hidden", null=True),
        "enforcement_mode": fields.choice("enforcement_mode", ENFORCEMENT),
        "primary_property": fields.text("primary_property", longest=LONGEST_NAME, blank=False, null=True),
        "post_to_slack": fields.flag("post_to_slack"),
        "default_columns": _read_texts(fields, "default_columns"),
    }
    sent = {"owner_id" if name == "owner" else name for name in body}
    values = {name: value for name, value in found.items() if name in sent}
    _check_together(values)
    return values


def _check_together(values: Values) -> None:
    if values.get("hidden") and values.get("verified"):
        raise invalid("An event cannot be both hidden and verified")
    if values.get("enforcement_mode") == "reject":
        raise invalid(
            'Setting schema enforcement mode to "reject" requires the schema-enforcement-reject feature flag'
        )


def _read_owner(call: Call, fields: Fields) -> int | None:
    """A user is written as an id, though read as an object."""
    owner = fields.sent.get("owner")
    if owner is None:
        return None
    if isinstance(owner, bool) or not isinstance(owner, int | str):
        detail = f"Incorrect type. Expected pk value, received {type(owner).__name__}."
        raise fields.fault("owner", detail, "incorrect_type")
    number = int(owner) if str(owner).isascii() and str(owner).isdigit() and len(str(owner)) < 19 else None
    member = call.db.execute(
        "SELECT user_id FROM organization_members WHERE organization_id = ? AND user_id = ?",
        (call.project.organization_id, number),
    ).fetchone()
    if member is None:
        raise fields.fault("owner", f'Invalid pk "{owner}" - object does not exist.', "does_not_exist")
    return number


def read_tags(fields: Fields, name: str) -> list[str] | None:
    """Trimmed, lower case, each once, sorted."""
    texts = _read_texts(fields, name, LONGEST_TAG)
    return None if texts is None else sorted({tag for text in texts if (tag := text.strip().lower())})


def _read_texts(fields: Fields, name: str, longest: int | None = None) -> list[str] | None:
    items = fields.items(name)
    if items is None:
        return None
    inner = Fields({str(position): item for position, item in enumerate(items)}, f"{name}__")
    return [inner.text(position, longest=longest) or "" for position in inner.sent]


def settled(values: Values, row: sqlite3.Row | None, call: Call) -> Values:
    """With what follows from them: hiding un-verifies, verifying un-hides and is stamped the first time."""
    more = dict(values)
    if values.get("hidden"):
        more |= {"verified": False, "verified_by_id": None, "verified_at": None}
    elif values.get("verified"):
        more["hidden"] = False
        if row is None or not row["verified"]:
            more |= {"verified_by_id": call.caller.user_id, "verified_at": call.stamp}
    elif "verified" in values:
        more |= {"verified_by_id": None, "verified_at": None}
    return more
