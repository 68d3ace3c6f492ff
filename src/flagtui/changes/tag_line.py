"""A line that adds, removes or sets tags, of any kind of record."""

from collections.abc import Collection, Iterable, Sequence
from typing import Final, Literal

import msgspec

from flagtui.changes.difference import without
from flagtui.models.editable_fields import TAG_LIMIT
from flagtui.models.json_value import JSON, as_list, as_text
from flagtui.safe_text import safe_text

SHOWN: Final = 100
"""The most tags that are drawn on one line."""
MOST: Final = 100
"""The most tags that servers add or remove by name in one request."""


class Retagging(msgspec.Struct, frozen=True):
    """The tags that a line adds, removes or sets: lower case and trimmed, as servers store them."""

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    replaces: bool = False
    """The added tags are all there shall be."""
    problem: str = ""

    @property
    def is_empty(self) -> bool:
        return not (self.added or self.removed or self.replaces)

    def of(self, tags: Iterable[str]) -> tuple[str, ...]:
        """Return these tags after the change; the remaining ones keep their order."""
        before = () if self.replaces else tuple(tags)
        kept = [tag for tag in before if tag not in self.removed]
        return tuple(dict.fromkeys([*kept, *self.added]))


Action = Literal["add", "remove"]


class Retag(msgspec.Struct, frozen=True):
    """Tags to add or to remove by name: those that other users set meanwhile stay."""

    action: Action
    tags: tuple[str, ...]

    def is_done(self, tags: Collection[str]) -> bool:
        """Return whether these tags show it."""
        return all((tag in tags) == (self.action == "add") for tag in self.tags)


def retag_between(before: JSON, after: JSON) -> Retag | None:
    """Return the change between two lists of tags; None unless it only adds some, or only removes some."""
    old, new = as_list(before), as_list(after)
    added, removed = (tuple(map(as_text, without(*sides))) for sides in ((new, old), (old, new)))
    if bool(added) == bool(removed) or len(added or removed) > MOST:
        return None
    return Retag("add", added) if added else Retag("remove", removed)


def first_tags(after: Sequence[str], before: Collection[str]) -> tuple[Sequence[str], str]:
    """Return the tags that a line has room for, and ` … and 3 more`; of many, those that are new first."""
    if len(after) <= SHOWN:
        return after, ""
    return sorted(after, key=frozenset(before).__contains__)[:SHOWN], f" … and {len(after) - SHOWN:,} more"


def read_tags(line: str) -> Retagging:
    """Parse a line of tags; `problem` describes what is invalid."""
    replaces = line.lstrip().startswith("=")
    added: list[str] = []
    removed: list[str] = []
    for piece in line.lstrip().removeprefix("=").split(","):
        word = piece.strip()
        tag = word.lstrip("+-").strip().lower()
        if not tag:
            if word:
                return Retagging(problem=f"{word} needs a tag after it")
            continue
        (removed if word.startswith("-") else added).append(tag)
    return make_retagging(added, removed, replaces=replaces)


def make_retagging(added: Iterable[str], removed: Iterable[str], *, replaces: bool = False) -> Retagging:
    """Return the change with these tags, each once; `problem` describes what is invalid."""
    new, old = (tuple(dict.fromkeys(tag.strip().lower() for tag in tags)) for tags in (added, removed))
    if any(len(tag) > TAG_LIMIT for tag in (*new, *old)):
        return Retagging(problem=f"a tag has {TAG_LIMIT} characters at most")
    if replaces and old:
        return Retagging(problem="= sets all tags, so there is nothing to remove")
    if both := {*new} & {*old}:
        return Retagging(problem=f"{safe_text(min(both), 40)} is both added and removed")
    return Retagging(new, old, replaces)
