"""An intent for a mirror and its plan: one override of one flag, set or removed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, Protocol

import msgspec

from flagtui.changes.difference import MISSING, DifferenceLine, FieldConflict
from flagtui.changes.proposal import Consequence, PlanBase
from flagtui.changes.skipped import Blocked
from flagtui.changes.verbs import verb_table
from flagtui.models.mirror_state import MirrorState
from flagtui.models.override import InvalidOverride, Override, read_override

KIND: Final = "override"
"""The journal's name of the record, and of its only field."""
VERBS: Final = verb_table("""
override | Override | is overridden on this machine | restore the previous override
remove override | Remove the override of | is served as upstream again | override it again
""")


class OverrideMirror(Protocol):
    """A running mirror of this user."""

    @property
    def address(self) -> str:
        """Its origin, such as http://127.0.0.1:8020."""

    async def read(self) -> MirrorState:
        """Request its state. Raises ApiError."""

    async def set(self, override: Override) -> MirrorState:
        """Serve this value from now on. Raises ApiError."""

    async def unset(self, key: str, person: str | None) -> MirrorState:
        """Serve the value of the definitions again. Raises ApiError."""


class OverrideIntent(msgspec.Struct, frozen=True):
    """A value to serve for one flag, to everyone or to one person."""

    id: int
    """The flag's number; 0 for a key without a flag."""
    key: str
    value: str | None
    """As `flagtui mirror set` takes it: on, off, a variant, 20%, JSON; None removes the override."""
    person: str | None = None

    @property
    def override(self) -> Override | None:
        """Return the override to set; None removes it. Raises InvalidOverride."""
        if self.value is None:
            return None
        person = "" if self.person is None else f"@{self.person}"
        override = read_override(f"{self.key}={self.value}{person}")
        if (override.key, override.person) != (self.key, self.person):
            raise InvalidOverride(f"{self.key} has a sign that an override cannot name")
        return override


class OverridePlan(PlanBase, frozen=True, kw_only=True):
    """One override, set or removed."""

    intent: OverrideIntent
    previous: str | None
    """The value that is set now."""

    @property
    def id(self) -> int:
        return self.intent.id

    @property
    def noun(self) -> str:
        return "flag"

    @property
    def key(self) -> str:
        return self.intent.key

    @property
    def type_to_confirm(self) -> str:
        return self.key


def plan_override(
    intent: OverrideIntent, state: MirrorState, now: float, conflicts: tuple[FieldConflict, ...] = ()
) -> OverridePlan | Blocked | None:
    """Plan an override on the current state of the mirror; None for a no-op."""
    try:
        override = intent.override
    except InvalidOverride as wrong:
        return Blocked("invalid", str(wrong))
    before = state.override_at(intent.key, intent.person)
    previous = value_at(state, intent)
    value = override.value_text if override is not None else None
    if value == previous:
        return None
    if value is None and before is not None and before.is_in_file:
        return Blocked("in the file", f"its override is in {state.file}", "remove it there")
    shown = [None if before is None else before.override.words, override and override.words]
    old, new = (MISSING if each is None else each for each in shown)
    words = f"override: {' → '.join(each or 'none' for each in shown)}"
    return OverridePlan(
        verb=VERBS["override" if value is not None else "remove override"],
        lines=(DifferenceLine((KIND,), old, new, words),),
        consequences=tuple(_consequences(intent, state)),
        conflicts=conflicts,
        read_at=now,
        intent=intent,
        previous=previous,
    )


def value_at(state: MirrorState, intent: OverrideIntent) -> str | None:
    """Return the value that the mirror serves in this place now; None without an override."""
    current = state.override_at(intent.key, intent.person)
    return None if current is None else current.override.value_text


def values_of(value: str | None) -> Mapping[str, str | None]:
    """Return the value as the journal keeps it."""
    return {KIND: value}


def _consequences(intent: OverrideIntent, state: MirrorState) -> Iterator[Consequence]:
    upstream = state.upstream or "upstream"
    yield Consequence("Changes", f"only overrides of this machine; nothing is written to {upstream}", "good")
    whom = "every program that queries this mirror" if intent.person is None else f"{intent.person} here"
    yield Consequence("Served to", whom)
    if intent.person is None:
        for each in state.overrides_of(intent.key):
            if (person := each.override.person) is not None:
                yield Consequence("Unchanged", f"{person} keeps {each.override.words}")
    current = state.override_at(intent.key, intent.person)
    if current is not None and current.is_in_file:
        yield Consequence("File", f"{state.file} is overruled until the mirror ends", "warning")
