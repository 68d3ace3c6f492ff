"""Read the context of a flag for the question, within seconds or not at all."""

import asyncio
import re
from collections.abc import Awaitable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Any, Final, Protocol, TypeVar

from flagtui.api.errors import ApiError, RateLimited
from flagtui.changes.difference import difference
from flagtui.changes.flags.flag_context import Context, NotKnown, Touch, reach_of
from flagtui.changes.flags.flag_intent import Intent
from flagtui.changes.flags.flag_plan import values_on
from flagtui.changes.flags.flag_words import in_words
from flagtui.changes.planner import PATIENCE, SOON, off_loop
from flagtui.changes.skipped import Linked
from flagtui.local_time import unix
from flagtui.models.activity import SYSTEM, Activity, ActivityPage, version_made
from flagtui.models.filters import flags_needed
from flagtui.models.flag import Flag
from flagtui.models.flag_responses import BlastRadius, FlagKey
from flagtui.models.json_value import JSON, as_dict
from flagtui.models.record_fields import FLAG_FIELDS
from flagtui.models.rows import FlagRow

UNLOGGED: Final = "tags changed, or saved without a change"
"""An entry with nothing but a new version: servers do not log the tags of a single flag."""

SHOWN: Final = 2
"""Phrases of one entry that a question shows; the rest is counted."""
UNCOUNTED: Final = "not counted in a question about several flags"
STILL_ASKED: Final = NotKnown("still asking", is_pending=True)
TOO_LATE: Final = NotKnown(f"the server did not respond within {PATIENCE:g} s")

ContextT = TypeVar("ContextT")


class Answers(Protocol):
    """The requests of a context, as in `client.flags`."""

    async def dependents(self, id: int) -> tuple[FlagKey, ...]: ...
    async def activity(self, id: int | None = None, *, limit: int = 10, page: int = 1) -> ActivityPage: ...
    async def blast_radius(
        self, condition: Mapping[str, JSON], group_type_index: int | None = None
    ) -> BlastRadius: ...


class ContextQueries:
    """Pending queries of the context of one flag. Call `stop` at the end."""

    def __init__(
        self, ask: Answers | None, fresh: Flag, intent: Intent, rows: Sequence[FlagRow], base: Context
    ) -> None:
        """Begin the queries for an intent. `rows` are flags of the project.

        `base` is the part without requests, and `ask` is None for that alone: the context of a hundred
        flags would exhaust the rate limit.
        """
        self._seen_version, values = intent.seen_version, intent.changes
        self._size = fresh.targeting.size
        near, asks_for = Neighbours.of(rows), dependencies_of(fresh, values)
        self._listed = as_linked(near.dependents.get(fresh.id, ()))
        self._known = replace(
            base,
            dependents=self._listed,
            dependencies=as_linked(near.by_id[id] for id in near.by_id if id in asks_for) if asks_for else (),
            similar=near.similar_to(fresh.key),
        )
        self._asked: tuple[asyncio.Task[Any], ...] = ()
        if ask is not None:
            reach, dependents = reach_of(ask.blast_radius, fresh, values), ask.dependents(fresh.id)
            requests = (reach, dependents, ask.activity(fresh.id, limit=10))
            self._asked = tuple(asyncio.create_task(_answer(request)) for request in requests)

    @property
    def is_complete(self) -> bool:
        """Whether every query has a response or an error."""
        return all(task.done() for task in self._asked)

    def stop(self) -> None:
        """Cancel the pending queries."""
        for task in self._asked:
            task.cancel()

    async def within(self, patience: float | None, late: NotKnown = STILL_ASKED) -> Context:
        """Return the context after `patience` seconds, with `late` for the rest; None waits for all."""
        if not self._asked:
            return self._known
        await asyncio.wait(self._asked, timeout=patience)
        reach, dependents, page = (task.result() if task.done() else late for task in self._asked)
        entries = () if isinstance(page, NotKnown) else page.entries
        # Every change of a flag raises its version by one.
        seen = self._seen_version
        newer = () if seen is None else [entry for entry in entries if (version_made(entry) or 0) > seen]
        touches = await off_loop(self._size, lambda: tuple(map(_touch, (*entries[:1], *newer))))
        return replace(
            self._known,
            reach=reach if reach is not None else NotKnown("nothing of it changes"),
            dependents=_dependents(dependents, self._listed),
            last_touch=page if isinstance(page, NotKnown) else next(iter(touches), None),
            touched_since=touches[1:],
        )


