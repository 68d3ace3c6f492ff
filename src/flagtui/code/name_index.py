"""The key that a name means in a call, among the names of every file."""

from collections import defaultdict
from collections.abc import Iterable
from typing import Final

from flagtui.code.reference_records import NamedCall, NamedKey

_SELF: Final = frozenset(("self", "this", "Self", "static", "cls", "$this"))


class NameIndex:
    """The keys that names have, in every file."""

    def __init__(self, names: Iterable[NamedKey]) -> None:
        self._by_name: dict[str, list[NamedKey]] = defaultdict(list)
        for each in names:
            self._by_name[each.name].append(each)

    def resolve(self, call: NamedCall) -> NamedKey | None:
        """Return the declaration that the call refers to; None without one, or if several differ."""
        candidates = self._by_name.get(call.name, [])
        here = [each for each in candidates if each.path == call.reference.path]
        if not call.scope or call.scope in _SELF:
            own = [each for each in here if not each.is_member] or (here if call.scope else [])
            if own:
                return _only(own)
            elsewhere = [each for each in candidates if not each.is_member]
            return _only(elsewhere) if call.is_imported and not call.scope else None
        scoped = [each for each in candidates if call.scope in each.scopes]
        return _only([each for each in scoped if each in here] or scoped)


def _only(names: list[NamedKey]) -> NamedKey | None:
    return names[0] if names and len({each.key for each in names}) == 1 else None
