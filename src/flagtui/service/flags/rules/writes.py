"""Writes of flags of version 2: created disabled, changed only with their current `version`.

The server assigns the ids and seeds of rules, and a kept rule keeps its own.
"""

import json
import sqlite3
import uuid
from collections.abc import Mapping
from typing import Final

from flagtui.service.bodies import Fields
from flagtui.service.call import Call
from flagtui.service.errors import Fault, Json, conflict, invalid
from flagtui.service.field_kinds import Target, Values
from flagtui.service.flags.approval_policies import load_policies
from flagtui.service.flags.dependents import check_guards
from flagtui.service.flags.fields import FLAGS, check_required_marks
from flagtui.service.flags.filter_storage import Filters, unsupported_config
from flagtui.service.flags.representation import flag_answer, flag_texts
from flagtui.service.flags.rows import key_when_deleted
from flagtui.service.flags.rules.documents import (
    Document,
    check_document,
    check_size,
    config_version,
    is_randomised,
    patterns_of,
    stored_version,
)
from flagtui.service.flags.rules.values import fault
from flagtui.service.flags.save import change_flag, create_flag, new_values, opened_values
from flagtui.service.responses import Response, value_of

_CREATED: Final = ("key", "name", "tags", "filters", "version", "active")
_UPDATED: Final = ("key", "name", "tags", "filters", "active", "deleted")
_NOT_FIELDS: Final = ("version", "original_flag")
_OPEN: Final = {"active": False, "deleted": True}
"""Changes that a project may make without the pilot."""
_POLICIES: Final = ("feature_flag.enable", "feature_flag.disable", "feature_flag.update")


def refuse(detail: str, name: str = "filters") -> Fault:
    """Build the 400 for an operation that flags of this version do not have."""
    return invalid(detail, name, "unsupported_config_version")


def is_rules_creation(call: Call, body: Mapping[str, Json]) -> bool:
    """Return whether the body creates a flag of version 2 and the project accepts that."""
    filters = body.get("filters")
    return call.settings.rules_v2 and isinstance(filters, dict) and config_version(filters) == 2


def is_rules_flag(call: Call, row: sqlite3.Row) -> bool:
    """Return whether a stored flag is of version 2; older servers know no versions."""
    return not call.generation.is_older and stored_version(row["filters"]) == 2


def refuse_rollout_action(row: sqlite3.Row) -> None:
    """Raise when the flag has no release conditions that a narrow write could change."""
    if stored_version(row["filters"]) != 1:
        raise refuse("This flag uses a configuration format that rollout actions cannot modify yet.")


def create_rules_flag(call: Call, body: Mapping[str, Json]) -> Response:
    """Create a disabled flag. Every rule and every draw gets its id and seed from the server."""
    _refuse_fields(body, _CREATED, "set when creating this flag")
    _refuse_under_approval(call)
    if body.get("active"):
        detail = "A flag with this configuration format is created disabled. Enable it in a separate request."
        raise refuse(detail, "active")
    sent = {name: value for name, value in body.items() if name not in ("filters", "version", "active")}
    values = FLAGS.read(Fields(sent), Target(call, None), needed=True)
    values["filters"] = _read_document(call, body["filters"], None)
    check_required_marks(call, values, None)
    return flag_answer(call, create_flag(call, new_values({**values, "active": False})), 201)


def update_rules_flag(call: Call, row: sqlite3.Row, body: Mapping[str, Json]) -> Response:
    """Update a flag of version 2. Fields equal to the stored ones count as not sent.

    Raises:
        Fault: 400 for a missing `version`, a field that cannot be changed, an invalid document and while an
            approval policy is enabled; 409 for a `version` other than the stored one.
    """
    changed = _changed_fields(call, row, body)
    is_open = all(_OPEN.get(name) is value for name, value in changed.items())
    if not (call.settings.rules_v2 or is_open):
        raise unsupported_config(Fields(body))
    _check_version(row, body)
    _refuse_under_approval(call)
    updatable = [name for name in _UPDATED if name != "deleted" or changed.get("deleted") is True]
    _refuse_fields(changed, updatable, "updated on this flag")
    before = opened_values(call, row)
    after = {**before, **_read_changes(call, row, changed, before["filters"])}
    if after["deleted"] and not before["deleted"]:
        after |= {"active": False, "key": key_when_deleted(call, row, after["key"])}
    check_guards(call, row, before, after)
    if after["active"] and not before["active"] and not _is_valid(after["filters"]):
        detail = "This flag's stored configuration cannot be enabled through this API."
        raise fault("filters", detail, "unsupported")
    return flag_answer(call, change_flag(call, row, after))


def _changed_fields(call: Call, row: sqlite3.Row, body: Mapping[str, Json]) -> dict[str, Json]:
    shown = value_of(flag_texts(call, [row])[0])
    return {
        name: value
        for name, value in body.items()
        if name not in _NOT_FIELDS and (name not in shown or shown[name] != value)
    }


def _check_version(row: sqlite3.Row, body: Mapping[str, Json]) -> None:
    if body.get("version") is None:
        raise invalid("This field is required for this flag.", "version", "required")
    version = body["version"]
    if isinstance(version, bool) or not isinstance(version, int):
        raise invalid("Must be an integer.", "version")
    if version != row["version"]:
        raise conflict(
            f"This feature flag has changed since version {version}; it is now at version {row['version']}. "
            "Nothing was written. Read the flag again and decide the change against its current definition."
        )


