"""Suggest names and values of properties: those of the server, and those that conditions already use."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Final

import msgspec
from msgspec.structs import replace

from flagtui.api.errors import ApiError, Forbidden, MissingScope
from flagtui.api.heavy_work import off_loop
from flagtui.api.operations import NOT_HERE
from flagtui.changes.flags.property_rules import NOT_STORED
from flagtui.models.json_value import JSON, as_text

if TYPE_CHECKING:
    from flagtui.api import Client
    from flagtui.api.property_names import Owner
    from flagtui.details.local_definitions import LocalDefinitions
    from flagtui.models.flag_responses import LocalEvaluation
    from flagtui.models.property_responses import PropertyName, StoredValue

KEPT: Final = 200
"""Responses that are cached."""
FRESH: Final = 300.0
"""Seconds for which a response is used again."""
LONGEST: Final = 200
"""Characters of a suggestion; longer values are no help in one line."""
WITHOUT_VALUE: Final = frozenset(("is_set", "is_not_set"))
TYPES: Final = {"String": "text", "Numeric": "number"}
"""Words for types of values; the others are called as on the server."""
FEWEST_VALUES: Final = 10
"""Values in a response that may lack others: servers send at least so many if there are more."""
FROM_CONDITIONS: Final = "only what conditions use"


class SuggestedText(msgspec.Struct, frozen=True):
    """A text for the line. Both are raw."""

    text: str
    about: str = ""


class Suggestions(msgspec.Struct, frozen=True):
    """Suggestions for a typed text, best first; `note` is why there are not more."""

    items: tuple[SuggestedText, ...] = ()
    note: str = ""
    is_complete: bool = True
    """Whether every text that contains the typed one is among them."""


Suggest = Callable[[str], Awaitable[Suggestions]]
"""Returns suggestions for a text."""
Place = tuple[str, int | None]
"""Type of a property, and its group type."""


class Used(msgspec.Struct):
    """Names and values in the conditions of flags and cohorts, with how many conditions have them."""

    names: dict[Place, Counter[str]] = {}
    values: dict[tuple[Place, str], Counter[str]] = {}

    @classmethod
    def of(cls, document: LocalEvaluation) -> Used:
        """Return what the conditions of the project use."""
        used = cls()
        filters = [flag.get("filters") for flag in document.flags]
        for item in _properties([*filters, *document.cohorts.values()]):
            place, name = _place_of(item), as_text(item.get("key"))
            if is_one_line(name):
                used.names.setdefault(place, Counter())[name] += 1
            value = None if item.get("operator") in WITHOUT_VALUE | NOT_STORED else item.get("value")
            for each in value[:LONGEST] if isinstance(value, list) else [value]:
                if text := value_text(each):
                    used.values.setdefault((place, name), Counter())[text] += 1
        return used


class PropertySuggestions:
    """Names and values of properties of one project, cached for some minutes."""

    def __init__(self, client: Client, definitions: LocalDefinitions) -> None:
        self._client = client
        self._definitions = definitions
        self._cached: OrderedDict[tuple[object, ...], tuple[float, Suggestions]] = OrderedDict()
        self._refused: dict[str, str] = {}
        """By list of the server: why this key or server has none."""
        self._used: tuple[object, Used] = (None, Used())

    async def names(
        self, owner: Owner, typed: str, *, group_type: int | None = None, event: str = ""
    ) -> Suggestions:
        """Return names of properties that contain the text."""

        async def ask() -> Suggestions:
            page = await self._client.properties.names(owner, typed, group_type=group_type, event=event)
            return Suggestions(tuple(_name_texts(page.names)), is_complete=page.is_complete)

        used: Mapping[str, int] = {}
        if owner != "event":
            used = (await self._conditions()).names.get((owner, group_type), used)
        return _merge(used, typed, await self._ask("names", (owner, group_type, event, typed), ask))

    async def values(self, key: str, typed: str, *, group_type: int | None = None) -> Suggestions:
        """Return values of a property that contain the text, the most frequent first."""

        async def ask() -> Suggestions:
            stored = await self._client.properties.values(key, typed, group_type=group_type)
            noun = "user" if group_type is None else "group"
            return Suggestions(tuple(_value_texts(stored, noun)), is_complete=len(stored) < FEWEST_VALUES)

        place = "person" if group_type is None else "group", group_type
        used = (await self._conditions()).values.get((place, key), Counter())
        lists = "values" if group_type is None else "group values"
        return _merge(used, typed, await self._ask(lists, (key, group_type, typed), ask))

    async def _conditions(self) -> Used:
        document = self._definitions.document
        if document is None and not self._definitions.is_read:
            document = await self._definitions.read()
        if document is not None and self._used[0] is not document:
            self._used = document, await off_loop(partial(Used.of, document), document.raw)
        return self._used[1]

    async def _ask(
        self, lists: str, identity: tuple[object, ...], ask: Callable[[], Awaitable[Suggestions]]
    ) -> Suggestions:
        if lists in self._refused:
            return Suggestions(note=self._refused[lists])
        now = self._client.connection.clock.monotonic()
        asked_at, cached = self._cached.get((lists, *identity), (-FRESH, Suggestions()))
        if now - asked_at < FRESH:
            return cached
        try:
            suggestions = await ask()
        except ApiError as error:
            note = _explain(error)
            if isinstance(error, (Forbidden, *NOT_HERE)):
                self._refused[lists] = note
            return Suggestions(note=note)
        self._cached[lists, *identity] = now, suggestions
        self._cached.move_to_end((lists, *identity))
        if len(self._cached) > KEPT:
            self._cached.popitem(last=False)
        return suggestions


def _merge(used: Mapping[str, int], typed: str, listed: Suggestions) -> Suggestions:
    """Return those in conditions first, with what the server knows of them."""
    about = {item.text: item.about for item in listed.items}
    texts = [text for text, _count in Counter(used).most_common() if fold(typed) in fold(text)]
    first = [
        SuggestedText(text, _join(about.get(text, ""), "in " + _count_words(used[text], "condition")))
        for text in texts
    ]
    others = [item for item in listed.items if item.text not in used]
    note = listed.note and (f"{FROM_CONDITIONS}: {listed.note}" if texts else listed.note)
    return replace(listed, items=(*first, *others), note=note)


def fold(text: str) -> str:
    """Return the text as it is compared."""
    return text.casefold().strip()


def _join(*words: str) -> str:
    return " · ".join(filter(None, words))


def _count_words(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _explain(error: ApiError) -> str:
    if isinstance(error, MissingScope) and error.scope:
        return f"the key lacks {error.scope}"
    if isinstance(error, NOT_HERE):
        return "this server lists no others"
    if isinstance(error, Forbidden):
        return "the key may not list others"
    return f"no suggestions from the server ({error.what.rstrip('.')})"


def _name_texts(names: Iterable[PropertyName]) -> Iterator[SuggestedText]:
    for name in names:
        if is_one_line(name.name):
            yield SuggestedText(name.name, TYPES.get(name.type, name.type.lower()))


def _value_texts(values: Iterable[StoredValue], noun: str) -> Iterator[SuggestedText]:
    for value in values:
        if text := value_text(value.value):
            yield SuggestedText(text, "" if value.count is None else _count_words(value.count, noun))


def value_text(value: JSON) -> str:
    """Return a value as it is typed; empty for one that a line cannot hold."""
    text = str(value).lower() if isinstance(value, bool) else "" if value is None else str(value)
    return text if isinstance(value, str | int | float) and is_one_line(text) else ""


def is_one_line(text: str) -> bool:
    """Return whether a line can hold the text as it is: what a terminal would obey is not suggested."""
    return bool(text) and len(text) <= LONGEST and text.isprintable() and text == text.strip()


def _place_of(item: Mapping[str, JSON]) -> Place:
    kind = as_text(item.get("type"))
    index = item.get("group_type_index")
    return kind, index if kind == "group" and isinstance(index, int) else None


def _properties(roots: list[JSON]) -> Iterator[dict[str, JSON]]:
    """Yield every property of users and groups, however deep it is in cohorts."""
    waiting = [*roots]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            if item.get("type") in ("person", "group") and isinstance(item.get("key"), str):
                yield item
            else:
                waiting += item.values()
        elif isinstance(item, list):
            waiting += item
