"""Convert the bytes of a flag list to rows, building nothing that the list does not show."""

from datetime import datetime
from typing import Annotated, Any, Final

import msgspec

from flagtui.evaluate import wire
from flagtui.models.filters import EVERYONE
from flagtui.models.json_value import JSON, LEAST_WHOLE, MOST_WHOLE, as_id
from flagtui.models.rows import FlagRow, FlagType, RowReader

Id = Annotated[int, msgspec.Meta(ge=1, le=MOST_WHOLE)]
Whole = Annotated[int, msgspec.Meta(ge=LEAST_WHOLE, le=MOST_WHOLE)]
"""A 64-bit integer, as databases store it; larger ones use the slow reader, which omits them."""
Moment = Annotated[datetime, msgspec.Meta(tz=True)]
"""A time with a zone; one without uses the slow reader, which assumes UTC."""


class Maker(msgspec.Struct, gc=False):
    """A user, with the fields that a row shows."""

    id: Id | None = None
    email: str | None = None
    first_name: str | None = None


_Index = Annotated[int, msgspec.Meta(ge=0, lt=1000)]


class _Property(msgspec.Struct, gc=False):
    key: str | int | None = None
    type: str | None = None


class _Condition(msgspec.Struct, gc=False):
    properties: list[_Property] | None = None
    rollout_percentage: Annotated[float, msgspec.Meta(ge=0, le=100)] | None = None
    aggregation_group_type_index: _Index | msgspec.UnsetType | None = msgspec.UNSET


class _Variant(msgspec.Struct, gc=False):
    pass


class _Multivariate(msgspec.Struct, gc=False):
    variants: list[_Variant] | None = None


class _Filters(msgspec.Struct, gc=False):
    groups: list[_Condition] | None = None
    multivariate: _Multivariate | None = None
    aggregation_group_type_index: _Index | None = None
    early_exit: bool | None = None
    version: Any = 1


class _Flag(msgspec.Struct, gc=False):
    id: Id
    key: Annotated[str, msgspec.Meta(min_length=1)]
    name: str | None = None
    filters: _Filters | None = None
    active: bool | None = None
    archived: bool | None = None
    deleted: bool | None = None
    created_by: Maker | None = None
    created_at: Moment | None = None
    updated_at: Moment | None = None
    last_called_at: Moment | msgspec.UnsetType | None = msgspec.UNSET
    version: Whole | None = None
    experiment_set: list[Id] | None = None
    can_edit: bool | None = None
    tags: list[str] | None = None
    is_remote_configuration: bool | None = None
    status: str | None = None
    evaluation_runtime: str | None = None


def row_of_object(raw: dict[str, JSON]) -> FlagRow:
    try:
        return _row_of(msgspec.convert(raw, _Flag))
    except (msgspec.ValidationError, OverflowError):
        return _careful_row(raw)


def _row_of(flag: _Flag) -> FlagRow:
    rollout, conditional = _reach(flag.filters) if flag.filters else (0.0, False)
    maker_id, maker = credit(flag.created_by)
    return FlagRow(
        flag.id,
        flag.key,
        flag.name or "",
        flag.active is True,
        flag.archived is True,
        flag.deleted is True,
        _type_of(flag),
        flag.evaluation_runtime or "all",
        (flag.status or "").upper(),
        rollout,
        conditional,
        tuple(flag.tags) if flag.tags else (),
        maker_id,
        maker,
        flag.created_at.timestamp() if flag.created_at else None,
        flag.updated_at.timestamp() if flag.updated_at else None,
        flag.last_called_at.timestamp() if flag.last_called_at else None,
        flag.version,
        tuple(flag.experiment_set) if flag.experiment_set else (),
        _dependency_ids(flag.filters),
        flag.can_edit is not False,
        flag.last_called_at is not msgspec.UNSET,
    )


def _type_of(flag: _Flag) -> FlagType:
    if flag.experiment_set:
        return "experiment"
    if flag.is_remote_configuration:
        return "config"
    if flag.filters is None:
        return "boolean"
    if not wire.is_known_version(flag.filters.version):
        return "rules"
    several = flag.filters.multivariate
    return "multivariant" if several and several.variants else "boolean"


def _reach(filters: _Filters) -> tuple[float | None, bool]:
    """Return the highest percentage of the deciding conditions, and whether all with it have properties.

    The same as `Filters.rollout` and `Filters.is_conditional`.
    """
    groups, highest = filters.groups or (), 0.0
    is_conditional = bool(groups)
    types = {_group_type_of(condition, filters) for condition in groups} if filters.early_exit else set()
    for condition in groups:
        share = EVERYONE if condition.rollout_percentage is None else condition.rollout_percentage
        if share > highest:
            highest, is_conditional = share, bool(condition.properties)
        elif share == highest and not condition.properties:
            is_conditional = False
        own = _group_type_of(condition, filters)
        if filters.early_exit and not condition.properties and (own is None or types == {own}):
            break
    return (highest if wire.is_known_version(filters.version) else None), is_conditional


def _group_type_of(condition: _Condition, filters: _Filters) -> int | None:
    """Return the group type of a condition, None for users. The default is the flag's."""
    own = condition.aggregation_group_type_index
    return filters.aggregation_group_type_index if own is msgspec.UNSET else own


def _dependency_ids(filters: _Filters | None) -> tuple[int, ...]:
    """Return the ids of the flags that it depends on, each once."""
    ids: list[int] = []
    for condition in (filters.groups if filters else None) or ():
        for item in condition.properties or ():
            if item.type == "flag" and (id := as_id(item.key)) and id not in ids:
                ids.append(id)
    return tuple(ids)


def credit(maker: Maker | None) -> tuple[int | None, str]:
    """Return the author: the id, and the e-mail or else the first name."""
    return (maker.id, maker.email or maker.first_name or "") if maker else (None, "")


def _row_from_anything(raw: dict[str, JSON]) -> FlagRow | None:
    row = _careful_row(raw)
    return row if row.id > 0 and row.key else None


def _careful_row(raw: dict[str, JSON]) -> FlagRow:
    # Only malformed rows come here, so the full models are loaded only when there is one.
    from flagtui.models.flag import Flag

    return Flag.of(raw).row()


read_flag_page: Final = RowReader(_Flag, _row_of, _row_from_anything).read
"""Return the rows of a page of the flag list; raises `NotJson` for other content."""
