"""The current flag with its context for the question, read within seconds or not at all."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, Final, Protocol, TypeVar

import msgspec
from msgspec.structs import replace

from flagtui.api.errors import ApiError, RateLimited
from flagtui.api.heavy_work import off_loop
from flagtui.changes.flags.flag_consequences import touch_of
from flagtui.changes.flags.flag_context import Context, NotKnown, reach_of
from flagtui.changes.flags.flag_intent import Intent
from flagtui.changes.flags.flag_plan import NoOp, Plan, plan_flag, values_on
from flagtui.changes.planner import PATIENCE, SOON
from flagtui.changes.proposal import Caution
from flagtui.changes.skipped import Blocked, Linked
from flagtui.models.activity import ActivityPage, version_made
from flagtui.models.filters import flags_needed
from flagtui.models.flag import Flag
from flagtui.models.flag_responses import BlastRadius, FlagKey
from flagtui.models.json_value import JSON
from flagtui.models.rows import FlagRow

UNCOUNTED: Final = "not counted in a question about several flags"
STILL_ASKED: Final = NotKnown("still asking", is_pending=True)
TOO_LATE: Final = NotKnown(f"the server did not respond within {PATIENCE:g} s")

ContextT = TypeVar("ContextT")


PlanResult = Plan | NoOp | Blocked


class Answers(Protocol):
    """The requests of a context, as in `client.flags`."""

    async def dependents(self, id: int) -> tuple[FlagKey, ...]: ...
    async def activity(self, id: int | None = None, *, limit: int = 10, page: int = 1) -> ActivityPage: ...
    async def blast_radius(
        self, condition: Mapping[str, JSON], group_type_index: int | None = None
    ) -> BlastRadius: ...


class FlagReading(msgspec.Struct, frozen=True):
    """The current flag with its context, and the intent to plan on it."""

    fresh: Flag
    intent: Intent
    context: Context
    """As far as it is known."""
    finish: Callable[[Plan], PlanResult] | None = None
    """Completes or refuses the plan."""
    pending: tuple[asyncio.Task[Any], ...] = ()
    """Requests for the reach, the dependents and the activity, until all have responses or were stopped."""

    def plan(self, together: frozenset[int]) -> PlanResult:
        """Plan the change; the flags with the ids in `together` change at the same time."""
        dependents = self.context.dependents
        if isinstance(dependents, tuple):
            # Those that change too do not block it.
            dependents = tuple(flag for flag in dependents if flag.id not in together)
        context = replace(self.context, dependents=dependents, together=together)
        result = plan_flag(self.intent, self.fresh, context)
        return self.finish(result) if self.finish is not None and isinstance(result, Plan) else result

    async def plan_off_loop(self, together: frozenset[int]) -> PlanResult:
        """Plan the change as `plan` does, a heavy one in a thread, so that keys are handled meanwhile."""
        return await off_loop(lambda: self.plan(together), self.fresh.filters, self.intent.changes)

    def plan_later(self, shown: Plan, together: frozenset[int]) -> asyncio.Task[Plan] | None:
        """Start the plan with the complete context; None when the plan shown is complete already."""

        async def complete() -> Plan:
            try:
                whole = await self.within(None)
            finally:
                self.stop()
            result = await whole.plan_off_loop(together)
            if isinstance(result, Plan):
                return result
            why = result.reason if isinstance(result, Blocked) else result.words
            return replace(shown, cautions=(Caution(f"the server will refuse it: {why}"), *shown.cautions))

        return asyncio.create_task(complete()) if self.pending else None

    def stop(self) -> None:
        """Cancel the pending requests."""
        for task in self.pending:
            task.cancel()

    async def within(self, patience: float | None, late: NotKnown = STILL_ASKED) -> "FlagReading":
        """Return the reading after `patience` seconds, with `late` for the rest; None waits for all."""
        if not self.pending:
            return self
        await asyncio.wait(self.pending, timeout=patience)
        reach, dependents, page = (task.result() if task.done() else late for task in self.pending)
        entries = () if isinstance(page, NotKnown) else page.entries
        # Every change of a flag raises its version by one.
        seen = self.intent.seen_version
        newer = () if seen is None else [entry for entry in entries if (version_made(entry) or 0) > seen]
        touches = await off_loop(lambda: tuple(map(touch_of, (*entries[:1], *newer))), self.fresh.filters)
        context = replace(
            self.context,
            reach=reach if reach is not None else NotKnown("nothing of it changes"),
            dependents=_dependents(dependents, self.context.dependents),
            last_touch=page if isinstance(page, NotKnown) else next(iter(touches), None),
            touched_since=touches[1:],
        )
        is_complete = all(task.done() for task in self.pending)
        return replace(self, context=context, pending=() if is_complete else self.pending)


async def add_context(
    reading: FlagReading, rows: Sequence[FlagRow], ask: Answers | None, *, adds_later: bool
) -> FlagReading:
    """Return the reading with its context, as far as the server responds within `PATIENCE`.

    With `adds_later`, wait for `SOON` only; the rest stays pending. The others are as in `begin_requests`.
    """
    begun = await begin_requests(reading, rows, ask)
    is_kept = False
    try:
        read = await (begun.within(SOON) if adds_later else begun.within(PATIENCE, TOO_LATE))
        is_kept = adds_later
    finally:
        if not is_kept:
            begun.stop()
    return read if adds_later else replace(read, pending=())


async def begin_requests(reading: FlagReading, rows: Sequence[FlagRow], ask: Answers | None) -> FlagReading:
    """Return the reading with what `rows`, flags of the project, show, and begin to request the rest.

    `ask` is None for the part without requests: the context of a hundred flags would exhaust the rate limit.
    """
    fresh = reading.fresh

    def read_values() -> tuple[dict[str, JSON], frozenset[int]]:
        # What others changed since stays: it counts before and after.
        values = values_on(fresh, reading.intent)
        return values, dependencies_of(fresh, values)

    values, needed = await off_loop(read_values, fresh.filters, reading.intent.changes)
    near = Neighbours.of(rows)
    context = replace(
        reading.context,
        dependents=as_linked(near.dependents.get(fresh.id, ())),
        dependencies=as_linked(near.by_id[id] for id in near.by_id if id in needed) if needed else (),
        similar=near.similar_to(fresh.key),
    )
    if ask is None:
        return replace(reading, context=context)
    reach, dependents = reach_of(ask.blast_radius, fresh, values), ask.dependents(fresh.id)
    requests = (reach, dependents, ask.activity(fresh.id, limit=10))
    pending = tuple(asyncio.create_task(_answer(request)) for request in requests)
    return replace(reading, context=context, pending=pending)


def _dependents(
    active: tuple[FlagKey, ...] | NotKnown, earlier: tuple[Linked, ...] | NotKnown
) -> tuple[Linked, ...] | NotKnown:
    """Merge dependents that are on, from the server, with those that are off, from the list."""
    listed = () if isinstance(earlier, NotKnown) else earlier
    if isinstance(active, NotKnown):
        return listed or active
    on = tuple(Linked(flag.id, flag.key, True) for flag in active)
    ids = {flag.id for flag in on}
    return (*on, *(flag for flag in listed if flag.is_on is False and flag.id not in ids))


def as_linked(rows: Iterable[FlagRow]) -> tuple[Linked, ...]:
    """Return the flags of these rows as related flags."""
    return tuple(Linked(row.id, row.key, row.active, row.deleted) for row in rows)


class Neighbours(tuple[FlagRow, ...]):
    """The flags of a project, indexed for the contexts of many of them."""

    @classmethod
    def of(cls, rows: Sequence[FlagRow]) -> "Neighbours":
        """Return the rows with their indexes; those that have them stay as they are."""
        return rows if isinstance(rows, cls) else cls(rows)

    @cached_property
    def by_id(self) -> Mapping[int, FlagRow]:
        """Return each flag by its id."""
        return {row.id: row for row in self}

    @cached_property
    def dependents(self) -> Mapping[int, Sequence[FlagRow]]:
        """Return the flags that depend on another, by the id of that one."""
        rows: dict[int, list[FlagRow]] = {}
        for row in self:
            for id in row.depends_on:
                rows.setdefault(id, []).append(row)
        return rows

    @cached_property
    def _by_ends(self) -> Mapping[str, Sequence[str]]:
        """Return keys by their first and their last character."""
        keys: dict[str, list[str]] = {}
        for row in self:
            keys.setdefault(row.key[:1] + row.key[-1:], []).append(row.key)
        return keys

    @cached_property
    def _looks(self) -> dict[str, dict[str, list[str]]]:
        """Return keys by their ends and by their look, for the ends that were needed."""
        return {}

    def similar_to(self, key: str) -> tuple[str, ...]:
        """Return confusable keys: they differ in case, `-` and `_`, `l 1 I`, `O 0`, `rn m`."""
        ends = _ends(key)
        if ends not in self._looks:
            # Most keys begin or end otherwise, which is quicker to see than what they look like.
            looks = self._looks[ends] = {}
            for both, keys in self._by_ends.items():
                for other in keys if _ends(both) == ends else ():
                    looks.setdefault(_look(other), []).append(other)
        alike = self._looks[ends].get(_look(key), ())
        return tuple(other for other in alike if other != key)[:5]


def _ends(key: str) -> str:
    # One character can be folded to several: ß to ss.
    return (key[:1].casefold()[:1] + key[-1:].casefold()[-1:]).translate(_ENDS_ALIKE)


def _look(key: str) -> str:
    return re.sub(r"[-_]+", "-", key.casefold()).replace("rn", "m").translate(_ALIKE)


_ALIKE: Final = str.maketrans({"1": "l", "i": "l", "|": "l", "0": "o"})
_ENDS_ALIKE: Final = str.maketrans({"1": "l", "i": "l", "|": "l", "0": "o", "r": "m", "n": "m", "_": "-"})
"""The same for one character, which may be half of an `rn`."""


async def _answer(request: Awaitable[ContextT]) -> ContextT | NotKnown:
    try:
        return await request
    except RateLimited:
        # The seconds to wait would soon be wrong: a question stays as long as its reader wants.
        return NotKnown("the server limits the rate of requests")
    except ApiError as error:
        return NotKnown(error.what.rstrip("."))


def dependencies_of(fresh: Flag, values: Mapping[str, JSON]) -> frozenset[int]:
    """Return the ids of the flags that the conditions depend on, before the change and after it."""
    now = fresh.targeting.depends_on
    return frozenset((*now, *(flags_needed(values["filters"]) if "filters" in values else ())))
