"""Decisions of the inbox before they are applied: on disk, so that a lost connection loses nothing."""

import contextlib
import hashlib
import json
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec.structs import asdict, replace

from flagtui.changes.event_definitions.definition_intent import EventIntent
from flagtui.changes.proposal import Report
from flagtui.config.files import replace_file
from flagtui.models.json_value import JSON, as_dict, as_text
from flagtui.models.rows import EventDefinitionRow
from flagtui.safe_text import safe_text

WORDS: Final = {"verified": "verify", "hidden": "hide", "description": "describe"}


class TriageDecision(msgspec.Struct, frozen=True):
    """The decisions about one event."""

    id: str
    name: str
    changes: Mapping[str, JSON]
    seen: Mapping[str, JSON]
    same_as: str = ""
    """The event it looks like, when that is why it is hidden."""
    trouble: str = ""
    """Why applying it did not work the last time."""

    @property
    def words(self) -> str:
        """`verify`, `same as`, `tags, describe`."""
        if self.same_as:
            return "same as"
        return ", ".join(WORDS.get(name, name) for name in self.changes)

    @property
    def intent(self) -> EventIntent:
        """The intent that the pipeline applies; one request for each event."""
        verbs = [{**WORDS, "tags": "retag"}.get(name, "edit") for name in self.changes]
        verb = "merge" if self.same_as else verbs[0] if len(verbs) == 1 else "tidy up"
        return EventIntent(self.id, self.changes, verb, self.seen, name=self.name)


def values_of(row: EventDefinitionRow | None) -> dict[str, JSON]:
    """Return the fields that are decided about; none for a deleted definition."""
    if row is None:
        return {}
    shown: dict[str, JSON] = {"verified": row.verified, "hidden": row.hidden, "description": row.description}
    return {**shown, "tags": sorted(row.tags)}


class Triage(msgspec.Struct):
    """Decisions by event id, in the order they were made, stored in `folder` under `place`."""

    folder: Path
    place: str
    by_id: dict[str, TriageDecision] = {}
    _applied: dict[str, Mapping[str, JSON]] = {}
    """By event: what an applied decision made of the fields it changed; nothing of a deleted event."""
    _decided: set[str] = set()
    """Ids of all events that were decided here; other programs decide about others."""

    @property
    def path(self) -> Path:
        """The file of this host and project."""
        return self.folder / f"inbox-{hashlib.sha256(self.place.encode()).hexdigest()[:16]}.json"

    def decide(self, row: EventDefinitionRow, changes: Mapping[str, JSON], same_as: str = "") -> None:
        """Add a decision about an event; verified and hidden exclude each other."""
        before = self.by_id.pop(row.id, None)
        merged = {**(before.changes if before else {}), **changes}
        if changes.get("verified") is True:
            merged.pop("hidden", None)
        elif changes.get("hidden") is True:
            merged.pop("verified", None)
        seen: dict[str, JSON] = {"description": row.description, "tags": list(row.tags)}
        kept = {name: seen[name] for name in merged if name in seen}
        alike = same_as or (before.same_as if before and "hidden" in merged else "")
        self.by_id[row.id] = TriageDecision(row.id, row.name, merged, kept, alike)
        self._decided.add(row.id)
        self.save()

    def undo_last(self) -> TriageDecision | None:
        """Remove the last decision and return it; None without decisions."""
        if not self.by_id:
            return None
        _, decision = self.by_id.popitem()
        self.save()
        return decision

    def settle_report(
        self, ids: Iterable[str], report: Report[Any, Any], row_of: Callable[[str], EventDefinitionRow | None]
    ) -> None:
        """Remove the saved decisions of these events; keep the others with the reason."""
        outcomes = {outcome.plan.id: outcome for outcome in report.outcomes}
        for id in ids:
            outcome, row = outcomes.get(id), row_of(id)
            if outcome is None:
                if row is None or self.is_so(row):
                    self.settle(id, row)
            elif outcome.is_saved:
                self.settle(id, row)
            elif (decision := self.by_id.get(id)) is not None:
                self.by_id[id] = replace(decision, trouble=safe_text(outcome.reason, 120))

    def settle(self, id: str, row: EventDefinitionRow | None) -> None:
        """Remove an applied decision, which left its definition as `row`; None for a deleted one."""
        if (decision := self.by_id.pop(id, None)) is not None:
            values = values_of(row)
            self._applied[id] = {name: values[name] for name in decision.changes if name in values}
            self.save()

    def settle_done(
        self, row_of: Callable[[str], EventDefinitionRow | None], pending: Collection[int | str]
    ) -> None:
        """Remove decisions whose events have the values: applied elsewhere, or changed by another user."""
        for id in [id for id in self.by_id if id not in pending]:
            if (row := row_of(id)) is not None and self.is_so(row):
                self.settle(id, row)

    def still_applied(self, row_of: Callable[[str], EventDefinitionRow | None]) -> set[str]:
        """Return the ids of applied decisions, without those whose fields were changed or undone since."""
        return {id for id, applied in self._applied.items() if _has(values_of(row_of(id)), applied)}

    def is_so(self, row: EventDefinitionRow) -> bool:
        """Return whether the definition already has the decided values, so that nothing has to be sent."""
        changes = self.by_id[row.id].changes if row.id in self.by_id else {}
        shown = values_of(row)
        return all(shown.get(name) == value for name, value in changes.items())

    def save(self) -> None:
        """Save all decisions atomically, beside those of other programs. If the disk refuses, they stay in
        memory.
        """
        others = [decision for id, decision in self._read().items() if id not in self._decided]
        here = [replace(decision, trouble="") for decision in self.by_id.values()]
        decisions = [*map(asdict, (*others, *here))]
        with contextlib.suppress(OSError):
            if not decisions:
                self.path.unlink(missing_ok=True)
                return
            replace_file(self.path, json.dumps(decisions))

    def load(self) -> int:
        """Load the decisions of an earlier run and return their number. An unreadable file counts as none."""
        self.by_id |= self._read()
        self._decided.update(self.by_id)
        return len(self.by_id)

    def _read(self) -> dict[str, TriageDecision]:
        try:
            stored = json.loads(self.path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        decisions = {}
        for item in map(as_dict, stored if isinstance(stored, list) else []):
            id, changes = as_text(item.get("id")), as_dict(item.get("changes"))
            if id and changes:
                seen, alike = as_dict(item.get("seen")), as_text(item.get("same_as"))
                decisions[id] = TriageDecision(id, as_text(item.get("name")), changes, seen, alike)
        return decisions


def _has(values: Mapping[str, JSON], applied: Mapping[str, JSON]) -> bool:
    return all(values.get(name) == value for name, value in applied.items())
