"""Plan changes of holdouts and shared metrics: the difference, what follows, the fields to send."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, TypeAlias

import msgspec

from flagtui.changes.difference import MISSING, PRESENT, DifferenceLine, FieldConflict, arrow, same
from flagtui.changes.experiments.experiment_fields import metric_change
from flagtui.changes.experiments.metric_words import named_words
from flagtui.changes.proposal import Consequence, PlanBase
from flagtui.changes.skipped import Blocked
from flagtui.changes.verbs import Verb, verb_table
from flagtui.evaluate import wire
from flagtui.evaluate.parts import number
from flagtui.models.editable_fields import is_plain_key, trim
from flagtui.models.experiment import Holdout, SavedMetric
from flagtui.models.json_value import JSON, as_dict, as_list, format_number

SharedRecord: TypeAlias = Holdout | SavedMetric
VERBS: Final[Mapping[str, Verb]] = verb_table("""
create | Create | is created | delete it
edit | Change | is changed | put back the old values
delete | Delete | is deleted | create it again with another number | typed
""")
LONGEST: Final = 400
"""Characters of a name or a description that servers take."""
HOLDOUT: Final = "holdout"
METRIC: Final = "saved_metric"
"""Names of the kinds in the journal."""
NOUNS: Final[Mapping[str, str]] = {HOLDOUT: "holdout", METRIC: "shared metric"}
FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    HOLDOUT: ("name", "description", "filters"),
    METRIC: ("name", "description", "query"),
}
"""The fields that can be written."""
ADDED: Final = ("uuid", "fingerprint")
"""Names that servers give a metric without them."""
_AFTER_DELETION: Final[Mapping[str, str]] = {
    HOLDOUT: "experiments with it continue without it, and their flags serve everyone it held back",
    METRIC: "experiments that measure it continue without it",
}


class SharedIntent(msgspec.Struct, frozen=True):
    """New values of a holdout or a shared metric; `seen` holds the values that the user saw."""

    kind: str
    id: int
    """0 for a new record."""
    changes: Mapping[str, JSON]
    verb: str
    seen: Mapping[str, JSON] = {}


class SharedPlan(PlanBase, frozen=True, kw_only=True):
    """A change of a holdout or a shared metric, complete."""

    intent: SharedIntent
    fresh: SharedRecord | None
    """None for a new record."""
    values: Mapping[str, JSON]
    before: Mapping[str, JSON]
    newest: int = 0
    """The highest number before a creation, which distinguishes the new record from earlier ones."""

    @property
    def noun(self) -> str:
        return NOUNS[self.intent.kind]

    @property
    def title(self) -> str:
        return f"{self.verb.title} {'a' if self.makes_record else 'the'} {self.noun}"

    @property
    def id(self) -> int:
        return self.intent.id

    @property
    def key(self) -> str:
        """Its name. Raw."""
        return self.fresh.name if self.fresh is not None else str(self.values.get("name", ""))

    @property
    def type_to_confirm(self) -> str:
        """The name where it is plain, else the number."""
        return self.key if is_plain_key(self.key) or not self.id else str(self.id)

    @property
    def makes_record(self) -> bool:
        return self.intent.verb == "create"

    @property
    def is_deletion(self) -> bool:
        return self.intent.verb == "delete"


def holdout_filters(share: float) -> JSON:
    """Return the filters of a holdout that holds back this share in percent."""
    return [wire.new_condition(wire.whole_if_equal(share))]


def stored_fields(kind: str, fresh: SharedRecord) -> dict[str, JSON]:
    """Return the current values in the form in which they are written."""
    return {name: _body_value(name, fresh.raw.get(name)) for name in FIELDS[kind]}


def is_stored(sent: JSON, stored: JSON) -> bool:
    """Return whether a value is stored as sent, or with what servers add to a metric."""
    if isinstance(sent, dict) and isinstance(stored, dict):
        stored = {name: value for name, value in stored.items() if name in sent or name not in ADDED}
    return same(stored, sent)


def plan_shared(
    intent: SharedIntent,
    fresh: SharedRecord | None,
    now: float = 0.0,
    newest: int = 0,
    namesakes: Sequence[int] = (),
) -> SharedPlan | Blocked | None:
    """Plan the intent on the current record; None when nothing would change.

    `namesakes` are the numbers of other records with the new name.
    """
    kind = intent.kind
    current = {} if fresh is None else stored_fields(kind, fresh)
    new_values = {name: _body_value(name, value) for name, value in intent.changes.items()}
    if intent.verb == "delete":
        lines: tuple[DifferenceLine, ...] = (
            DifferenceLine((kind,), PRESENT, MISSING, f"the {NOUNS[kind]} is deleted"),
        )
        values, before = {}, current
    else:
        values = {name: value for name, value in new_values.items() if not same(value, current.get(name))}
        before = {name: current[name] for name in values if name in current}
        lines = tuple(_lines(before, values))
        if problem := _problem(kind, values, is_new=fresh is None):
            return Blocked("value", problem, "correct it and try again")
    if not lines:
        return None
    conflicts = tuple(
        FieldConflict((name,), seen, new_values.get(name, "deleted"), current.get(name))
        for name, seen in intent.seen.items()
        if (name in values or intent.verb == "delete")
        and not is_stored(_body_value(name, seen), current.get(name))
    )
    return SharedPlan(
        intent=intent,
        fresh=fresh,
        verb=VERBS[intent.verb],
        values=values,
        before=before,
        newest=newest,
        lines=lines,
        consequences=(*_same_name(kind, namesakes), *_consequences(intent, values)),
        conflicts=conflicts,
        read_at=now if fresh is not None else 0.0,
    )


def _body_value(name: str, value: JSON) -> JSON:
    if name == "filters":
        # The server names the variant of users held back itself.
        return [
            {key: part for key, part in as_dict(group).items() if key != "variant"}
            for group in as_list(value)
        ]
    return trim(value or "" if name == "description" else value)


def _problem(kind: str, values: Mapping[str, JSON], *, is_new: bool) -> str:
    """Return why a server would refuse these values; empty when it would not."""
    name, description = values.get("name", "x"), values.get("description", "")
    if not isinstance(name, str) or not name.strip() or len(name) > LONGEST:
        return f"a name has 1 to {LONGEST} characters"
    if not isinstance(description, str) or len(description) > LONGEST:
        return f"a description has at most {LONGEST} characters"
    needed = FIELDS[kind][-1]
    if is_new and not values.get(needed):
        return f"a new {NOUNS[kind]} needs {'a share' if kind == HOLDOUT else 'a query'}"
    share = _share(values["filters"]) if "filters" in values else 0.0
    if not 0 <= share <= 100:
        return "a share is between 0 % and 100 %"
    if "query" in values and not isinstance(values["query"], dict):
        return "the query of a metric is a JSON object"
    return ""


def _share(filters: JSON) -> float:
    groups = as_list(filters)
    return number(wire.share(groups[0])) if groups else 0.0


def _lines(before: Mapping[str, JSON], values: Mapping[str, JSON]) -> Iterator[DifferenceLine]:
    for name, after in values.items():
        old = before.get(name, MISSING)
        if name == "query":
            is_new = old is MISSING
            words = named_words(as_dict(after)) if is_new else metric_change(as_dict(old), as_dict(after))
            yield DifferenceLine((name,), old, after, f"query: {words}")
            continue
        label = "share" if name == "filters" else name
        sides = (_side_words(name, side) for side in (old, after))
        yield DifferenceLine((name,), old, after, f"{label}: {arrow(*sides)}")


def _side_words(name: str, side: JSON) -> JSON:
    if side is MISSING:
        return side
    return f"{format_number(_share(side))} %" if name == "filters" else side or "none"


def _same_name(kind: str, namesakes: Sequence[int]) -> Sequence[Consequence]:
    if not namesakes:
        return ()
    who = f"{NOUNS[kind]} {namesakes[0]} has"
    if len(namesakes) > 1:
        who = f"{NOUNS[kind]}s {', '.join(map(str, namesakes))} have"
    text = f"{who} this name already; commands then need the number"
    return (Consequence("Same name", text, "warning"),)


def _consequences(intent: SharedIntent, values: Mapping[str, JSON]) -> Sequence[Consequence]:
    if intent.verb == "delete":
        real = Consequence("Permanent", "deleted at once on the server, which cannot restore it", "danger")
        kept = Consequence("Kept here", "a copy in the journal; undo creates it again with another number")
        return real, Consequence("Experiments", _AFTER_DELETION[intent.kind], "warning"), kept
    if intent.verb == "edit" and "filters" in values:
        return (Consequence("Flags", "the flags of its experiments get the new share too", "warning"),)
    if intent.verb == "edit" and "query" in values:
        return (Consequence("Experiments", "all that measure it measure the new query", "warning"),)
    return ()
