"""How experiments are searched and ordered."""

from collections.abc import Mapping
from typing import Final

from flagtui.models.rows import ExperimentRow
from flagtui.store.query.experiments import EXPERIMENTS
from flagtui.store.query.folded_text import fold
from flagtui.store.sort_orders import Listing, Order

_STATUSES: Final = {"running": 0, "exposure_frozen": 0, "paused": 1, "draft": 2, "stopped": 3}


def _experiment_state(row: ExperimentRow) -> float:
    if row.deleted:
        return 6
    return 5 if row.archived else _STATUSES.get(row.status, 4)


EXPERIMENT_ORDERS: Final[Mapping[str, Order[ExperimentRow]]] = {
    "updated": Order(lambda row: row.updated_at, is_descending=True),
    "name": Order(),
    "state": Order(_experiment_state),
    "started": Order(lambda row: row.started_at, is_descending=True),
    "ended": Order(lambda row: row.ended_at, is_descending=True),
    "created": Order(lambda row: row.created_at, is_descending=True),
}

EXPERIMENT_LISTING: Final = Listing(EXPERIMENTS, EXPERIMENT_ORDERS, lambda row: fold(row.name))
