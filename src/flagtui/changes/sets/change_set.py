"""The change set as data: one schema, the state each change was based on, and a digest."""

import hashlib
import json
import re
import shlex
from collections.abc import Iterable, Mapping
from typing import Any, Final, Literal
from uuid import uuid4

import msgspec

from flagtui.changes.canonical_filters import means_same
from flagtui.changes.event_definitions.definition_intent import EVENT_VERBS, VALUES_OF_VERBS
from flagtui.changes.flags.property_rules import NEW_FLAG
from flagtui.changes.verbs import STATES, is_verb, verb_for
from flagtui.models.json_value import JSON, NotJson, as_dict, read_json
from flagtui.models.record_fields import EVENT_FIELDS, EXPERIMENT_FIELDS, FLAG_FIELDS
from flagtui.store.kinds import EVENTS, EXPERIMENTS, FLAGS

SCHEMA: Final = 1
"""The version of the schema that this program writes, and the newest that it reads."""
DIGEST: Final = "sha256:"
PLAIN_ID: Final = re.compile(r"[\w-]{1,64}", re.ASCII)
"""The ids of sets: they name files."""
DROP: Final = "flagtui staged drop"
"""The command that drops a change; the command line adds the profile and the project to it."""

FaultName = Literal[
    "missing",
    "unreadable",
    "malformed",
    "newer",
    "edited",
    "elsewhere",
    "open",
    "too many",
    "twice",
    "outdated",
    "direct",
]
FAULTS: Final[Mapping[FaultName, str]] = {
    "missing": "there is no such file, proposal or change",
    "unreadable": "the file or its folder cannot be read or written",
    "malformed": "the file is truncated, or is not a change set",
    "newer": "the file has the schema of a newer flagtui",
    "edited": "the file was edited by hand: its digest differs",
    "elsewhere": "the set belongs to another server or project",
    "open": "another program has the set open",
    "too many": "the set would exceed `bulk_limit` of the profile",
    "twice": "another flag of the set has this key",
    "outdated": "a record changed since its earlier change was staged",
    "direct": "the change can only be applied directly",
}
"""Problems of a change set that are detected before the first request."""


class ChangeSetError(Exception):
    """A change set cannot be read, written or extended; nothing was changed."""

    def __init__(self, fault: FaultName, what: str, next: str = "") -> None:
        super().__init__(what)
        self.fault = fault
        self.what = what
        """A sentence without its full stop."""
        self.next = next
        """The next step, as a sentence."""


