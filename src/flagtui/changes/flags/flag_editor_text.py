"""A flag as text for the person's own editor: comments on top, JSON below; the difference is the intent."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from flagtui.changes.difference import same
from flagtui.changes.flags.field_rules import problems_in_fields
from flagtui.changes.flags.flag_body import clean_filters
from flagtui.changes.flags.flag_intent import Intent
from flagtui.changes.flags.mask import MASK
from flagtui.changes.verbs import verb_for
from flagtui.models.flag import Flag
from flagtui.models.json_value import JSON, as_dict
from flagtui.safe_text import safe_text

FIELDS: Final = (
    "key",
    "name",
    "active",
    "archived",
    "tags",
    "evaluation_runtime",
    "evaluation_contexts",
    "ensure_experience_continuity",
    "bucketing_identifier",
    "filters",
)
"""What can be edited as text, in this order."""


@dataclass(frozen=True, slots=True)
class Edited:
    """The text was fine: what the person wants, or nothing when it says what was there."""

    intent: Intent | None


@dataclass(frozen=True, slots=True)
class Faulty:
    """The text cannot be saved: why, and the same text with the reasons on top."""

    reasons: tuple[str, ...]
    text: str


def editable(flag: Flag) -> dict[str, JSON]:
    """The fields the text shows. Encrypted payloads are masked; a newer kind of targeting is left out."""
    fields: dict[str, JSON] = {name: flag.raw[name] for name in FIELDS if name in flag.raw}
    if not flag.targeting.is_editable:
        fields.pop("filters", None)
    elif "filters" in fields:
        fields["filters"] = clean_filters(flag.filters)
        payloads = as_dict(fields["filters"].get("payloads"))
        if flag.has_encrypted_payloads and payloads:
            fields["filters"]["payloads"] = dict.fromkeys(payloads, MASK)
    return fields


def as_text(flag: Flag, reasons: Sequence[str] = (), body: str = "") -> str:
    """The flag as the editor shows it, or the person's own `body` again with what is wrong with it."""
    return f"{_comments(flag, reasons)}\n{body or _json(editable(flag))}\n"


def from_text(text: str, flag: Flag) -> Edited | Faulty:
    """What the saved text asks for. An empty one asks for nothing."""
    body = without_comments(text)
    if not body.strip():
        return Edited(None)
    try:
        found = json.loads(body, object_pairs_hook=_once, parse_constant=_refuse)
    except json.JSONDecodeError as fault:
        line = body.split("\n")[fault.lineno - 1].strip()
        where = f" at: {safe_text(line, 60)}" if line else " at its end"
        return _faulty(flag, body, [f"it is not JSON: {fault.msg.lower()}{where}"])
    except (_Twice, _Refused) as fault:
        return _faulty(flag, body, [str(fault)])
    except RecursionError:
        return _faulty(flag, body, ["it is nested too deeply"])
    if not isinstance(found, dict):
        return _faulty(flag, body, ["it must be one JSON object"])
    reasons = _reasons(found, flag)
    return _faulty(flag, body, reasons) if reasons else Edited(intent_of(found, flag))


def without_comments(text: str) -> str:
    """The text without the lines that begin with #; JSON has none."""
    return "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#")).strip("\n")


def intent_of(found: Mapping[str, JSON], flag: Flag) -> Intent | None:
    """What these values, all of `editable(flag)`, ask for; None when they say what is there."""
    shown = editable(flag)
    changes = {name: value for name, value in found.items() if not same(value, shown[name])}
    if not changes:
        return None
    seen = {name: shown[name] for name in changes}
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


def _reasons(found: Mapping[str, JSON], flag: Flag) -> list[str]:
    shown = editable(flag)
    reasons = [
        f"`{safe_text(name, 60)}` is no field that can be edited here" for name in found if name not in shown
    ]
    reasons += [
        f"`{name}` is missing; leave it as it was, or give it an empty value"
        for name in shown
        if name not in found
    ]
    changed = {name: value for name, value in found.items() if name in shown and not same(value, shown[name])}
    return [*reasons, *problems_in_fields(changed, flag)]


def _faulty(flag: Flag, body: str, reasons: list[str]) -> Faulty:
    return Faulty(tuple(reasons), as_text(flag, reasons, body))


def _comments(flag: Flag, reasons: Sequence[str]) -> str:
    version = "" if flag.version is None else f", version {flag.version}"
    lines = [f"{safe_text(flag.key)}: flag {flag.id}{version}"]
    if reasons:
        lines += ["", "NOT SAVED:", *(f"  {safe_text(reason, 300)}" for reason in reasons)]
    lines += [
        "",
        "Change the values below, save and close. What would change is shown before anything is sent.",
        "Lines that begin with # are left out. An empty file, or no change, changes nothing.",
    ]
    if not flag.targeting.is_editable:
        lines.append("Its targeting is of a newer kind and cannot be edited here.")
    if flag.has_encrypted_payloads:
        lines.append(f"Encrypted payloads are shown as {MASK}; left like that they stay as they are.")
    return "\n".join(f"# {line}".rstrip() for line in lines)


def _json(fields: Mapping[str, JSON]) -> str:
    text = json.dumps(fields, indent=2, ensure_ascii=False)
    return "".join(
        character if character == "\n" or character.isprintable() else _escaped(character)
        for character in text
    )


def _escaped(character: str) -> str:
    """As JSON writes it, so that no editor draws or obeys it."""
    return json.dumps(character)[1:-1]


class _Twice(ValueError):
    """An object has one key more than once."""


class _Refused(ValueError):
    """A number JSON does not have."""


def _once(pairs: list[tuple[str, JSON]]) -> dict[str, JSON]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise _Twice(f"`{safe_text(twice, 60)}` is there twice in one object")
    return found


def _refuse(name: str) -> JSON:
    raise _Refused(f"{name} is not a number in JSON")
