"""A record being edited: values to change freely. The rest stays as it is stored, also unknown keys."""

import math
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any, Self

from flagtui.changes.difference import same
from flagtui.changes.shares import even_shares
from flagtui.evaluate import wire
from flagtui.models.editable_fields import FieldTable, is_plain_key
from flagtui.models.json_value import JSON, as_dict, as_number, as_text


class Draft:
    """The values as the person has them now. Places in lists count from 0."""

    noun: str
    """What kind of record it is: `flag`."""
    fields: FieldTable
    """The fields of the kind."""

    def __init__(self, values: Mapping[str, JSON]) -> None:
        self.values: dict[str, JSON] = dict(values)
        """To be read: parts are shared with the record and snapshots. `change` returns those to change."""
        self._at_first: dict[str, JSON] = dict(values)
        self._own: dict[int, JSON] = {}
        """By id: the lists and objects that were copied since the last snapshot."""

    def change(self, *path: str | int) -> JSON:
        """Return the list or object at `path`, to be changed; an empty object if the path does not exist.

        It and the lists and objects on the way are copied first, everything else stays
        shared: the cost of a change depends on its path, not on the size of the record.
        """
        container: Any = self.values
        for step in path:
            part = container.get(step) if isinstance(container, dict) else container[step]
            if not isinstance(part, dict | list):
                return {}
            if id(part) not in self._own:
                part = part.copy()
                self._own[id(part)] = part
                container[step] = part
            container = part
        return container

    def snapshot(self) -> Mapping[str, Any]:
        """Return the state of the draft for `restore`; later changes do not reach it."""
        state = vars(self).copy()
        self._own, self.values = {}, self.values.copy()
        return state

    def restore(self, state: Mapping[str, Any]) -> None:
        """Set the state to that of a snapshot."""
        vars(self).update(state)
        self._own, self.values = {}, self.values.copy()

    def frozen(self) -> Self:
        """Return a copy that later changes of this draft do not reach, for another thread."""
        frozen = copy(self)
        frozen.restore(self.snapshot())
        return frozen

    @property
    @abstractmethod
    def is_new(self) -> bool:
        """Whether the record does not exist yet, so that it can be saved unchanged."""

    @property
    @abstractmethod
    def problems(self) -> Sequence[str]:
        """The problems that a strict server would refuse, top to bottom."""

    @property
    def is_secret(self) -> bool:
        """Whether its values may not be stored on this machine."""
        return False

    def state(self) -> dict[str, JSON]:
        """Return the changed values and those they replace, or all of a new record, as JSON for `resume`."""
        changed = [
            name
            for name, value in self.values.items()
            if self.is_new or name not in self._at_first or not same(value, self._at_first[name])
        ]
        seen = {name: self._at_first[name] for name in changed if name in self._at_first and not self.is_new}
        return {"values": {name: self.values[name] for name in changed}, "seen": seen}

    def resume(self, state: Mapping[str, JSON]) -> None:
        """Take over the values of an earlier draft of the record, as far as they can still be edited.

        The values they replace stay those that the user saw: a later one of another user is a conflict.
        """
        values, seen = as_dict(state["values"]), as_dict(state["seen"])
        if self.is_new:
            self.values = values
            return
        self.values.update({name: value for name, value in values.items() if name in self.values})
        self._at_first.update({name: value for name, value in seen.items() if name in self._at_first})

    variants_path: tuple[str, ...]
    """Where the variants are in the values."""

    @property
    @abstractmethod
    def variants(self) -> list[JSON]:
        """Return the variants, to be read; empty where there are none."""

    def change_variant(self, place: int) -> dict[str, JSON]:
        """Return one variant, to be changed."""
        return as_dict(self.change(*self.variants_path, place))

    @abstractmethod
    def add_variant(self, key: str) -> None:
        """Add a variant without a share, so that the others keep theirs until shares are distributed."""

    @abstractmethod
    def remove_variant(self, place: int) -> None:
        """Remove a variant with everything only it has."""

    def rename_variant(self, place: int, key: str) -> None:
        """Rename a variant and everything that names it."""
        self.change_variant(place)["key"] = key

    def variant_problem(self, key: str, itself: str = "") -> str:
        """Return why a variant cannot have this key; empty when it can."""
        if not is_plain_key(key):
            return "letters, digits, - and _, up to 400 of them"
        taken = key != itself and key in {as_text(as_dict(variant).get("key")) for variant in self.variants}
        return "there is already a variant with this key" if taken else ""

    @property
    def is_changed(self) -> bool:
        """Whether discarding the copy would lose anything."""
        return not same(self.values, self._at_first)

    @property
    def share_sum(self) -> float:
        """The total of the variants' shares in percent; must be 100."""
        return share_sum(self.variants)

    def set(self, name: str, value: JSON) -> None:
        """Set a field."""
        self.values[name] = value

    def distribute(self) -> None:
        """Give every variant the same share, as whole numbers."""
        if self.variants:
            for place, share in enumerate(even_shares(len(self.variants))):
                self.change_variant(place)["rollout_percentage"] = share


def share_sum(variants: Sequence[JSON]) -> float:
    """Return the sum of the shares in percent."""
    return math.fsum(as_number(wire.share(variant)) or 0.0 for variant in variants)


def move(items: list[JSON], place: int, to: int) -> bool:
    """Move an item to another place; False at the ends."""
    if not 0 <= to < len(items):
        return False
    items.insert(to, items.pop(place))
    return True
