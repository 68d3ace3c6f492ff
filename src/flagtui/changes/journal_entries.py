"""Entries of the journal: the intent and the outcome of one change."""

import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from operator import attrgetter
from typing import Any, Final, Literal, get_args

import msgspec
from msgspec.structs import asdict, replace

from flagtui import local_time
from flagtui.changes.difference import same
from flagtui.evaluate import wire
from flagtui.models.json_value import JSON, as_dict, as_id, as_list, as_number, as_text
from flagtui.safe_text import MASK

Ending = Literal["saved", "conflicted", "awaiting approval", "refused", "failed", "unknown"]
WITHOUT_NUMBER: Final = "event_definition"
"""The kind of record that is known by a UUID."""
CHANGED: Final = f"{MASK} (another one)"
"""In place of an encrypted payload that the change replaced, on either side."""
_TEXTS: Final = ("key", "verb", "reason", "batch", "undoes")
"""Fields that are kept as they are."""


class Signature(msgspec.Struct, frozen=True):
    """The author, the server and the project of a change."""

    by: str = ""
    profile: str = ""
    host: str = ""
    project: str = ""
    origin: str = ""
    """The project that was open, when the change was made in another one."""

    def reaches(self, here: "Signature") -> bool:
        """Return whether `u` undoes the change here: it was made in this project, or from it."""
        return self.host == here.host and here.project in (self.project, self.origin)

    def made_from(self, here: "Signature") -> "Signature":
        """Return the signature of a change that is made while the project of `here` is open."""
        return self if self.project == here.project else replace(self, origin=here.project)


class UndoTarget(msgspec.Struct, frozen=True):
    """The entry that a change undoes, as a whole or in part."""

    id: str
    is_whole: bool = True
    """Whether it is undone completely."""


class ApprovalRequest(msgspec.Struct, frozen=True):
    """The change request on the server for which a change waits."""

    id: str
    is_earlier: bool = False
    """Whether it was open before the change, which made none of its own: it may be for other values."""


class Entry(msgspec.Struct, frozen=True):
    """One change of this user. `ending` is empty until the outcome is known."""

    id: str = ""
    at: float = 0.0
    """Unix seconds; when it began."""
    record: int = 0
    """Its number; 0 for a new one whose number was never learned."""
    key: str = ""
    verb: str = ""
    signature: Signature = Signature()
    kind: str = "flag"
    reason: str = ""
    version: int | None = None
    """The record's version before."""
    before: Mapping[str, JSON] = {}
    after: Mapping[str, JSON] = {}
    is_secret: bool = False
    """Payloads in `before` and `after` are masked."""
    words: tuple[str, ...] = ()
    """The differing paths as phrases."""
    batch: str = ""
    """The same for all changes confirmed together."""
    undoes: str = ""
    """The id of the entry this undoes."""
    part_of: str = ""
    """The id of the entry this undoes in part."""
    pid: int = 0
    uuid: str = ""
    """The id of a record that has no number, such as an event definition; `record` is 0 then."""
    ending: Ending | Literal[""] = ""
    ended_at: float | None = None
    saved_version: int | None = None
    note: str = ""
    """Details of the outcome, in words."""
    request: ApprovalRequest | None = None
    direction: Literal["", "undo", "redo"] = ""
    """Whether it undoes another change, or redoes what was undone; read from the journal, never written."""

    @property
    def change(self) -> str:
        """The change in words: `turn off`, `undo: turn off`."""
        return f"{self.direction}: {self.verb}" if self.direction else self.verb

    @property
    def is_open(self) -> bool:
        """Whether the outcome is still unknown."""
        return self.ending in ("", "unknown")

    @property
    def has_hidden_payload(self) -> bool:
        """The change replaced a payload that is not written down."""
        sides = (self.before.get("filters"), self.after.get("filters"))
        return any(CHANGED in wire.payloads(side).values() for side in sides)


def moment(text: JSON) -> float:
    """Return the Unix seconds of a time stamp; 0 for any other text."""
    try:
        return local_time.aware(datetime.fromisoformat(as_text(text))).timestamp()
    except (ValueError, OverflowError):
        return 0.0


def begun(line: Mapping[str, JSON]) -> Entry | None:
    """Parse a `begin` line into an entry; None when it is incomplete."""
    id, record = as_text(line.get("id")), _record(line)
    if not id or record is None:
        return None
    texts: dict[str, Any] = {name: as_text(line.get(name)) for name in _TEXTS}
    return Entry(
        id=id,
        at=moment(line.get("at")),
        record=record,
        signature=Signature(
            *(as_text(line.get(name)) for name in ("by", "profile", "host", "project", "origin"))
        ),
        kind=as_text(line.get("kind")) or "flag",
        version=_whole(line.get("version")),
        before=as_dict(line.get("before")),
        after=as_dict(line.get("after")),
        is_secret=line.get("secret") is True,
        words=tuple(as_text(word) for word in as_list(line.get("words"))),
        pid=_whole(line.get("pid")) or 0,
        uuid=_uuid(line),
        part_of=as_text(line.get("part_of")),
        **texts,
    )


