"""Dependencies between flags: from ids as stored to keys, with the order in which to evaluate them."""

from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping
from typing import Any


def linked(flags: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Flags whose dependencies name keys and carry a ``dependency_chain``; the others are passed through.

    The chain of a dependency that is missing or circular is empty, as in the product's local evaluation.
    """
    known = list(flags)
    keys = {str(flag["id"]): str(flag["key"]) for flag in known if "id" in flag and "key" in flag}
    chains = evaluation_orders({str(flag.get("key")): _needed_keys(flag, keys) for flag in known})
    return [_with_links(flag, keys, chains) for flag in known]


def evaluation_orders(needed: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """For every flag key, the keys to evaluate up to and including itself.

    Keys that need themselves, or something that does not exist, however indirectly, are left out.
    """
    waiting = {key: set(keys) for key, keys in needed.items()}
    wanted_by: dict[str, list[str]] = defaultdict(list)
    for key, keys in waiting.items():
        for other in keys:
            wanted_by[other].append(key)
    ready = deque(key for key, keys in waiting.items() if not keys)
    orders: dict[str, tuple[str, ...]] = {}
    while ready:
        key = ready.popleft()
        before = (step for other in needed[key] for step in orders[other])
        orders[key] = (*dict.fromkeys(before), key)
        for dependent in wanted_by[key]:
            waiting[dependent].discard(key)
            if not waiting[dependent]:
                ready.append(dependent)
    return orders


def _needed_keys(flag: Mapping[str, Any], keys: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_key_of(question, keys) for question in _dependencies(flag)))


def _key_of(question: Mapping[str, Any], keys: Mapping[str, str]) -> str:
    """Stored dependencies name an id; those that come with a chain already name a key."""
    name = str(question.get("key"))
    return name if "dependency_chain" in question else keys.get(name, name)


def _with_links(
    flag: Mapping[str, Any], keys: Mapping[str, str], chains: Mapping[str, tuple[str, ...]]
) -> Mapping[str, Any]:
    if all("dependency_chain" in question for question in _dependencies(flag)):
        return flag
    filters = flag["filters"]
    groups = [
        {**group, "properties": [_linked_question(one, keys, chains) for one in group["properties"]]}
        if _questions(group)
        else group
        for group in filters["groups"]
    ]
    return {**flag, "filters": {**filters, "groups": groups}}


def _linked_question(one: Any, keys: Mapping[str, str], chains: Mapping[str, tuple[str, ...]]) -> Any:
    if not _is_dependency(one) or "dependency_chain" in one:
        return one
    key = _key_of(one, keys)
    return {**one, "key": key, "dependency_chain": list(chains.get(key, ()))}


def _dependencies(flag: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    filters = flag.get("filters")
    groups = filters.get("groups") if isinstance(filters, dict) else None
    for group in groups if isinstance(groups, list) else ():
        yield from (question for question in _questions(group) if _is_dependency(question))


def _questions(group: Any) -> list[Any]:
    questions = group.get("properties") if isinstance(group, dict) else None
    return questions if isinstance(questions, list) else []


def _is_dependency(question: Any) -> bool:
    return isinstance(question, dict) and question.get("type") == "flag"
