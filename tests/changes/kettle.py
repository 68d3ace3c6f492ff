"""An imaginary kind of record: its adapter, its entries, and a server that fails as told."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from tests.changes.writing import PLAIN, Writing, approve
from tests.doubles.steady_clock import SteadyClock

from flagtui.api import Client
from flagtui.api.errors import ApiError, ErrorFacts, NotFound
from flagtui.changes.adapter import Adapter
from flagtui.changes.entry_kind import EntryKind, PlannedUndo, Recovery, RecoveryVerdict, UndoContext
from flagtui.changes.journal import Journal
from flagtui.changes.journal_entries import Entry, Signature
from flagtui.changes.planner import Planned
from flagtui.changes.proposal import Outcome, PlanBase
from flagtui.changes.skipped import Blocked
from flagtui.changes.verbs import Verb
from flagtui.models.json_value import as_id

HERE: Final = Signature("alice@acme.com", "prod", "https://us.example", "1")
SLOW_DOWN: Final = ErrorFacts("POST", True, status=429, retry_after=3)
LONG_PAUSE: Final = ErrorFacts("POST", True, status=429, retry_after=500)


BOIL: Final = Verb("boil", "Boil", "is hot", "let it cool")
COOL: Final = Verb("cool", "Let cool", "is cold", "boil it again")


class Kettle(PlanBase, frozen=True, kw_only=True):
    """What is to be boiled; a plan like any other."""

    key: str
    degrees: int = 100
    id: int = 7
    noun: str = "kettle"
    verb: Verb = BOIL

    @property
    def type_to_confirm(self) -> str:
        return self.key


def make_kettle(key: str, degrees: int = 100, **more: Any) -> Kettle:
    return Kettle(key=key, degrees=degrees, **more)


@dataclass
class Kitchen(Adapter[Kettle, int]):
    """The adapter: a server that fails as told and notices what it is asked. A record is its temperature."""

    journal: Journal
    faults: list[ApiError] = field(default_factory=list)
    boils_at: int | None = None
    """The read at which it has boiled; None never."""
    now: int = 20
    is_gone: bool = False
    compares: bool = True
    requests: list[str] = field(default_factory=list)
    open_when_asked: list[bool] = field(default_factory=list)

    def journal_entry(self, plan: Kettle) -> Entry:
        before, after = {"degrees": self.now}, {"degrees": plan.degrees}
        return Entry(
            record=plan.id, key=plan.key, verb=plan.verb.name, kind="kettle", before=before, after=after
        )

    def is_compared(self, plan: Kettle) -> bool:
        return self.compares

    async def read(self, plan: Kettle) -> int | None:
        self.requests.append("read")
        if self.is_gone:
            raise NotFound("Not found.")
        is_hot = self.boils_at is not None and self.requests.count("read") > self.boils_at
        return plan.degrees if is_hot else self.now

    def conflict(self, plan: Kettle, now: int) -> Outcome[Kettle, int] | None:
        return None if now == 20 else Outcome(plan, "conflicted", now, "it was heated meanwhile")

    async def send(self, plan: Kettle) -> Outcome[Kettle, int]:
        self.requests.append(f"send {plan.key}")
        self.open_when_asked.append(any(entry.is_open for entry in self.journal.entries()))
        if self.faults:
            raise self.faults.pop(0)
        self.now = plan.degrees
        return Outcome(plan, "saved", plan.degrees)

    def judge(self, plan: Kettle, seen: int | None) -> Outcome[Kettle, int] | None:
        return Outcome(plan, "saved", seen) if seen == plan.degrees else None

    def is_as_before(self, plan: Kettle, seen: int | None) -> bool:
        return seen == 20


class Together(Kitchen):
    """Boils any number with one request; the second has no water."""

    def groups(self, plans: Sequence[Kettle]) -> Sequence[Sequence[Kettle]]:
        return [plans]

    async def send_group(self, plans: Sequence[Kettle]) -> Sequence[Outcome[Kettle, int]]:
        self.requests.append("send all")
        if self.faults:
            raise self.faults.pop(0)
        return [
            Outcome(plan, "refused" if place == 1 else "saved", reason="no water" * (place == 1))
            for place, plan in enumerate(plans)
        ]


@dataclass(frozen=True)
class KettleEntries(EntryKind):
    """What can still become of entries of kettles in this kitchen."""

    kitchen: Kitchen
    noun: str = "kettle"

    def why_not(self, entry: Entry) -> Blocked | None:
        return None if entry.before else Blocked("kind", "it was never cold")

    def undo_words(self, entry: Entry) -> str:
        return (BOIL if entry.verb == "boil" else COOL).undo

    def creation(self, _entry: Entry) -> Entry | None:
        return None

    async def prepare_undo(self, part: Entry, context: UndoContext) -> PlannedUndo:
        degrees = as_id(part.before["degrees"]) or 0
        if self.kitchen.now == degrees:
            return None
        verb = COOL if part.verb == "boil" else BOIL
        return Planned(self.kitchen, [make_kettle(part.key, degrees, verb=verb)])

    async def look(self, entry: Entry, _client: Client, if_absent: RecoveryVerdict) -> Recovery:
        is_hot = self.kitchen.now == entry.after["degrees"]
        return Recovery(entry, "applied" if is_hot else if_absent)


@dataclass
class Room:
    """A kitchen, and what is around every request."""

    writing: Writing
    kitchen: Kitchen
    clock: SteadyClock
    notices: list[str]
    journal: Journal

    async def boil(self, *kettles: Kettle, asked_with: Planned[Any, Any] = PLAIN) -> list[Outcome]:
        return await self.writing.send(approve(*(kettles or (KETTLE,)), asked_with=asked_with))


KETTLE: Final = make_kettle("kettle")


def room_of(folder: Path, **more: Any) -> Room:
    clock = SteadyClock()
    journal, notices = Journal(folder, clock=clock.time), list[str]()
    kitchen = Kitchen(journal, **more)
    return Room(Writing(kitchen, journal, HERE, clock, notices.append), kitchen, clock, notices, journal)