class StagedChange(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The new values of one record, and the state they are based on."""

    kind: str
    """The journal's name of the kind of record; flags, event definitions and experiments can be staged."""
    record: int | str
    """The number of a flag or an experiment, the id of an event definition, or `new:<key>`."""
    key: str
    """The key of the flag, or the name of the event or the experiment. Raw."""
    verb: str
    """As in the journal: `turn off`, `set rollout`, `create`."""
    version: int | None = None
    """The version of the flag that the change is based on; null for records without versions."""
    base: dict[str, Any] = {}
    """The changed fields as they were, encrypted payloads masked; empty for a new record."""
    values: dict[str, Any]
    """The changed fields with their new values, encrypted payloads masked."""

    @property
    def is_new(self) -> bool:
        """Whether the change creates its record."""
        return isinstance(self.record, str) and self.record.startswith(NEW_FLAG)

    @property
    def identity(self) -> tuple[str, int | str]:
        """The kind and the id of the record."""
        return self.kind, self.record


class ChangeSet(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Changes of one project, each of another record, with their author and reason."""

    schema: int = SCHEMA
    id: str
    """Names the journal group of its changes, so that applying it again repeats nothing."""
    made_at: str
    """ISO 8601, when the set was begun."""
    by: str = ""
    """The author; the digest does not prove it."""
    reason: str = ""
    host: str
    project: str
    changes: tuple[StagedChange, ...] = ()
    digest: str = ""
    """`sha256:` and the hash of all other members; empty until the set is written."""

    def change_of(self, kind: str, record: int | str) -> StagedChange | None:
        """Return the change of this record."""
        return next((change for change in self.changes if change.identity == (kind, record)), None)

    def with_changes(self, added: Iterable[StagedChange], limit: int) -> "ChangeSet":
        """Return the set with these changes; one of a record in the set replaces its values.

        Raises:
            ChangeSetError: the set would have more than `limit` changes, or a record has moved.
        """
        changes = {change.identity: change for change in self.changes}
        for change in added:
            earlier = changes.pop(change.identity, None)
            if earlier is not None and change.verb == "create":
                raise _used_twice(change.key)
            merged = change if earlier is None else merge_changes(earlier, change)
            if merged is not None:
                _check_key(merged, changes.values())
                changes[merged.identity] = merged
        if len(changes) > limit:
            what = f"the set would have {len(changes):,} changes; this profile allows {limit:,} at once"
            raise ChangeSetError(
                "too many", what, "Apply or drop some first, or raise bulk_limit in the profile."
            )
        return msgspec.structs.replace(self, changes=tuple(changes.values()), digest="")

    def without(self, change: StagedChange) -> "ChangeSet":
        """Return the set without this change."""
        left = tuple(other for other in self.changes if other.identity != change.identity)
        return msgspec.structs.replace(self, changes=left, digest="")


def new_set(host: str, project: str, made_at: str, by: str = "", reason: str = "") -> ChangeSet:
    """Return an empty set with a new id."""
    return ChangeSet(id=uuid4().hex, made_at=made_at, by=by, reason=reason, host=host, project=project)


def merge_changes(earlier: StagedChange, later: StagedChange) -> StagedChange | None:
    """Return both changes of one record as one; None when they cancel each other out.

    `later` was planned on the record with the values of `earlier`. Raises ChangeSetError when the record
    has another version by now.
    """
    if not earlier.is_new and earlier.version != later.version:
        raise outdated_error(earlier, f"v{earlier.version} → v{later.version}")
    if earlier.is_new:
        if later.values.get("deleted") is True:
            return None
        key = later.values.get("key", earlier.key)
        values = {**earlier.values, **later.values}
        return msgspec.structs.replace(earlier, record=f"{NEW_FLAG}{key}", values=values, key=key)
    for name, value in earlier.values.items():
        if name in later.base and not means_same(later.base[name], value, (name,)):
            what = f"another program has staged {name} of {earlier.key} meanwhile"
            raise ChangeSetError("outdated", what, "Run the command again.")
    base = {**later.base, **earlier.base}
    values = {
        name: value
        for name, value in {**earlier.values, **later.values}.items()
        if not means_same(value, base[name], (name,))
    }
    if not values:
        return None
    if later.kind == EXPERIMENTS.entry and "archived" in values and len(values) > 1:
        fix = "Apply the staged change first, or drop it."
        raise ChangeSetError("direct", f"{later.key}: it is archived in a request of its own", fix)
    is_same_verb = earlier.verb == later.verb or earlier.values.keys() <= later.values.keys()
    verb = later.verb
    if not is_same_verb and later.kind != EXPERIMENTS.entry:
        verb = verb_for(values) if later.kind == FLAGS.entry else "edit"
    # The later one was planned on a record that the earlier one may have renamed.
    return msgspec.structs.replace(
        later, key=earlier.key, base={name: base[name] for name in values}, values=values, verb=verb
    )


def _check_key(change: StagedChange, others: Iterable[StagedChange]) -> None:
    """Raise ChangeSetError if the new key of a flag is one that another flag of the set has or gets.

    A key that the set itself makes free is still in use when the set is planned.
    """
    key = change.values.get("key") if change.kind == FLAGS.entry else None
    if key and any(key in (each.key, each.values.get("key")) for each in others if each.kind == change.kind):
        raise _used_twice(key)


def _used_twice(key: str) -> ChangeSetError:
    fix = "Apply or drop its change first, or choose another key."
    return ChangeSetError("twice", f"another flag of the set has the key {key}", fix)


def outdated_error(change: StagedChange, how: str) -> ChangeSetError:
    """Return the error of a staged change whose record has changed since."""
    key = f"-- {change.key}" if change.key.startswith("-") else shlex.quote(change.key)
    fix = f"Drop its change from the set, then stage it again: {DROP} {key}"
    return ChangeSetError("outdated", f"{change.key} changed since it was staged ({how})", fix)


def as_text(change_set: ChangeSet) -> str:
    """Return the set as JSON with its digest, one value per line."""
    raw = msgspec.to_builtins(change_set)
    raw["digest"] = _digest(raw)
    return json.dumps(raw, indent=2, ensure_ascii=True, allow_nan=False) + "\n"


def read_text(text: bytes, source: str) -> ChangeSet:
    """Return the set in a file; `source` names the file in errors. Raises ChangeSetError."""
    again = "Create it again with --dry-run --out FILE."
    try:
        raw = read_json(text)
    except NotJson as why:
        raise ChangeSetError(
            "malformed", f"{source} is truncated or not a change set: {why}", again
        ) from None
    version = as_dict(raw).get("schema")
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise ChangeSetError("malformed", f"{source} is not a change set: it names no schema", again)
    if version > SCHEMA:
        what = f"{source} has schema {version}; this flagtui reads schema {SCHEMA}"
        raise ChangeSetError("newer", what, "Use the newer flagtui that wrote it.")
    if raw.get("digest") != _digest(raw):
        raise ChangeSetError("edited", f"{source} was edited by hand: its digest differs", again)
    try:
        change_set = msgspec.convert(raw, ChangeSet)
    except msgspec.ValidationError as why:
        raise ChangeSetError("malformed", f"{source} is not a complete change set: {why}", again) from None
    problem = "" if PLAIN_ID.fullmatch(change_set.id) else f"its id is {change_set.id!r}"
    problem = problem or next(filter(None, map(_problem_of, change_set.changes)), "")
    if problem:
        raise ChangeSetError("malformed", f"{source} cannot be applied: {problem}", again)
    if len({change.identity for change in change_set.changes}) < len(change_set.changes):
        raise ChangeSetError("malformed", f"{source} changes one record twice", again)
    for change in change_set.changes:
        _check_key(change, (other for other in change_set.changes if other is not change))
    return change_set


def _problem_of(change: StagedChange) -> str:
    """Return why flagtui cannot have written this change; empty for a usable one."""
    tables = {
        FLAGS.entry: FLAG_FIELDS,
        EVENTS.entry: EVENT_FIELDS,
        EXPERIMENTS.entry: (*EXPERIMENT_FIELDS, "archived"),
    }
    fields = tables.get(change.kind)
    if fields is None:
        return f"it changes a record of unknown kind {change.kind}"
    is_flag = change.kind == FLAGS.entry
    is_numbered = change.kind != EVENTS.entry
    if not (change.is_new and is_flag) and isinstance(change.record, int) is not is_numbered:
        return f"{change.key} has the id {change.record}"
    unknown = [name for name in change.values if name not in fields]
    if not change.values:
        return f"{change.key}: it changes nothing"
    if unknown:
        return f"{change.key}: {unknown[0]} is no field that a set can change"
    if not change.is_new and change.values.keys() != change.base.keys():
        return f"{change.key}: its previous values are missing"
    if change.is_new and change.values.get("key") != change.key:
        return f"{change.key}: the new flag has another key"
    return "" if _is_named_by_verb(change) else f"{change.key}: {change.verb!r} is not what its values do"


def _is_named_by_verb(change: StagedChange) -> bool:
    """Return whether the verb, which is the title of the question, is one of the values."""
    values = change.values
    if change.kind == EVENTS.entry:
        needed = VALUES_OF_VERBS.get(change.verb, {})
        is_kept = change.verb in EVENT_VERBS.keys() - {"create", "delete", "recreate"}
        return is_kept and needed.items() <= values.items()
    if change.kind != FLAGS.entry:
        # The step of an experiment follows from the values.
        return True
    if change.is_new or change.verb == "create":
        return change.is_new and change.verb == "create"
    is_state = change.verb in STATES or values.get("deleted") is True
    return verb_for(values) == change.verb if is_state else is_verb(change.verb)


def _digest(raw: Mapping[str, JSON]) -> str:
    """Return the hash of all members but the digest, whatever their order and layout."""
    rest = {name: value for name, value in raw.items() if name != "digest"}
    text = json.dumps(rest, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return DIGEST + hashlib.sha256(text.encode()).hexdigest()
