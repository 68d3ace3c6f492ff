"""Plan an intent on the current flag: difference, consequences and request."""

from collections import Counter
from collections.abc import Mapping
from typing import Final

import msgspec
from msgspec.structs import replace

from flagtui.changes.canonical_filters import clean_filters, means_same, whole_filters
from flagtui.changes.difference import Author, FieldConflict, difference, merge, same, without
from flagtui.changes.flags.filter_rules import problems_in
from flagtui.changes.flags.flag_consequences import cautions, consequences
from flagtui.changes.flags.flag_context import Context
from flagtui.changes.flags.flag_intent import LASTING, Intent
from flagtui.changes.flags.flag_refusals import refusals
from flagtui.changes.flags.flag_words import hidden_conflict, in_words, mask_line
from flagtui.changes.proposal import Caution, PlanBase
from flagtui.changes.skipped import Blocked
from flagtui.changes.tag_line import Retag, retag_between
from flagtui.changes.verbs import STATES, verb
from flagtui.evaluate import wire
from flagtui.models.account import User
from flagtui.models.editable_fields import is_plain_key
from flagtui.models.flag import Flag
from flagtui.models.json_value import JSON, as_text
from flagtui.models.record_fields import FLAG_FIELDS

SETS: Final = frozenset(name for name, field in FLAG_FIELDS.items() if field.takes.input_kind == "texts")
"""Unordered lists: additions and removals by two users never conflict."""


class AboutFlag(PlanBase, frozen=True, kw_only=True):
    """The flag of a plan, whether the flag itself changes or not."""

    fresh: Flag
    """The flag that was read for the plan."""
    noun = "flag"

    @property
    def id(self) -> int:
        return self.fresh.id

    @property
    def key(self) -> str:
        """The key without the suffix of a deletion. Raw; safe only to compare with."""
        return live_key(self.fresh)

    @property
    def type_to_confirm(self) -> str:
        """The key, or the number of a flag whose key could deceive."""
        return self.key if is_plain_key(self.key) else str(self.id)


class Plan(AboutFlag, frozen=True, kw_only=True):
    """A complete planned change: nothing is read between the question and the request."""

    intent: Intent
    fresh: Flag
    values: Mapping[str, JSON]
    """The changed fields with their new values, without additions for the request."""
    before: Mapping[str, JSON]
    """The current values of the same fields."""
    body: Mapping[str, JSON]
    original: Mapping[str, JSON]
    is_secret: bool
    """Whether its values are masked in the journal."""
    retag: Retag | None = None
    """The tags that it adds or removes by name, where the server has that; it makes no version then."""

    @property
    def is_new(self) -> bool:
        """Whether the plan creates the flag, which has no number yet."""
        return self.id <= 0

    @property
    def makes_record(self) -> bool:
        return self.is_new or self.values.get("deleted") is False

    @property
    def versions(self) -> str:
        version = self.fresh.version
        if version is None:
            return ""
        return f"v{version}" if self.retag is not None else f"v{version} → v{version + 1}"


_NEVER: Final = {"unarchive": "is not archived", "restore": "is not deleted"}
"""By verb that ends a state: the words for a flag that is not in it, and may never have been."""


class NoOp(msgspec.Struct, frozen=True):
    """An intent whose values the flag has already."""

    intent: Intent

    @property
    def words(self) -> str:
        """`is already off` or `is not archived`, after the key; other values have no word."""
        name = self.intent.verb
        if name in _NEVER:
            return _NEVER[name]
        first, _, state = verb(name).done.partition(" ")
        return f"{first} already {state}" if name in STATES else "has these values already"


def plan_flag(intent: Intent, fresh: Flag, context: Context) -> Plan | NoOp | Blocked:
    """Plan the intent on the current flag."""
    stored = {name: stored_value(fresh, name) for name in (*intent.changes, "key")}
    merged, overlaps = _on_top_of(intent, fresh, stored)
    author = _author_since(intent.seen_version, fresh, context.me) if overlaps else ""
    conflicts = tuple(replace(overlap, by=author) for overlap in overlaps)
    values = {name: value for name, value in merged.items() if not means_same(value, stored[name], (name,))}
    if not values:
        return NoOp(intent)
    invalid, inherited = _check_values(fresh, values, stored, is_undo=intent.is_undo)
    if refusal := next(refusals(fresh, values, context), invalid):
        return refusal
    if values.get("deleted") is True and wire.has_rules(fresh.filters):
        intent = replace(intent, verb=LASTING)
    before = {name: stored[name] for name in values}
    body, original = _request_of(values, fresh)
    is_secret = fresh.has_encrypted_payloads or values.get("has_encrypted_payloads") is True
    is_retag = values.keys() == {"tags"} and fresh.id > 0 and not fresh.targeting.has_rules
    words = verb(intent.verb)
    if is_secret and not same(*(wire.payloads(side.get("filters")) for side in (before, values))):
        # The journal has no encrypted payload to put back.
        words = replace(words, undo="")
    return Plan(
        intent=intent,
        fresh=fresh,
        verb=words,
        values=values,
        before=before,
        lines=tuple(
            replace(line, words=in_words(line, before, values, context.names))
            for line in (mask_line(each) if is_secret else each for each in difference(before, values))
        ),
        consequences=tuple(consequences(intent, fresh, values, context)) if context.is_explained else (),
        cautions=(
            *(cautions(fresh, values, context) if context.is_explained else ()),
            *(Caution(f"existed before this change: {problem}") for problem in inherited[:3]),
        ),
        conflicts=tuple(map(hidden_conflict, conflicts)) if fresh.has_encrypted_payloads else conflicts,
        body=body,
        original=original,
        is_secret=is_secret,
        read_at=context.now,
        retag=retag_between(before["tags"], values["tags"]) if is_retag else None,
    )