async def read_context(
    ask: Answers | None,
    fresh: Flag,
    intent: Intent,
    rows: Sequence[FlagRow],
    base: Context,
    *,
    adds_later: bool,
) -> tuple[Context, ContextQueries | None]:
    """Read the context of the flag within `PATIENCE`; the parameters are those of `ContextQueries`.

    With `adds_later`, return after `SOON` seconds, with the pending queries.
    """
    # What others changed since stays: it counts before and after.
    values = await off_loop(fresh.targeting.size, partial(values_on, fresh, intent))
    queries = ContextQueries(ask, fresh, replace(intent, changes=values), rows, base)
    is_read = False
    try:
        context = await (queries.within(SOON) if adds_later else queries.within(PATIENCE, TOO_LATE))
        is_read = adds_later or queries.is_complete
    finally:
        if not is_read:
            queries.stop()
    return context, queries if adds_later and not queries.is_complete else None


def _dependents(
    active: tuple[FlagKey, ...] | NotKnown, listed: tuple[Linked, ...]
) -> tuple[Linked, ...] | NotKnown:
    """Merge dependents that are on, from the server, with those that are off, from the list."""
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
    def _by_beginning(self) -> Mapping[str, Sequence[str]]:
        keys: dict[str, list[str]] = {}
        for row in self:
            keys.setdefault(row.key[:1], []).append(row.key)
        return keys

    @cached_property
    def _looks(self) -> dict[str, dict[str, list[str]]]:
        """Return keys by their first letters and by their look, for the beginnings that were needed."""
        return {}

    def similar_to(self, key: str) -> tuple[str, ...]:
        """Return confusable keys: they differ in case, `-` and `_`, `l 1 I`, `O 0`, `rn m`."""
        begins = _first(key)
        if begins not in self._looks:
            # Most keys begin otherwise, which is quicker to see than what they look like.
            looks = self._looks[begins] = {}
            for first, keys in self._by_beginning.items():
                for other in keys if _first(first) == begins else ():
                    looks.setdefault(_look(other), []).append(other)
        alike = self._looks[begins].get(_look(key), ())
        return tuple(other for other in alike if other != key)[:5]


def _first(key: str) -> str:
    return key[:1].casefold().translate(_FIRST_ALIKE)


def _look(key: str) -> str:
    return re.sub(r"[-_]+", "-", key.casefold()).replace("rn", "m").translate(_ALIKE)


_ALIKE: Final = str.maketrans({"1": "l", "i": "l", "|": "l", "0": "o"})
_FIRST_ALIKE: Final = str.maketrans({"1": "l", "i": "l", "|": "l", "0": "o", "r": "m", "_": "-"})
"""The same for one character, which may be half of an `rn`."""


async def _answer(request: Awaitable[ContextT]) -> ContextT | NotKnown:
    try:
        return await request
    except RateLimited:
        # The seconds to wait would soon be wrong: a question stays as long as its reader wants.
        return NotKnown("the server limits the rate of requests")
    except ApiError as error:
        return NotKnown(error.what.rstrip("."))


def _touch(entry: Activity) -> Touch:
    who = "the system" if entry.actor == SYSTEM else entry.actor
    return Touch(who, unix(entry.created_at), activity_in_short(entry))


def activity_in_short(entry: Activity) -> str:
    """Describe an entry in one line: `turned off`, `changed condition 1: rollout 25 % → 50 %`."""
    for change in entry.changes:
        if change.field == "active" and change.is_on is not None:
            return "turned on" if change.is_on else "turned off"
    if entry.activity != "updated":
        return entry.activity
    if entry.is_unlogged:
        return UNLOGGED
    words, count = [], 0
    for change in entry.changes:
        if change.field == "filters":
            before, after = as_dict(change.before), as_dict(change.after)
            lines = difference(before, after, ("filters",))
            words += [in_words(line, {"filters": before}, {"filters": after}) for line in lines[:SHOWN]]
            count += len(lines)
        elif change.field:
            # Without values, which may be long or secret.
            words.append(FLAG_FIELDS.words(change.field))
            count += 1
    more = f" and {count - SHOWN:,} more" if count > SHOWN else ""
    return f"changed {', '.join(words[:SHOWN]) or 'something'}{more}"


def dependencies_of(fresh: Flag, values: Mapping[str, JSON]) -> frozenset[int]:
    """Return the ids of the flags that the conditions depend on, before the change and after it."""
    now = fresh.targeting.depends_on
    return frozenset((*now, *(flags_needed(values["filters"]) if "filters" in values else ())))
