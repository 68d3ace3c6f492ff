"""The shape of JSON values: what type each member has in all examples, without any of the values."""

from collections.abc import Iterable, Sequence
from typing import Final, Literal

import msgspec

from flagtui.models.json_value import JSON

Scalar = Literal["boolean", "integer", "number", "string", "null", "never"]
"""`never` is what an empty list has: it adds nothing to what other lists have."""

LEVELS: Final = 8
"""Levels of lists and objects that are described; deeper values can be anything."""
MEMBERS: Final = 200
"""Members of an object that are described; one with more is a table with any keys."""


class ValueShape(msgspec.Struct, frozen=True):
    """The types that a value can have. Without any of them, it can be anything."""

    scalars: tuple[Scalar, ...] = ()
    """Sorted by name; never both `integer` and `number`."""
    items: "ValueShape | None" = None
    """The shape of all items, where the value can be a list."""
    members: tuple["Member", ...] | None = None
    """Sorted by name, where the value can be an object."""
    is_table: bool = False
    """Whether it can be an object with any members."""

    @property
    def is_any(self) -> bool:
        """Return whether nothing is known about the value."""
        named = self.scalars not in ((), NOTHING.scalars)
        return not (named or self.items or self.members is not None or self.is_table)

    @property
    def is_single(self) -> bool:
        """Return whether it has exactly one type."""
        parts = (self.items is not None, self.members is not None, self.is_table)
        return len(self.scalars) + sum(parts) == 1


class Member(msgspec.Struct, frozen=True):
    """A member of an object."""

    name: str
    shape: ValueShape
    is_required: bool = True
    """Whether every example has it."""


ANYTHING: Final = ValueShape()
NOTHING: Final = ValueShape(("never",))


_SCALARS: Final[dict[type, Scalar]] = {
    type(None): "null",
    bool: "boolean",
    int: "integer",
    float: "number",
    str: "string",
}


def shape_of(value: JSON, levels: int = LEVELS) -> ValueShape:
    if type(value) in _SCALARS:
        return ValueShape((_SCALARS[type(value)],))
    if levels <= 0:
        return ANYTHING
    if isinstance(value, list):
        items = [shape_of(item, levels - 1) for item in value]
        return ValueShape(items=merge_shapes(items) if items else NOTHING)
    if len(value) > MEMBERS:
        return ValueShape(is_table=True)
    members = (Member(name, shape_of(item, levels - 1)) for name, item in value.items())
    return ValueShape(members=tuple(sorted(members, key=lambda member: member.name)))


def merge_shapes(shapes: Iterable[ValueShape]) -> ValueShape:
    """Return the shape of which every value of these shapes is an example; ANYTHING for none."""
    different = list(dict.fromkeys(shapes))
    if not different or ANYTHING in different:
        return ANYTHING
    if len(different) == 1:
        return different[0]
    scalars = {name for shape in different for name in shape.scalars}
    if "number" in scalars:
        scalars.discard("integer")
    if len(scalars) > 1 or any(shape.scalars == () for shape in different):
        scalars.discard("never")
    lists = [shape.items for shape in different if shape.items is not None]
    objects = [shape.members for shape in different if shape.members is not None]
    members = _merge_members(objects) if objects else None
    is_table = any(shape.is_table for shape in different) or (members is not None and len(members) > MEMBERS)
    return ValueShape(
        tuple(sorted(scalars)),
        merge_shapes(lists) if lists else None,
        None if is_table else members,
        is_table,
    )


def _merge_members(objects: Sequence[Sequence[Member]]) -> tuple[Member, ...]:
    by_name: dict[str, list[Member]] = {}
    for members in objects:
        for member in members:
            by_name.setdefault(member.name, []).append(member)
    return tuple(
        Member(
            name,
            merge_shapes(member.shape for member in same),
            len(same) == len(objects) and all(member.is_required for member in same),
        )
        for name, same in sorted(by_name.items())
    )
