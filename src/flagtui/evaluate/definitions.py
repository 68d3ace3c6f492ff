"""The definitions to evaluate: flags, cohorts and group types, read once from plain JSON, in order."""

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import msgspec

from flagtui.evaluate import wire
from flagtui.evaluate.evaluation import Unknown, Why
from flagtui.evaluate.parts import FlagParts, read_flag
from flagtui.evaluate.wire import mapping


class Definitions(msgspec.Struct, frozen=True):
    flags: Mapping[str, FlagParts] = {}
    """By key."""
    cohorts: Mapping[str, Any] = {}
    """By id as text: the property group as received."""
    static_cohorts: frozenset[str] = frozenset()
    """Ids of static cohorts; each person lists those it is in."""
    group_types: Mapping[str, str] = {}
    """Name by index as text, such as "0": "company"."""
    matching_version: int = 1
    time_zone: str = "UTC"
    """The project's; the server reads dates without an offset in it."""
    broken: Mapping[str, Unknown] = {}
    """By key, flags that ask for one that is missing or goes in a circle, however indirectly: never on."""

    @classmethod
    def of(
        cls,
        flags: Iterable[Mapping[str, Any]],
        *,
        cohorts: Mapping[str, Any] | None = None,
        static_cohorts: Iterable[int | str] = (),
        group_types: Mapping[str, str] | None = None,
        matching_version: object = 1,
        time_zone: str = "UTC",
    ) -> "Definitions":
        """Read stored flags, whose dependencies name ids, or local evaluation data, whose name keys."""
        parts = {flag.key: flag for flag in map(read_flag, link_dependencies(flags))}
        return cls(
            flags=parts,
            cohorts=dict(cohorts or {}),
            static_cohorts=frozenset(map(str, static_cohorts)),
            group_types={index: name for index, name in (group_types or {}).items() if isinstance(name, str)},
            matching_version=2 if matching_version == 2 else 1,
            time_zone=time_zone,
            broken=_broken(parts),
        )

    @classmethod
    def of_document(cls, document: Mapping[str, Any], *, time_zone: str = "UTC") -> "Definitions":
        """Read the response of the local evaluation operation; malformed members count as absent."""
        flags = document.get("flags")
        return cls.of(
            [flag for flag in flags if isinstance(flag, dict)] if isinstance(flags, list) else [],
            cohorts=mapping(document.get("cohorts")),
            group_types=mapping(document.get("group_type_mapping")),
            matching_version=document.get("property_matching_version"),
            time_zone=time_zone,
        )


def _broken(flags: Mapping[str, FlagParts]) -> dict[str, Unknown]:
    """Return the flags that cannot be evaluated; one that is off is off whatever it depends on."""
    needed = {key: tuple(_dependency_keys(flag)) if flag.is_active else () for key, flag in flags.items()}
    if not any(needed.values()):
        return {}
    whole = evaluation_orders(needed)
    return {key: _fault(key, needed, whole) for key in flags if key not in whole}


def _dependency_keys(flag: FlagParts) -> Iterator[str]:
    for condition in flag.conditions:
        yield from (filter.key for filter in condition.filters if filter.kind == "flag" and filter.key)


def _fault(key: str, needed: Mapping[str, tuple[str, ...]], whole: Mapping[str, object]) -> Unknown:
    """Return the fault in the dependencies of a flag that cannot be evaluated."""
    waiting, seen = [key], set[str]()
    while waiting:
        for other in needed[waiting.pop()]:
            if other == key:
                return Unknown(Why.FLAG_CIRCULAR, key)
            if other not in needed:
                return Unknown(Why.FLAG_MISSING, other)
            if other not in whole and other not in seen:
                seen.add(other)
                waiting.append(other)
    return Unknown(Why.FLAG_UNKNOWN, next(other for other in needed[key] if other not in whole))


