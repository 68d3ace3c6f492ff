"""Convert the bytes of an event definition list to rows."""

from collections.abc import Hashable
from datetime import datetime
from typing import Annotated, Any, Final, TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from flagtui.local_time import unix
from flagtui.models.flag_rows import Maker, Whole, credit
from flagtui.models.json_value import JSON
from flagtui.models.rows import OPTIONAL_MEMBERS, EventDefinitionRow, RowReader

_Value = TypeVar("_Value", bound=Hashable)
_KNOWN: Final[dict[Any, Any]] = {}
_MOST_KNOWN: Final = 4_096
_Text = Annotated[str, msgspec.Meta(min_length=1)]


class _Definition(msgspec.Struct, gc=False):
    id: _Text
    name: str
    description: str | UnsetType | None = UNSET
    owner: Maker | UnsetType | None = UNSET
    tags: list[str] | UnsetType | None = UNSET
    verified: bool | UnsetType | None = UNSET
    hidden: bool | None = None
    created_at: datetime | None = None
    last_seen_at: datetime | UnsetType | None = UNSET
    last_updated_at: datetime | None = None
    updated_at: datetime | None = None
    enforcement_mode: str | UnsetType | None = UNSET
    primary_property: str | None = None
    promoted_property: str | None = None
    is_action: bool | None = None
    action_id: Whole | None = None


def _row_of(definition: _Definition) -> EventDefinitionRow:
    owner_id, owner = credit(definition.owner or None)
    created_at, updated_at = (
        unix(definition.created_at),
        unix(definition.updated_at or definition.last_updated_at),
    )
    return EventDefinitionRow(
        id=definition.id,
        name=definition.name,
        description=definition.description or "",
        tags=_share_value(tuple(definition.tags)) if definition.tags else (),
        verified=definition.verified is True,
        hidden=definition.hidden is True,
        owner_id=owner_id,
        owner=_share_value(owner),
        created_at=created_at,
        seen_at=_share_value(unix(definition.last_seen_at or None)),
        updated_at=created_at if updated_at == created_at else updated_at,  # One number for two.
        enforcement=_share_value(definition.enforcement_mode or "allow"),
        primary_property=_share_value(definition.primary_property or definition.promoted_property or ""),
        is_action=definition.is_action is True or definition.action_id is not None,
        not_sent=_names_not_sent(definition),
    )


def _names_not_sent(definition: _Definition) -> tuple[str, ...]:
    """Return the members that the server did not send; most servers send all."""
    values = (
        definition.description,
        definition.owner,
        definition.verified,
        definition.last_seen_at,
        definition.tags,
        definition.enforcement_mode,
    )
    if UNSET not in values:
        return ()
    return _share_value(
        tuple(name for name, value in zip(OPTIONAL_MEMBERS, values, strict=True) if value is UNSET)
    )


def _share_value(value: _Value) -> _Value:
    """Return the first object with an equal value: many definitions share few owners, tags and days."""
    if len(_KNOWN) >= _MOST_KNOWN:
        _KNOWN.clear()
    shared: _Value = _KNOWN.setdefault(value, value)
    return shared


def _row_from_anything(raw: dict[str, JSON]) -> EventDefinitionRow | None:
    # Only malformed rows come here, so the full models are loaded only when there is one.
    from flagtui.models.event_definition import EventDefinition

    definition = EventDefinition.of(raw)
    return definition.row() if definition.id and isinstance(raw.get("name"), str) else None


read_event_definition_page: Final = RowReader(_Definition, _row_of, _row_from_anything).read
"""Return the rows of a page of the event definition list; raises `NotJson` for other content."""
