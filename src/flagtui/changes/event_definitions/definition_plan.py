"""Plans an intent against the current definition: the difference, its consequences, the request."""

from collections.abc import Iterator, Mapping
from typing import ClassVar, Final

import msgspec

from flagtui.changes.difference import MISSING, PRESENT, DifferenceLine, FieldConflict, field_words, same
from flagtui.changes.event_definitions.definition_intent import (
    TITLES_OF_MANY,
    EventIntent,
    event_verb,
    tidy_tags,
)
from flagtui.changes.proposal import Caution, Consequence, PlanBase, consequence_with_age
from flagtui.changes.skipped import Blocked
from flagtui.local_time import DAY, days_ago, unix
from flagtui.models.editable_fields import trim
from flagtui.models.event_definition import EventDefinition
from flagtui.models.json_value import JSON, as_list, as_text
from flagtui.models.record_fields import EVENT_FIELDS

RECREATED_FIELDS: Final = tuple(name for name in EVENT_FIELDS if name in EVENT_FIELDS.having("recreated"))
"""Fields that a new definition can set; the server sets dates and the verifier."""
LONGEST_NAME: Final = 400
CREATING: Final = ("create", "recreate")
"""Verbs after which there is a new definition."""
_NEWER_FIELDS: Final = EVENT_FIELDS.having("newer")
_NEWEST_NAMES: Final = {"primary_property": "promoted_property"}


class DefinitionContext(msgspec.Struct, frozen=True):
    """Facts for planning in addition to the definition."""

    now: float = 0.0
    people: Mapping[int, str] = {}
    """Names of people by number, for owners."""
    used_by: tuple[str, ...] = ()
    """Experiments known to use the event."""


class EventPlan(PlanBase, frozen=True, kw_only=True):
    """A change that could be made, complete."""

    noun: ClassVar[str] = "event definition"
    intent: EventIntent
    fresh: EventDefinition
    values: Mapping[str, JSON]
    """The changed fields as they will be, those the server's own rules move included."""
    before: Mapping[str, JSON]
    body: Mapping[str, JSON]
    """The body to send."""

    @property
    def id(self) -> str:
        return self.intent.id

    @property
    def key(self) -> str:
        """The name. Raw; safe only to compare with."""
        return self.fresh.name

    @property
    def type_to_confirm(self) -> str:
        """The name, or the start of its id when the name could deceive."""
        name = self.fresh.name
        is_plain = name.isascii() and name.isprintable() and " ".join(name.split()) == name
        return name if is_plain and 0 < len(name) <= 80 else self.id[:8]

    def title_of(self, counted: str) -> str:
        words = TITLES_OF_MANY.get(self.verb.name)
        return super().title_of(counted) if words is None else words.format(counted)

    @property
    def is_deletion(self) -> bool:
        return self.intent.changes.get("deleted") is True

    @property
    def is_new(self) -> bool:
        """Return whether the definition is created, perhaps again after a deletion, with a new id."""
        return self.intent.verb in CREATING

    @property
    def makes_record(self) -> bool:
        return self.is_new


def foresee_refusal(intent: EventIntent, fresh: EventDefinition) -> Blocked | None:
    """Return why the server would not store these values: older ones ignore fields that they do not show."""
    for name, value in intent.changes.items():
        is_shown = name in fresh.raw or _NEWEST_NAMES.get(name) in fresh.raw
        if name in _NEWER_FIELDS and not is_shown and not same(value, stored_event_value(fresh, name)):
            return Blocked("unknown field", f"this server has no `{name}` and would ignore it")
    return None


def would_change(intent: EventIntent, fresh: EventDefinition) -> bool:
    """Return whether the change is no no-op."""
    return plan_event(intent, fresh, DefinitionContext()) is not None


