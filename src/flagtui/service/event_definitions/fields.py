"""The fields of an event definition in the order of their faults, and the rules between them."""

import sqlite3
from collections.abc import Mapping
from typing import Final

from flagtui.service.bodies import Fields, read_id
from flagtui.service.call import Call
from flagtui.service.database import find
from flagtui.service.errors import Json, invalid
from flagtui.service.field_kinds import TAGS, Field, Kind, Table, Target, Use, Values, choice, text, truth
from flagtui.service.shapes import MAYBE_MOMENT, MAYBE_NUMBER, TEXT, TEXTS, TRUTH, USER, UUID

LONGEST_NAME: Final = 400


def _read_owner(fields: Fields, name: str, target: Target) -> Json:
    """Return the kind of a user, which is written as an id and read as an object."""
    owner = fields.sent[name]
    if owner is None:
        return None
    if isinstance(owner, bool) or not isinstance(owner, int | str):
        raise fields.not_a_pk(name, owner)
    number = read_id(str(owner))
    organization = target.call.project.organization_id
    member = find(target.call.db, "organization_members", organization_id=organization, user_id=number)
    if member is None:
        raise fields.unknown_pk(name, owner)
    return number


_TEXTS: Final = Kind(lambda body, name, _: body.texts(name), TEXTS, "json")
_PROPERTY: Final = text(LONGEST_NAME, blank=False, null=True)

DEFINITIONS: Final = Table(
    "event definition",
    (
        Field("id", None, Use.BASIC | Use.ALWAYS, UUID),
        Field("name", None, Use.BASIC | Use.ALWAYS, TEXT),
        Field("created_at", None, Use.BASIC, MAYBE_MOMENT),
        Field("last_seen_at", None, Use.BASIC, MAYBE_MOMENT),
        Field("last_updated_at", None, Use.BASIC, MAYBE_MOMENT),
        Field("is_action", None, Use.BASIC, TRUTH, storage="truth"),
        Field("action_id", None, Use.BASIC, MAYBE_NUMBER),
        Field("is_calculating", None, Use.BASIC, TRUTH, storage="truth"),
        Field("last_calculated_at", None, Use.BASIC, MAYBE_MOMENT),
        Field("created_by", None, Use.BASIC, USER, storage="json"),
        Field("owner", Kind(_read_owner, MAYBE_NUMBER), shown=USER, column="owner_id"),
        Field("description", text(null=True), Use.LOGGED),
        Field("tags", TAGS, Use.BASIC | Use.LOGGED | Use.ALWAYS),
        Field("verified", truth(), Use.LOGGED),
        Field("verified_at", shown=MAYBE_MOMENT),
        Field("verified_by", shown=USER, storage="json"),
        Field("hidden", truth(null=True), Use.LOGGED),
        Field("enforcement_mode", choice(("allow", "reject")), Use.BASIC | Use.LOGGED),
        Field("primary_property", _PROPERTY, Use.BASIC | Use.LOGGED),
        Field("post_to_slack", truth(), Use.BASIC | Use.LOGGED),
        Field("default_columns", _TEXTS, Use.LOGGED),
        Field("updated_at", shown=MAYBE_MOMENT),
        Field("updated_by", shown=USER, storage="json"),
        Field("media_preview_urls", shown=TEXTS, storage="json"),
    ),
)


def read_fields(call: Call, body: Mapping[str, Json]) -> Values:
    """Return the fields that were sent; the first that is wrong is a 400."""
    values = DEFINITIONS.read(Fields(body), Target(call))
    if values.get("hidden") and values.get("verified"):
        raise invalid("An event cannot be both hidden and verified")
    if values.get("enforcement_mode") == "reject":
        raise invalid(
            'Setting schema enforcement mode to "reject" requires the schema-enforcement-reject feature flag'
        )
    return values


def add_side_effects(values: Values, row: sqlite3.Row | None, call: Call) -> Values:
    """Return the values with side effects: hiding unverifies; verifying unhides and sets the first date."""
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
