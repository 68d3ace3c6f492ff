"""A record being edited: values to change freely, and what is wrong with them.

What is not touched stays as it is stored, also unknown keys.
"""

import copy
import math
from abc import abstractmethod
from collections.abc import Mapping, Sequence

from flagtui.changes.difference import same
from flagtui.changes.flags.flag_intent import even_shares
from flagtui.models.editable_fields import is_plain_key
from flagtui.models.json_value import JSON, as_dict, as_number, as_text


class Draft:
    """The values as the person has them now. Places in lists count from 0."""

    def __init__(self, values: Mapping[str, JSON]) -> None:
        self.values: dict[str, JSON] = copy.deepcopy(dict(values))
        self._at_first: dict[str, JSON] = copy.deepcopy(self.values)

    @property
    @abstractmethod
    def is_new(self) -> bool:
        """Whether the record is not there yet, so that it can be saved as it is."""

    @property
    @abstractmethod
    def problems(self) -> Sequence[str]:
        """What a strict server would refuse, top to bottom."""

    @property
    @abstractmethod
    def variants(self) -> list[JSON]:
        """The variants themselves, to be changed; empty where there are none."""

    @abstractmethod
    def add_variant(self, key: str) -> None:
        """Without a share, so that the others keep theirs until shares are distributed."""

    @abstractmethod
    def remove_variant(self, place: int) -> None:
        """With what only it has."""

    def rename_variant(self, place: int, key: str) -> None:
        """With what names it."""
        as_dict(self.variants[place])["key"] = key

    def variant_problem(self, key: str, itself: str = "") -> str:
        """Why a variant cannot have this key; empty when it can."""
        if not is_plain_key(key):
            return "letters, digits, - and _, up to 400 of them"
        taken = key != itself and key in {as_text(as_dict(one).get("key")) for one in self.variants}
        return "there is already a variant with this key" if taken else ""

    @property
    def is_changed(self) -> bool:
        """Whether anything would be lost by forgetting it."""
        return not same(self.values, self._at_first)

    @property
    def share_sum(self) -> float:
        """Of all variants together, in percent; has to be 100."""
        return share_sum(self.variants)

    def set(self, name: str, value: JSON) -> None:
        """One field."""
        self.values[name] = value

    def distribute(self) -> None:
        """Give every variant the same share, as whole numbers."""
        if self.variants:
            for variant, share in zip(self.variants, even_shares(len(self.variants)), strict=True):
                as_dict(variant)["rollout_percentage"] = share


def share_sum(variants: Sequence[JSON]) -> float:
    """In percent."""
    return math.fsum(as_number(as_dict(one).get("rollout_percentage")) or 0.0 for one in variants)


def move(items: list[JSON], place: int, to: int) -> bool:
    """One of them to another place; False at the ends."""
    if not 0 <= to < len(items):
        return False
    items.insert(to, items.pop(place))
    return True