def link_dependencies(flags: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the flags; their dependencies name keys and have a ``dependency_chain``.

    The chain of a dependency that is missing or circular is empty, as in the product's local evaluation.
    """
    every = list(flags)
    keys = _keys_by_id(every)
    chains = evaluation_orders({str(flag.get("key")): _dependencies_of(flag, keys) for flag in every})
    return [_with_links(flag, keys, chains) for flag in every]


def needed_flags(
    flags: Iterable[Mapping[str, Any]], keys: Iterable[str], cohorts: Mapping[str, Any]
) -> list[Mapping[str, Any]]:
    """Return the flags that evaluating these keys needs, as stored or as in local evaluation, in order."""
    every = list(flags)
    keys_by_id = _keys_by_id(every)
    by_key: dict[str, list[Any]] = defaultdict(list)
    for flag in every:
        by_key[str(flag.get("key"))].append(flag.get("filters"))
    chosen = set(keys)
    filters = [each for key in chosen for each in by_key.get(key, ())]
    needed = chosen | needed_keys(filters, cohorts, keys_by_id.get, lambda key: by_key.get(key, ()))
    return [flag for flag in every if str(flag.get("key")) in needed]


def affected_keys(
    flags: Iterable[Mapping[str, Any]], keys: Iterable[str], cohorts: Mapping[str, Any]
) -> set[str]:
    """Return these keys and those of the flags that depend on them, also through other flags and cohorts."""
    every = list(flags)
    keys_by_id = _keys_by_id(every)
    dependents: dict[str, list[str]] = defaultdict(list)
    for flag in every:
        for key in needed_keys([flag.get("filters")], cohorts, keys_by_id.get, lambda _key: ()):
            dependents[key].append(str(flag.get("key")))
    affected, waiting = set[str](), [*keys]
    while waiting:
        if (key := waiting.pop()) not in affected:
            affected.add(key)
            waiting += dependents.get(key, ())
    return affected


def needed_keys(
    filters: Iterable[Any],
    cohorts: Mapping[str, Any],
    key_of: Callable[[str], str | None],
    filters_of: Callable[[str], Iterable[Any]],
) -> set[str]:
    """Return the keys of the flags that these filters depend on, also through other flags and cohorts.

    `key_of` returns the key of a flag's id, None for another text; `filters_of` the filters of a key.
    """
    waiting, needed, used = [*filters], set[str](), set[str]()
    while waiting:
        for question in wire.questions(waiting.pop(), "flag", "cohort"):
            cohort, name = str(question.get("value")), str(question.get("key"))
            if question["type"] == "cohort":
                waiting += [cohorts[cohort]] if cohort in cohorts and cohort not in used else []
                used.add(cohort)
                continue
            steps = {name, key_of(name) or name, *map(str, wire.items(question.get("dependency_chain")))}
            for key in steps - needed:
                waiting += filters_of(key)
            needed |= steps
    return needed


def used_cohorts(value: Any, cohorts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the cohorts that filters ask for, directly or through other cohorts, by id."""
    used, waiting = dict[str, Any](), _cohort_ids(value)
    while waiting:
        name = waiting.pop()
        if name in cohorts and name not in used:
            used[name] = cohorts[name]
            waiting += _cohort_ids(cohorts[name])
    return used


def _cohort_ids(value: Any) -> list[str]:
    return [str(question.get("value")) for question in wire.questions(value, "cohort")]


def evaluation_orders(needed: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """Return for every flag key the keys to evaluate, in order, up to and including itself.

    Keys with a circular or missing dependency, directly or transitively, are omitted.
    """
    waiting = {key: set(keys) for key, keys in needed.items()}
    dependents_of: dict[str, list[str]] = defaultdict(list)
    for key, keys in waiting.items():
        for other in keys:
            dependents_of[other].append(key)
    ready = deque(key for key, keys in waiting.items() if not keys)
    orders: dict[str, tuple[str, ...]] = {}
    while ready:
        key = ready.popleft()
        before = (step for other in needed[key] for step in orders[other])
        orders[key] = (*dict.fromkeys(before), key)
        for dependent in dependents_of[key]:
            waiting[dependent].discard(key)
            if not waiting[dependent]:
                ready.append(dependent)
    return orders


def _keys_by_id(flags: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    return {str(flag["id"]): str(flag["key"]) for flag in flags if "id" in flag and "key" in flag}


def _dependencies_of(flag: Mapping[str, Any], keys: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(
        dict.fromkeys(_key_of(question, keys) for question in wire.dependencies(flag.get("filters")))
    )


def _key_of(question: Mapping[str, Any], keys: Mapping[str, str]) -> str:
    """Return the key of a dependency: stored ones name an id, those with a chain name a key already."""
    name = str(question.get("key"))
    return name if "dependency_chain" in question else keys.get(name, name)


def _with_links(
    flag: Mapping[str, Any], keys: Mapping[str, str], chains: Mapping[str, tuple[str, ...]]
) -> Mapping[str, Any]:
    if all("dependency_chain" in question for question in wire.dependencies(flag.get("filters"))):
        return flag

    def linked_condition(condition: Any) -> Any:
        return wire.map_properties(condition, lambda item: _linked_question(item, keys, chains))

    return {**flag, "filters": wire.map_conditions(flag["filters"], linked_condition)}


def _linked_question(item: Any, keys: Mapping[str, str], chains: Mapping[str, tuple[str, ...]]) -> Any:
    if not isinstance(item, dict) or item.get("type") != "flag" or "dependency_chain" in item:
        return item
    key = _key_of(item, keys)
    return {**item, "key": key, "dependency_chain": list(chains.get(key, ()))}
