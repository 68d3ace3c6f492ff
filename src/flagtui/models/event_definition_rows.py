"""From the bytes of an event definition list to rows."""

from collections.abc import Hashable
from datetime import datetime
from typing import Annotated, Any, Final, TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from flagtui.local_time import unix
from flagtui.models.flag_rows import Maker, Whole, credit
from flagtui.models.json_value import JSON
from flagtui.models.rows import TOLD, EventDefinitionRow, RowPage, RowReader

_Value = TypeVar("_Value", bound=Hashable)
_KNOWN: Final[dict[Any, Any]] = {}
_MOST_KNOWN: Final = 4_096
_Text = Annotated[str, msgspec.Meta(min_length=1)]


class _Definition(msgspec.Struct, gc=False):
    id: _Text
    name: _Text
    description: str | UnsetType | None = UNSET
    owner: Maker | UnsetType | None = UNSET
    tags: list[str] | None = None
    verified: bool | UnsetType | None = UNSET
    hidden: bool | None = None
    created_at: datetime | None = None
    last_seen_at: datetime | UnsetType | None = UNSET
    last_updated_at: datetime | None = None
    updated_at: datetime | None = None
    enforcement_mode: str | None = None
    primary_property: str | None = None
    promoted_property: str | None = None
    is_action: bool | None = None
    action_id: Whole | None = None


def read_event_definition_page(body: bytes) -> RowPage[EventDefinitionRow]:
    """The rows in a page of the event definition list; raises `NotJson` when it is not a page."""
    return _READER.read(body)


def _row_of(found: _Definition) -> EventDefinitionRow:
    owner_id, owner = credit(found.owner or None)
    created_at, updated_at = unix(found.created_at), unix(found.updated_at or found.last_updated_at)
    return EventDefinitionRow(
        id=found.id,
        name=found.name,
        description=found.description or "",
        tags=_one(tuple(found.tags)) if found.tags else (),
        verified=found.verified is True,
        hidden=found.hidden is True,
        owner_id=owner_id,
        owner=_one(owner),
        created_at=created_at,
        seen_at=_one(unix(found.last_seen_at or None)),
        updated_at=created_at if updated_at == created_at else updated_at,  # One number for two.
        enforcement=_one(found.enforcement_mode or "allow"),
        primary_property=_one(found.primary_property or found.promoted_property or ""),
        is_action=found.is_action is True or found.action_id is not None,
        untold=_untold(found),
    )


def _untold(found: _Definition) -> tuple[str, ...]:
    """What was not sent; most servers send everything."""
    told = (found.description, found.owner, found.verified, found.last_seen_at)
    if UNSET not in told:
        return ()
    return _one(tuple(name for name, value in zip(TOLD, told, strict=True) if value is UNSET))


def _one(value: _Value) -> _Value:
    """The object that stood for an equal value before: a hundred thousand definitions share few owners,
    tags and days."""
    if len(_KNOWN) >= _MOST_KNOWN:
        _KNOWN.clear()
    known: _Value = _KNOWN.setdefault(value, value)
    return known


def _row_from_anything(raw: dict[str, JSON]) -> EventDefinitionRow | None:
    # Only odd rows come here, so the full models are loaded only when there is one.
    from flagtui.models.event_definition import EventDefinition

    definition = EventDefinition.of(raw)
    return definition.row() if definition.id and definition.name else None


_READER: Final = RowReader(_Definition, _row_of, _row_from_anything)