def plan_event(intent: EventIntent, fresh: EventDefinition, context: DefinitionContext) -> EventPlan | None:
    """Return the plan of an intent for the definition as it is now; None when nothing would change."""
    if intent.changes.get("deleted") is True:
        return _plan_deletion(intent, fresh, context)
    merged, conflicts = _on_top_of(intent, fresh)
    body = {name: value for name, value in merged.items() if not same(value, stored_event_value(fresh, name))}
    if not body:
        return None
    values = dict(body)
    # Side effects on the server: verifying un-hides, hiding un-verifies.
    if body.get("verified") is True and fresh.hidden:
        values["hidden"] = False
    elif body.get("hidden") is True and fresh.verified:
        values["verified"] = False
    before = {name: stored_event_value(fresh, name) for name in values}
    return EventPlan(
        intent=intent,
        fresh=fresh,
        verb=event_verb(intent.verb, values),
        values=values,
        before=before,
        body=body,
        lines=tuple(_lines(before, values, {**context.people, **_owner_of(fresh)})),
        consequences=tuple(consequences_of(fresh, values, context.used_by, context.now)),
        conflicts=conflicts,
        cautions=tuple(Caution(words) for words in rules_of(fresh, body)),
        read_at=context.now,
    )


def plan_creation(intent: EventIntent, context: DefinitionContext) -> EventPlan | Blocked:
    """Plan a definition for an event without data so far."""
    if not 0 < len(intent.name.strip()) <= LONGEST_NAME:
        return Blocked("name", f"a name has 1 to {LONGEST_NAME} characters", "choose another name")
    if problems := EVENT_FIELDS.problems(intent.changes):
        return Blocked("value", problems[0], "correct it and try again")
    return EventPlan(
        intent=intent,
        fresh=EventDefinition.of({"id": "", "name": intent.name}),
        verb=event_verb(intent.verb),
        values=intent.changes,
        before={},
        body=intent.changes,
        lines=(
            DifferenceLine(("name",), MISSING, intent.name, f"name: {intent.name}"),
            *_lines({}, intent.changes, context.people),
        ),
    )


def plan_recreation(name: str, kept: Mapping[str, JSON], context: DefinitionContext) -> EventPlan:
    """Plan to recreate a deleted definition from the copy in the journal."""
    values = {
        field: kept[field] for field in RECREATED_FIELDS if kept.get(field) not in (None, [], "", False)
    }
    intent = EventIntent("", values, "recreate")
    lost = "its creation date is lost"
    if kept.get("verified"):
        lost = "who verified it and when, and its creation date, are lost"
    return EventPlan(
        intent=intent,
        fresh=EventDefinition.of({"id": "", "name": name}),
        verb=event_verb("recreate"),
        values=values,
        before={},
        body=values,
        lines=tuple(_lines({}, values, context.people)),
        consequences=(Consequence("Lost", lost, "warning"),),
    )


def stored_event_value(fresh: EventDefinition, name: str) -> JSON:
    """Return the field as it is now, in the form it is written in: an owner is a number."""
    if name == "owner":
        return fresh.owner.id if fresh.owner else None
    value: JSON = getattr(fresh, name, None)
    if isinstance(value, tuple):
        value = list(value)
    value = EVENT_FIELDS[name].blank if value is None and name in EVENT_FIELDS else value
    return EVENT_FIELDS.comparable(name, value)


def _plan_deletion(intent: EventIntent, fresh: EventDefinition, context: DefinitionContext) -> EventPlan:
    """Plan a deletion; the journal keeps the whole definition, since nothing else will."""
    gone = DifferenceLine(("definition",), PRESENT, MISSING, "the definition is deleted, not the events")
    return EventPlan(
        intent=intent,
        fresh=fresh,
        verb=event_verb("delete"),
        values={"deleted": True},
        before={**fresh.raw, "owner": stored_event_value(fresh, "owner")},
        body={},
        lines=(gone,),
        consequences=tuple(consequences_of(fresh, {"deleted": True}, context.used_by, context.now)),
        read_at=context.now,
    )


def _on_top_of(
    intent: EventIntent, fresh: EventDefinition
) -> tuple[dict[str, JSON], tuple[FieldConflict, ...]]:
    """Return the requested values merged into the current ones, and the fields that conflict."""
    merged: dict[str, JSON] = {}
    conflicts: list[FieldConflict] = []
    for name, value in intent.changes.items():
        mine = trim(value)
        seen, theirs = intent.seen.get(name, MISSING), stored_event_value(fresh, name)
        merged[name] = merged_tags(seen, mine, theirs) if name == "tags" else mine
        is_moved = seen is not MISSING and not same(seen, theirs) and not same(mine, theirs)
        if is_moved and name != "tags":
            conflicts.append(FieldConflict((name,), seen, mine, theirs))
    return merged, tuple(conflicts)


