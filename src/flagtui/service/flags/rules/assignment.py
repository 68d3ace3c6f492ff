"""Ids and seeds of rules: the server assigns them, and a kept rule keeps its own."""

import uuid
from collections.abc import Mapping
from typing import Final

from flagtui.service.errors import Json
from flagtui.service.flags.rules.documents import Document, is_randomised
from flagtui.service.flags.rules.values import fault

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
