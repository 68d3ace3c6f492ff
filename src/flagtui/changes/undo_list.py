"""Which journalled changes can be taken back, whatever kind of record they changed."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Any, Final

from flagtui.changes.difference import Clash
from flagtui.changes.event_definitions.definition_intent import KIND as EVENT
from flagtui.changes.event_definitions.definition_intent import event_verb
from flagtui.changes.experiments.journal_values import MAKING
from flagtui.changes.experiments.step_undo import why_no_step_back
from flagtui.changes.experiments.steps import BY_VERB
from flagtui.changes.flags import flag_undo
from flagtui.changes.flags.canonical_filters import means_same
from flagtui.changes.flags.flag_refusals import Blocked
from flagtui.changes.journal_entries import Entry, Signature, taken_back
from flagtui.changes.related.project_copies import KIND as COPY
from flagtui.changes.related.project_copies import as_creation, project_of
from flagtui.changes.related.schedule_undo import why_not_dropped
from flagtui.changes.related.schedules import KIND as SCHEDULED
from flagtui.changes.verbs import verb
from flagtui.models.json_value import JSON

SURPRISING: Final = 3_600.0
"""Seconds after which it is said how long ago the change was made that `u` takes back."""
_IT: Final = re.compile(r"\bit\b")
NOUNS: Final = {"flag": "flag", "experiment": "experiment", EVENT: "event definition", COPY: "copied flag"}
_MADE: Final = {
    "cohort": ("no server takes a cohort away for a key", "delete the cohort in the browser"),
    "dashboard": ("no server takes a dashboard away for a key", "delete the dashboard in the browser"),
    "enrich": ("nobody can tell what was added to the dashboard", "remove it in the browser"),
}
"""By kind: why it stays, and what to do instead."""


def undoable(entries: Iterable[Entry], here: Signature) -> list[Entry]:
    """The saved changes of this project that were not taken back, newest first; any of them can be undone."""
    known = list(entries)
    gone = taken_back(known)
    return [entry for entry in known if why_not(entry, here) is None and entry.id not in gone]


def next_undo(entries: Iterable[Entry], here: Signature, passed: Collection[str] = ()) -> tuple[Entry, ...]:
    """What one `u` takes back: the newest change here, of any kind, with what was confirmed together with it.

    What was undone is not offered again; what was redone is. It may be something that cannot be undone, which
    is better said than passed over. `passed` are ids of changes that were found to be as before already.
    """
    left = [entry for entry in entries if entry.id not in passed or entry.undoes]
    return _newest(left, here, is_redo=False)


def next_redo(entries: Iterable[Entry], here: Signature) -> tuple[Entry, ...]:
    """What one `U` makes again: what was undone last, unless something else was changed since."""
    return _newest(entries, here, is_redo=True)


def _newest(entries: Iterable[Entry], here: Signature, *, is_redo: bool) -> tuple[Entry, ...]:
    place = (here.host, here.project)
    known = sorted(entries, key=attrgetter("at"), reverse=True)
    by_id, gone = {entry.id: entry for entry in known}, taken_back(known)
    saved = [
        entry
        for entry in known
        if entry.ending == "saved" and (entry.signature.host, entry.signature.project) == place
    ]
    chains = {entry.id: _chain(entry, by_id) for entry in saved}
    left = [entry for entry in saved if entry.id not in gone and len(chains[entry.id]) % 2 == is_redo]
    if not is_redo:
        # What a change left undone in part is offered as that change, not as one of its parts.
        left = [entry for entry in left if not entry.part_of or len(chains[entry.id]) > 1]
    if not left:
        return ()
    first = left[0]
    if is_redo and any(not chains[entry.id] and entry.at > first.at for entry in saved):
        return ()
    if first.batch:
        return tuple(entry for entry in left if entry.batch == first.batch)
    chain = chains[first.id]
    return tuple(entry for entry in left if entry is first or (chain and chains[entry.id][-1:] == chain[-1:]))


def _chain(entry: Entry, by_id: Mapping[str, Entry]) -> list[str]:
    """The entries it took back, one after the other: an undo has one, what was redone has two."""
    found: list[str] = []
    while (back := entry.undoes or entry.part_of) and back not in found:
        found.append(back)
        if back not in by_id:
            break
        entry = by_id[back]
    return found


def undo_words(entries: Sequence[Entry], *, is_redo: bool = False) -> str:
    """`turn new-nav on again`, `turn 17 flags on again`."""
    entry, count = entries[0], len(entries)
    what = entry.key if count == 1 else f"{count:,} {NOUNS.get(entry.kind, 'change')}s"
    words = _undo_of(entry)
    if is_redo and not _IT.search(words):
        return f"change {what} again"
    return _IT.sub(lambda _found: what, words, count=1) if _IT.search(words) else f"{what}: {words}"


def _undo_of(entry: Entry) -> str:
    if entry.kind == COPY:
        return "delete the copy of it"
    if entry.kind == SCHEDULED:
        return "drop the scheduled change of it" if entry.after else "schedule the change of it again"
    if entry.kind == "experiment":
        step = BY_VERB.get(entry.verb)
        return step.verb.undo if step is not None else "put the old values back"
    return (event_verb(entry.verb) if entry.kind == EVENT else verb(entry.verb)).undo


def as_left(entry: Entry, entries: Iterable[Entry]) -> Entry:
    """What this person made, as this person left it: their own later changes count as theirs."""
    step = BY_VERB.get(entry.verb)
    if entry.kind == COPY:
        made = as_creation(entry)
    elif entry.verb == "create" or (step is not None and step.name in MAKING):
        made = entry
    else:
        return entry
    after, version = dict(entry.after), entry.saved_version
    for later in _later(made, entries):
        after |= later.after
        version = later.saved_version or version
    return replace(entry, after=after, saved_version=version)


def told_apart(clashes: Iterable[Clash], entry: Entry, entries: Iterable[Entry]) -> tuple[Clash, ...]:
    """The clashes of undoing this entry; what this person changed later is marked as their own."""
    left: dict[str, JSON] = {}
    for later in _later(entry, entries):
        left |= later.after
    return tuple(replace(clash, is_own=_is_left(left, clash)) for clash in clashes)


def _later(entry: Entry, entries: Iterable[Entry]) -> list[Entry]:
    """What the same person did with the same record after it, oldest first."""
    place = _record_of(entry)
    return [
        later
        for later in sorted(entries, key=attrgetter("at"))
        if later.ending == "saved"
        and later.at >= entry.at
        and later.id != entry.id
        and _record_of(later) == place
    ]


def _record_of(entry: Entry) -> tuple[str, int, str, str, str]:
    here = entry.signature
    return entry.kind, entry.record, entry.uuid, here.host, here.project


def _is_left(left: JSON, clash: Clash) -> bool:
    """Whether what is there now is what was left there. Masked values are never taken for known."""
    try:
        for step in clash.path:
            at: Any = step
            left = left[at]
    except (KeyError, IndexError, TypeError):
        return False
    return means_same(left, clash.theirs, clash.path)


def why_not(entry: Entry, here: Signature) -> Blocked | None:
    """Why this entry cannot be undone at all, whatever the record is like today."""
    if entry.kind == "flag":
        return flag_undo.why_not(entry, here)
    if refusal := flag_undo.why_never(entry, here):
        return refusal
    if entry.kind == "experiment":
        return why_no_step_back(entry)
    if entry.kind == EVENT:
        return None
    if entry.kind == SCHEDULED:
        return why_not_dropped(entry)
    if entry.kind == COPY:
        if entry.record and project_of(entry):
            return None
        return Blocked("number", "nobody learned its number", "find it there and delete it")
    reason, following = _MADE.get(entry.kind, ("this program does not know what it was", ""))
    return Blocked("kind", reason, following)