def values_on(fresh: Flag, intent: Intent) -> dict[str, JSON]:
    """Return the requested values merged into those of the current flag."""
    return _on_top_of(intent, fresh, {name: stored_value(fresh, name) for name in intent.changes})[0]


def _on_top_of(
    intent: Intent, fresh: Flag, stored: Mapping[str, JSON]
) -> tuple[dict[str, JSON], tuple[FieldConflict, ...]]:
    """Merge the requested values into the current ones and return the conflicting fields too."""
    values: dict[str, JSON] = {}
    conflicts: list[FieldConflict] = []
    for name, value in intent.changes.items():
        mine = _tidy(name, value)
        if name in intent.seen:
            seen = _tidy(name, intent.seen[name], is_stored=True)
            mine, field_conflicts = merged_value(name, seen, mine, stored[name])
            conflicts.extend(field_conflicts)
        values[name] = mine
    original_key = live_key(fresh)
    if values.get("deleted") is False and fresh.deleted and fresh.key != original_key:
        # Older servers leave the key as the deletion renamed it.
        values.setdefault("key", original_key)
    return values, tuple(conflicts)


def _author_since(version: int | None, fresh: Flag, me: User | None) -> Author:
    """Return who changed the flag after this version, where a single change was made."""
    editor = fresh.last_modified_by
    if version is None or fresh.version != version + 1 or editor is None or me is None:
        return ""
    return "you" if editor.id == me.id else "others"


def live_key(fresh: Flag) -> str:
    """Return the key without the suffix that a deletion adds."""
    return fresh.key.removesuffix(f":deleted:{fresh.id}")


def merged_value(name: str, seen: JSON, mine: JSON, theirs: JSON) -> tuple[JSON, tuple[FieldConflict, ...]]:
    """Return my value of a field on top of theirs, and the conflicts; of unordered lists what I changed."""
    if name not in SETS or not (
        isinstance(seen, list) and isinstance(mine, list) and isinstance(theirs, list)
    ):
        return merge(seen, mine, theirs, (name,), means_same)
    lost = without(seen, mine)
    kept = without(theirs, lost)
    return [*kept, *without(without(mine, seen), kept)], ()


def stored_value(fresh: Flag, name: str) -> JSON:
    """Return the current value of the field in the form that plans compare: to be read, not changed."""
    if name == "filters":
        return wire.stored_filters(fresh.filters)
    value = fresh.raw[name] if name in fresh.raw else getattr(fresh, name, None)
    return _tidy(name, value, is_stored=True)


def _tidy(name: str, value: JSON, *, is_stored: bool = False) -> JSON:
    """Return the value as the server stores it; the empty one for a stored null that no request can set."""
    if is_stored and value is None and name in FLAG_FIELDS and FLAG_FIELDS[name].takes.wrong(None):
        return FLAG_FIELDS[name].blank
    if name == "filters":
        return clean_filters(value) if isinstance(value, dict) else value
    if name == "tags" and isinstance(value, list | tuple):
        return list(dict.fromkeys(tag for item in value if (tag := as_text(item).strip().lower())))
    if isinstance(value, str):
        return value.strip()
    return list(value) if isinstance(value, tuple) else value


def _request_of(values: Mapping[str, JSON], fresh: Flag) -> tuple[dict[str, JSON], dict[str, JSON]]:
    """Return the fields to send, and the values read for them."""
    body = {
        name: whole_filters(value, fresh.filters) if name == "filters" else value
        for name, value in values.items()
    }
    if "filters" in body and fresh.has_encrypted_payloads:
        # Without it the server would store the decrypted payload it showed us as plain text.
        body.setdefault("has_encrypted_payloads", True)
    # Of flags with rules servers compare the version alone.
    compared = () if wire.has_rules(fresh.filters) else body.keys() & fresh.raw.keys()
    return body, {name: fresh.raw[name] for name in body if name in compared}


def _check_values(
    fresh: Flag, values: Mapping[str, JSON], stored: Mapping[str, JSON], *, is_undo: bool
) -> tuple[Blocked | None, list[str]]:
    """Return why the new values are invalid, and problems that the targeting had before, in words."""
    caused: list[str] = []
    inherited: list[str] = []
    if "filters" in values:
        is_encrypted = fresh.has_encrypted_payloads
        after = problems_in(values["filters"], fresh.id, is_encrypted=is_encrypted)
        before = problems_in(stored["filters"], fresh.id, is_encrypted=is_encrypted) if after else ()
        old = Counter(problem.words for problem in before)
        for problem in after:
            # Compared by words, because a condition that moved takes its problem to another path.
            problems = inherited if old[problem.words] > 0 else caused
            problems.append(problem.sentence)
            old[problem.words] -= 1
    if caused:
        more = f", and {len(caused) - 3:,} more" if len(caused) > 3 else ""
        reason = f"{'; '.join(caused[:3])}{more}"
        return Blocked("targeting", reason, "correct it and try again"), inherited
    others = {name: value for name, value in values.items() if name != "filters"}
    wrong = FLAG_FIELDS.problems(others, is_undo=is_undo)
    return Blocked("value", wrong[0], "correct it and try again") if wrong else None, inherited
