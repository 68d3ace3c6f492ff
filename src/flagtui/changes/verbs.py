"""The words for each change: title, result and undo."""

import re
from collections.abc import Mapping
from typing import Final

import msgspec

from flagtui.models.json_value import JSON
from flagtui.models.record_fields import FLAG_FIELDS


class Verb(msgspec.Struct, frozen=True):
    """The words for one kind of change."""

    name: str
    title: str
    """For a dialog; the screen adds the profile's badge: `Turn OFF in PROD`."""
    done: str
    """After the key: `checkout-v2 is off`."""
    undo: str
    """What `u` would do: `turn it on again`."""
    is_grave: bool = False
    """Never confirmed by a bare key press, whatever the profile."""
    is_typed: bool = False
    """The name of the record is typed, whatever the profile: it cannot be undone."""

    def undo_of(self, count: int) -> str:
        """Return what `u` would do with so many records: `turn them on again`."""
        words = self.undo
        for pattern, many in _MANY if count != 1 else ():
            words = re.sub(pattern, many, words)
        return words


_MANY: Final = (
    (r"\bits flag\b", "their flags"),
    (r"\bits\b", "their"),
    (r"\bit a draft\b", "them drafts"),
    (r"\bit\b", "them"),
    (r"\bthe copy\b", "the copies"),
)
"""Words about the record, and about several."""


def verb_table(text: str) -> dict[str, Verb]:
    """Parse verbs, one per line: name, title, done, undo, and `grave`, or `typed` for the gravest."""
    rows = ([part.strip() for part in f"{line}|".split("|")] for line in text.strip().splitlines())
    return {
        name: Verb(name, title, done, undo, bool(traits[0]), traits[0] == "typed")
        for name, title, done, undo, *traits in rows
    }


_BY_NAME: Final = verb_table("""
create | Create | is created | delete it
turn on | Turn ON | is on | turn it off again
turn off | Turn OFF | is off | turn it on again
archive | Archive | is archived | unarchive it
unarchive | Unarchive | is unarchived | archive it again
delete | Delete | is deleted | restore it | grave
delete permanently | Delete permanently | is deleted permanently | | typed
restore | Restore | is restored | delete it again
rename | Change the key of | has a new key | restore the old key | grave
set rollout | Change the rollout of | has a new rollout | set the old rollout
edit | Edit | is changed | put back the old values
restore version | Restore an older version of | is back at an older version | put it back | grave
revert | Revert a change of | has its previous values back | put back the newer values
undo | Undo on | has its previous values back | do it again
""")
_TOGGLES: Final[tuple[tuple[str, bool, str], ...]] = (
    ("deleted", True, "delete"),
    ("deleted", False, "restore"),
    ("archived", True, "archive"),
    ("archived", False, "unarchive"),
    ("active", True, "turn on"),
    ("active", False, "turn off"),
)
STATES: Final = frozenset(name for *_, name in _TOGGLES)
"""Verbs after which a flag is in a state that has a word: on, off, archived, …"""


def verb(name: str) -> Verb:
    """Return the words for a verb; an unknown verb is the name of a changed field."""
    if name in _BY_NAME:
        return _BY_NAME[name]
    joined = name if name.endswith((" of", " to")) else f"{name} of"
    return Verb(name, f"{joined[:1].upper()}{joined[1:]}", "is changed", "put back the old value")


def is_verb(name: str) -> bool:
    """Return whether a change of a flag has this verb."""
    return name in _BY_NAME or name.startswith("change ")


def verb_for(changes: Mapping[str, JSON]) -> str:
    """Return the verb for a set of new values."""
    for field, value, name in _TOGGLES:
        if changes.get(field) is value:
            return name
    if len(changes) == 1:
        field = next(iter(changes))
        return "rename" if field == "key" else f"change {FLAG_FIELDS.words(field)}"
    return "edit"