def apply_outcome(entry: Entry, line: Mapping[str, JSON]) -> Entry:
    """Apply an `outcome` line to the entry; an unknown ending never replaces a known one."""
    ending: Ending | None = next((word for word in get_args(Ending) if word == line.get("outcome")), None)
    if ending is None or (ending == "unknown" and not entry.is_open):
        return entry
    return replace(
        entry,
        record=as_id(line.get("record")) or entry.record,
        uuid=_uuid(line) if entry.kind == WITHOUT_NUMBER and _uuid(line) else entry.uuid,
        ending=ending,
        ended_at=moment(line.get("at")),
        saved_version=_whole(line.get("version")),
        after={**entry.after, **as_dict(line.get("after"))},
        note=as_text(line.get("note")),
        request=_request(line) or entry.request,
    )


def opening(entry: Entry) -> dict[str, JSON]:
    """Return the entry as its `begin` line, with secrets masked."""
    return {
        "step": "begin",
        "id": entry.id,
        "at": local_time.stamp(entry.at),
        **{name: text for name, text in asdict(entry.signature).items() if text or name != "origin"},
        "kind": entry.kind,
        "record": entry.uuid or entry.record,
        "version": entry.version,
        "before": mask_payloads(entry.before, entry.after) if entry.is_secret else dict(entry.before),
        "after": mask_payloads(entry.after, entry.before) if entry.is_secret else dict(entry.after),
        "secret": entry.is_secret,
        "words": list(entry.words),
        **{name: getattr(entry, name) for name in _TEXTS},
        **({"part_of": entry.part_of} if entry.part_of else {}),
        "pid": entry.pid,
    }


def mask_payloads(values: Mapping[str, JSON], other: Mapping[str, JSON]) -> dict[str, JSON]:
    """Mask every payload; one that differs from the `other` side's is marked as changed."""
    payloads = wire.payloads(values.get("filters"))
    if not payloads:
        return dict(values)
    others = wire.payloads(other.get("filters"))
    hidden = {
        key: MASK if key in others and same(value, others[key]) else CHANGED
        for key, value in payloads.items()
    }
    return {**values, "filters": wire.with_payloads(values["filters"], hidden)}


def restore_payloads(values: Mapping[str, JSON], filters: Mapping[str, JSON]) -> dict[str, JSON]:
    """Return masked values with the payloads of these `filters`, so that they can be compared and sent."""
    if "filters" not in values:
        return dict(values)
    return {**values, "filters": wire.with_payloads(values["filters"], wire.stored_payloads(filters))}


def ever_undone(entries: Iterable[Entry]) -> frozenset[str]:
    """Return the ids of the entries that were undone, also of those whose undo was undone since."""
    return frozenset(entry.undoes for entry in entries if entry.undoes and entry.ending == "saved")


def undone_now(entries: Iterable[Entry]) -> frozenset[str]:
    """Return the ids of the entries that are undone now: a redo applies a change again."""
    ids = set[str]()
    for entry in sorted(entries, key=attrgetter("at"), reverse=True):
        if entry.undoes and entry.ending == "saved" and entry.id not in ids:
            ids.add(entry.undoes)
    return frozenset(ids)


def with_directions(entries: Mapping[str, Entry]) -> list[Entry]:
    """Return the entries of a journal, by id, with the direction of each."""
    return [
        replace(entry, direction="undo" if len(reverted_by(entry, entries)) % 2 else "redo")
        if entry.undoes or entry.part_of
        else entry
        for entry in entries.values()
    ]


def reverted_by(entry: Entry, by_id: Mapping[str, Entry]) -> list[str]:
    """Return the ids of the entries that an entry reverts in turn: one for an undo, two for a redo."""
    ids: list[str] = []
    undone: Entry | None = entry
    while undone is not None and (back := undone.undoes or undone.part_of) and back not in ids:
        ids.append(back)
        undone = by_id.get(back)
    return ids


def texts_of(entry: Entry) -> tuple[str, ...]:
    """Return what a search looks through: key, change, user, reason, ending, place and changed fields."""
    ending = f"{entry.ending} open, not known" if entry.is_open else entry.ending
    place = (entry.signature.profile, str(entry.record))
    return (
        entry.key,
        entry.change,
        entry.signature.by,
        entry.reason,
        ending,
        entry.note,
        *place,
        *entry.words,
    )


def search_entries(entries: Iterable[Entry], text: str) -> list[Entry]:
    """Return the entries with every word in their texts."""
    words = [re.compile(re.escape(word), re.IGNORECASE) for word in text.split()]
    matches: list[Entry] = []
    for entry in entries:
        text = " ".join(texts_of(entry))
        if all(word.search(text) for word in words):
            matches.append(entry)
    return matches


def _record(line: Mapping[str, JSON]) -> int | None:
    if line.get("kind") == WITHOUT_NUMBER:
        return 0
    # What a change makes has no number until the server gave it one.
    return 0 if line.get("record") == 0 else as_id(line.get("record"))


def _request(line: Mapping[str, JSON]) -> ApprovalRequest | None:
    id = as_text(line.get("request"))
    return ApprovalRequest(id, line.get("is_earlier_request") is True) if id else None


def _uuid(line: Mapping[str, JSON]) -> str:
    record = line.get("record")
    return record if isinstance(record, str) and as_id(record) is None else ""


def _whole(value: JSON) -> int | None:
    number = as_number(value)
    return int(number) if number is not None else None
