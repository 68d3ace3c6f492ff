"""Search and order of experiments."""

import operator
from collections.abc import Mapping
from operator import attrgetter
from typing import Final

from flagtui.models.rows import ExperimentRow
from flagtui.store.query.term_readers import AGES, age_of, made_by, number_of, part_of
from flagtui.store.query.value_tests import fold
from flagtui.store.query.vocabulary import Qualifier, Test, Vocabulary, being, by_name, choices
from flagtui.store.sort_orders import Listing, Order

_STATES: Final[dict[str, Test[ExperimentRow]]] = {
    "draft": lambda row: row.status == "draft",
    "running": lambda row: row.status in ("running", "exposure_frozen"),
    "frozen": lambda row: row.is_frozen,
    "paused": lambda row: row.status == "paused",
    "stopped": lambda row: row.status == "stopped",
    "archived": lambda row: row.archived,
    "deleted": lambda row: row.deleted,
}
EXPERIMENTS: Final[Vocabulary[ExperimentRow]] = Vocabulary(
    qualifiers=by_name(
        choices(
            "is",
            "its state",
            _STATES,
            ("draft", "running", "paused", "stopped", "archived"),
            {"ended": "stopped", "complete": "stopped"},
        ),
        Qualifier(
            "flag", "part of a key or a pattern such as /^new-/", "its flag", part_of(lambda row: row.key)
        ),
        made_by(lambda row: row.creator_id, lambda row: row.creator),
        choices(
            "result",
            "its conclusion",
            {**being("won", "lost", "inconclusive", "stopped_early", "invalid"), "none": operator.not_},
            of=attrgetter("conclusion"),
        ),
        choices("type", "what kind it is", being("product", "web"), of=attrgetter("type")),
        Qualifier(
            "started", AGES, "when it was launched", age_of(lambda row: row.started_at), ("<7d", "never")
        ),
        Qualifier("ended", AGES, "when it was stopped", age_of(lambda row: row.ended_at), ("<7d", "never")),
        Qualifier("updated", AGES, "when it was last changed", age_of(lambda row: row.updated_at), ("<7d",)),
        Qualifier("created", AGES, "when it was created", age_of(lambda row: row.created_at), (">90d",)),
        Qualifier(
            "id", "a number, or several with commas between", "its number", number_of(lambda row: row.id)
        ),
    ),
    text=lambda row: f"{row.name}\0{row.key}",
    hidden={"archived": lambda row: row.archived, "deleted": lambda row: row.deleted},
)


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
