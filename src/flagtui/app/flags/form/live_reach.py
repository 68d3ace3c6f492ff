"""The users that each condition of a draft matches, counted by the server while it is edited."""

from typing import Final

from flagtui.api.clock import Urgency
from flagtui.api.errors import ApiError, Invalid
from flagtui.changes.flags.flag_draft import WorkingCopy
from flagtui.details.flag_inspector import FEW, Inspector, count_of
from flagtui.evaluate import wire
from flagtui.models.condition_queries import ConditionQuery, deciding_conditions
from flagtui.models.filters import Condition
from flagtui.models.flag_responses import BlastRadius
from flagtui.models.json_value import JSON, as_dict
from flagtui.models.rows import FlagRow
from flagtui.text.styled import Piece

COUNTING: Final = "counting…"


class LiveReach:
    """Counts of the conditions as they are now; an edited condition is counted again, a share is not."""

    def __init__(self, copy: WorkingCopy, inspector: Inspector | None, row: FlagRow | None = None) -> None:
        """`row` is that of the flag, whose conditions may have been counted for its preview or page."""
        self._copy = copy
        self._inspector = inspector
        self._counts: dict[str, BlastRadius] = {}
        """By identity of the condition."""
        self._queries: dict[int, tuple[JSON, int | None, ConditionQuery | None]] = {}
        """By place, with the condition and its group type: a long condition is spelled once."""
        self._refused: set[str] = set()
        """Those that the server does not count."""
        self.trouble = ""
        """Why nothing is counted; empty otherwise."""
        details = inspector.cached_details(row) if inspector and row else None
        if details and details.flag and details.reach:
            parts = {part.number: part for part in details.reach.parts}
            # Without counts, thousands of conditions are not looked at.
            for query in deciding_conditions(details.flag.targeting) if parts else ():
                if part := parts.get(query.number):
                    count = {"affected": part.fitting, "total": part.total}
                    self._counts[query.identity] = BlastRadius.of_any(count)

    def query(self, place: int, item: tuple[int | None, JSON] | None = None) -> ConditionQuery | None:
        """Return what the server counts of a condition; `item` is a property in a place of it, None for new.

        None where nothing can be counted.
        """
        groups = self._copy.groups
        if not 0 <= place < len(groups) or not isinstance(groups[place], dict):
            return None
        if item is None:
            return self._stored_query(place, groups[place])
        within, value = item
        properties = [*self._copy.properties(place)]
        if within is None:
            properties.append(value)
        else:
            properties[within] = value
        return self._countable(place, wire.with_properties(groups[place], properties))

    def _stored_query(self, place: int, group: JSON) -> ConditionQuery | None:
        """Return the query of a condition of the draft, which is another object after every edit."""
        group_type = self._copy.group_type(place)
        if place in self._queries:
            before, type_before, query = self._queries[place]
            if before is group and type_before == group_type:
                return query
        query = self._countable(place, as_dict(group))
        self._queries[place] = group, group_type, query
        return query

    def _countable(self, place: int, raw: dict[str, JSON]) -> ConditionQuery | None:
        if not ConditionQuery.is_short(raw):
            return None
        return ConditionQuery(place + 1, Condition.of(raw), self._copy.group_type(place))

    def waiting(self, place: int) -> list[ConditionQuery]:
        """Return the conditions to count next: that of the line, and the first few."""
        places = dict.fromkeys([place, *range(min(FEW, len(self._copy.groups)))])
        queries = {query.identity: query for each in places if (query := self.query(each))}
        answered = self._counts.keys() | self._refused
        return [query for identity, query in queries.items() if identity not in answered][:FEW]

    async def count(self, queries: list[ConditionQuery]) -> None:
        """Count conditions, one request each; the first error but a refusal of one condition ends it."""
        if self._inspector is None:
            return
        for query in queries:
            try:
                self._counts[query.identity] = await self._inspector.count(query, Urgency.LOADING)
            except Invalid:
                self._refused.add(query.identity)
            except ApiError as error:
                self.trouble = error.what.rstrip(".")
                return
            self.trouble = ""

    async def estimate(self, place: int, within: int | None, value: JSON) -> str:
        """Return the reach that the condition would have with a property in this place of it."""
        query = self.query(place, (within, value))
        if query is not None and query.identity not in self._counts:
            await self.count([query])
        if query is not None and query.identity in self._counts:
            return f"the condition reaches {self.words(query)}"
        return f"not counted: {self.trouble}" if self.trouble else self.words(query)

    def words(self, query: ConditionQuery | None) -> str:
        """Return the reach of a condition: `about 103 of 8,246 users`, or that it is not known."""
        if query is None:
            return "too long to count"
        if query.identity in self._refused:
            return "not counted"
        count = self._counts.get(query.identity)
        if count is None:
            can_count = self._inspector is not None and not self.trouble
            is_next = query.number <= FEW
            return COUNTING if can_count and is_next else "not counted yet" if can_count else "not counted"
        part = count_of(query, count)
        about = "about " if 0 < part.share < 100 and part.fitting else ""
        is_on = self._copy.values.get("active", self._copy.flag.active) is True
        return f"{about}{part.reached:,} of {part.total:,} {part.unit}{'' if is_on else ' if turned on'}"

    def piece(self, place: int) -> Piece:
        """Return the reach of a condition for its line."""
        query = self.query(place)
        is_known = query is not None and query.identity in self._counts
        return self.words(query), "$text-muted" if is_known else "$faint"