def _refuse_fields(body: Mapping[str, Json], allowed: tuple[str, ...] | list[str], doing: str) -> None:
    refused = sorted(set(body) - set(allowed))
    if refused:
        raise refuse(f"These fields cannot be {doing}: {', '.join(refused)}.")


def _refuse_under_approval(call: Call) -> None:
    """Raise while any policy on changes of flags is enabled: no change request arises from these flags."""
    if call.settings.approvals or load_policies(call, _POLICIES):
        raise refuse("This flag cannot be written while an approval policy is enabled.")


def _read_changes(call: Call, row: sqlite3.Row, changed: Mapping[str, Json], stored: Filters) -> Values:
    if row["is_remote_configuration"] or row["has_encrypted_payloads"]:
        raise unsupported_config(Fields(changed))
    sent = {name: value for name, value in changed.items() if name != "filters"}
    values = FLAGS.read(Fields(sent), Target(call, row))
    check_required_marks(call, values, row)
    if "filters" in changed:
        if not _is_valid(stored):
            detail = "This flag's stored configuration cannot be updated through this API."
            raise fault("filters", detail, "unsupported")
        values["filters"] = _read_document(call, changed["filters"], stored)
    return values


def _read_document(call: Call, sent: Json, stored: Filters | None) -> Filters:
    """Return the document to store: it replaces the stored one as a whole."""
    _refuse_repeated_keys(call.raw_body)
    if isinstance(sent, dict) and "version" in sent and config_version(sent) != 2:
        detail = "filters.version is reserved. Remove it from the request."
        raise fault("filters", detail, "reserved_config_version")
    if not isinstance(sent, dict):
        raise fault("filters", "Must be an object.")
    document = assign_names(sent, stored)
    if stored is not None and document.get("return_type", stored["return_type"]) != stored["return_type"]:
        raise fault("filters__return_type", "Cannot be changed after the flag is created.")
    check_size(document, call.settings.max_filters_bytes)
    check_document(document, frozenset() if stored is None else patterns_of(stored))
    return document


def _refuse_repeated_keys(raw: bytes) -> None:
    def check(pairs: list[tuple[str, Json]]) -> None:
        seen: set[str] = set()
        for name, _ in pairs:
            if name in seen:
                raise fault("filters", f'Must not repeat the key "{name}".')
            seen.add(name)

    if raw:
        json.loads(raw, object_pairs_hook=check)


def _is_valid(document: Filters) -> bool:
    """Return whether a stored document may be enabled or replaced; its size and patterns do not matter."""
    try:
        check_document(document)
    except Fault as error:
        return "Must be a valid regular expression." in error.content.decode()
    return True


_ASSIGNED: Final = "Assignment seeds are server-assigned."
_FIXED: Final = "Cannot be changed; resetting assignment is a separate operation."


def assign_names(document: Document, stored: Mapping[str, Json] | None) -> Document:
    """Return the document with an id for each rule and a seed for each draw.

    A rule with the id of a stored rule is that rule: its seed may be omitted or repeated, never changed.
    A rule that becomes a targeted release loses its seed, and gets another one when it is randomised again.

    Raises:
        Fault: for an id the flag does not have, a repeated id, and a seed that the client chose.
    """
    rules = document.get("rules")
    if not isinstance(rules, list):
        return document
    stored_rules = {rule["id"]: rule for rule in (stored or {}).get("rules", ()) if "id" in rule}
    seen: set[str] = set()
    assigned = [
        _assign(rule, stored_rules, seen, f"filters__rules__{index}") if isinstance(rule, dict) else rule
        for index, rule in enumerate(rules)
    ]
    return {**document, "rules": assigned}


def _assign(
    rule: Mapping[str, Json], stored_rules: Mapping[str, Mapping[str, Json]], seen: set[str], place: str
) -> Document:
    stored: Mapping[str, Json] = {}
    if "id" in rule:
        if not isinstance(rule["id"], str) or rule["id"] not in stored_rules:
            detail = "Rule ids are server-assigned; echo one this flag already has or omit the field."
            raise fault(f"{place}__id", detail)
        if rule["id"] in seen:
            raise fault(f"{place}__id", "Used by another rule.", "not_unique")
        seen.add(rule["id"])
        stored = stored_rules[rule["id"]]
    assigned: Document = {"id": str(uuid.uuid4()), **rule}
    if is_randomised(rule):
        assigned["seed"] = _seed(rule, stored, place)
    if rule.get("rule_type") == "experiment" and isinstance(holdout := rule.get("holdout"), dict):
        held = stored.get("holdout") or {}
        assigned["holdout"] = {**holdout, "seed": _seed(holdout, held, f"{place}__holdout")}
    return assigned


def _seed(holder: Mapping[str, Json], stored: Mapping[str, Json], place: str) -> Json:
    if "seed" not in stored:
        if "seed" in holder:
            raise fault(f"{place}__seed", _ASSIGNED)
        return str(uuid.uuid4())
    if "seed" in holder and holder["seed"] != stored["seed"]:
        raise fault(f"{place}__seed", _FIXED)
    return stored["seed"]
