"""A flag as JSON for an editor, and what an edit of it asks for: the difference alone is the intent."""

from collections.abc import Mapping

from flagtui.changes.flags.field_rules import problems_in_fields
from flagtui.changes.flags.flag_body import clean_filters
from flagtui.changes.flags.flag_intent import Intent
from flagtui.changes.mask import MASK
from flagtui.changes.record_text import RecordText
from flagtui.changes.verbs import verb_for
from flagtui.models.flag import Flag
from flagtui.models.json_value import JSON, as_dict
from flagtui.models.record_fields import FLAG_FIELDS


def editable(flag: Flag) -> dict[str, JSON]:
    """The fields the text shows. Encrypted payloads are masked; a newer kind of targeting is left out."""
    fields: dict[str, JSON] = {name: flag.raw[name] for name in FLAG_FIELDS.edited if name in flag.raw}
    if not flag.targeting.is_editable:
        fields.pop("filters", None)
    elif "filters" in fields:
        fields["filters"] = clean_filters(flag.filters)
        payloads = as_dict(fields["filters"].get("payloads"))
        if flag.has_encrypted_payloads and payloads:
            fields["filters"]["payloads"] = dict.fromkeys(payloads, MASK)
    return fields


def flag_text(flag: Flag) -> RecordText:
    """What the editor opens."""
    version = "" if flag.version is None else f", version {flag.version}"
    notes = []
    if not flag.targeting.is_editable:
        notes.append("Its targeting is of a newer kind and cannot be edited here.")
    if flag.has_encrypted_payloads:
        notes.append(f"Encrypted payloads are shown as {MASK}; left like that they stay as they are.")
    return RecordText(
        name=flag.key,
        about=f"flag {flag.id}{version}",
        file=f"flag-{flag.id}",
        shown=editable(flag),
        problems=lambda changed: problems_in_fields(changed, flag),
        notes=tuple(notes),
        is_secret=flag.has_encrypted_payloads,
    )


def intent_of(found: Mapping[str, JSON], flag: Flag) -> Intent | None:
    """What these values of `editable(flag)` ask for; None when they say what is there."""
    record = flag_text(flag)
    changes = record.changed(found)
    if not changes:
        return None
    seen = {name: record.shown[name] for name in changes}
    if "filters" in changes and flag.has_encrypted_payloads:
        changes["filters"] = _unmasked(changes["filters"], flag)
        seen["filters"] = clean_filters(flag.filters)
    return Intent(flag.id, changes, verb_for(changes), seen=seen, seen_version=flag.version)


def _unmasked(filters: JSON, flag: Flag) -> JSON:
    """The real payloads in place of their masks; a payload that was typed anew stays."""
    stored = as_dict(flag.filters.get("payloads"))
    payloads = as_dict(as_dict(filters).get("payloads"))
    return {
        **filters,
        "payloads": {key: stored.get(key) if value == MASK else value for key, value in payloads.items()},
    }