def merged_tags(seen: JSON, mine: JSON, theirs: JSON) -> JSON:
    """Merge additions and removals of two users, which never conflict."""
    sides = ([] if side is MISSING else as_list(side) for side in (seen, mine, theirs))
    before, ours, current = (set(tidy_tags([as_text(item) for item in side])) for side in sides)
    return sorted(ours if seen is MISSING else (current & ours) | (current - before) | (ours - before))


def _lines(
    before: Mapping[str, JSON], values: Mapping[str, JSON], people: Mapping[int, str]
) -> Iterator[DifferenceLine]:
    for name, after in values.items():
        old = _shown_value(name, before.get(name, MISSING), people)
        new = _shown_value(name, after, people)
        yield DifferenceLine((name,), old, new, field_words(EVENT_FIELDS, name, old, new))


def _shown_value(name: str, value: JSON, people: Mapping[int, str]) -> JSON:
    if name == "owner" and isinstance(value, int):
        return people.get(value, f"user {value}")
    return value


def _owner_of(fresh: EventDefinition) -> Mapping[int, str]:
    return {fresh.owner.id: fresh.owner_name} if fresh.owner and fresh.owner_name else {}


def consequences_of(
    fresh: EventDefinition, values: Mapping[str, JSON], used_by: tuple[str, ...], now: float
) -> Iterator[Consequence]:
    """Yield the consequences of these values."""
    if values.get("deleted") is True:
        yield from _deletion(fresh, now)
    if values.get("hidden") is True:
        yield Consequence("Hidden", "users who choose events do not see it; it is still ingested")
    if values.get("enforcement_mode") == "reject":
        yield Consequence("Data", "events that do not match are dropped permanently from now on", "danger")
    for name in used_by if values.keys() & {"deleted", "hidden", "enforcement_mode"} else ():
        yield Consequence("Used by", name, "experiment")
    if fresh.updated_by is not None and fresh.updated_at is not None:
        changed = (f"{fresh.updated_by.label}, ", fresh.updated_at.timestamp())
        yield consequence_with_age("Last change", changed, now)


def _deletion(fresh: EventDefinition, now: float) -> Iterator[Consequence]:
    yield Consequence("Permanent", "deleted at once on the server, which cannot restore it", "danger")
    seen = unix(fresh.last_seen_at)
    if seen is not None and now - seen < 30 * DAY:
        back = f"with the next event, without its metadata; last seen {days_ago(seen, now)}"
        yield Consequence("Comes back", back, "warning")
    else:
        yield Consequence("Comes back", "if the event is ever sent again, without its metadata")
    kept = [word for word, value in _metadata(fresh) if value]
    nothing = (
        "nothing set by a user" if "verified" in fresh.raw else "not known: this server does not report it"
    )
    yield Consequence("Lost", ", ".join(kept) or nothing, "warning" if kept else "plain")
    yield Consequence("Events", "events already ingested stay")
    yield Consequence(
        "Kept here", "a copy in the journal; undo recreates it, on older servers once the event is sent again"
    )


def _metadata(fresh: EventDefinition) -> Iterator[tuple[str, bool]]:
    yield "description", bool((fresh.description or "").strip())
    yield f"{len(fresh.tags):,} tag{'' if len(fresh.tags) == 1 else 's'}", bool(fresh.tags)
    yield "owner", fresh.owner is not None
    yield "verified status", fresh.verified
    yield "hidden status", fresh.hidden
    yield "primary property", bool(fresh.row().primary_property)
    yield "schema enforcement", fresh.enforcement_mode == "reject"
    yield "columns", bool(fresh.default_columns)


def rules_of(fresh: EventDefinition, body: Mapping[str, JSON]) -> Iterator[str]:
    """Yield the side effects of the change on the server."""
    if body.get("verified") is True and fresh.hidden:
        yield "verifying unhides: it is hidden now and will be shown again"
    if body.get("hidden") is True and fresh.verified:
        who = f" by {fresh.verified_by.label}" if fresh.verified_by else ""
        yield f"hiding unverifies: it was verified{who}, and that is forgotten"
    if body.get("verified") is False and fresh.verified:
        who = f", {fresh.verified_by.label}," if fresh.verified_by else ""
        yield f"who verified it{who} and when is forgotten"
