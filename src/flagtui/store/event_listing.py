"""How event definitions are searched and ordered."""

from collections.abc import Mapping
from typing import Final

from flagtui.models.record_fields import EVENT_FIELDS
from flagtui.models.rows import EventDefinitionRow
from flagtui.store.query.events import EVENTS
from flagtui.store.query.folded_text import fold
from flagtui.store.sort_orders import Listing, Order, field_order

EVENT_ORDERS: Final[Mapping[str, Order[EventDefinitionRow]]] = {
    "seen": Order(lambda row: row.seen_at, is_descending=True),
    "name": Order(),
    "created": Order(lambda row: row.created_at, is_descending=True),
    "updated": Order(lambda row: row.updated_at, is_descending=True),
    "verified": Order(lambda row: 0 if row.verified else 1),
    "enforcement": field_order(EVENT_FIELDS.shown("enforcement")),
}

EVENT_LISTING: Final = Listing(EVENTS, EVENT_ORDERS, lambda row: fold(row.name))
