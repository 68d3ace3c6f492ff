"""Orders by state: what is in use first, what is gone last."""

from flagtui.models.rows import ExperimentRow, FlagRow
from flagtui.store.experiment_listing import EXPERIMENT_ORDERS
from flagtui.store.flag_listing import FLAG_ORDERS


def test_flags_that_are_on_come_first_and_deleted_ones_last() -> None:
    rows = [
        FlagRow(1, "deleted", archived=True, deleted=True),
        FlagRow(2, "archived", archived=True),
        FlagRow(3, "off"),
        FlagRow(4, "stale", active=True, status="STALE"),
        FlagRow(5, "on", active=True),
    ]
    order = FLAG_ORDERS["state"]
    ranked = sorted(rows, key=lambda row: order.rank(row, is_reversed=False))
    assert [row.key for row in ranked] == ["on", "stale", "off", "archived", "deleted"]


def test_experiments_that_run_come_first_and_deleted_ones_last() -> None:
    states = ("running", "paused", "draft", "stopped", "unheard-of")
    rows = [ExperimentRow(9, "deleted", deleted=True), ExperimentRow(8, "archived", archived=True)]
    rows += [ExperimentRow(number, state, status=state) for number, state in enumerate(reversed(states))]
    order = EXPERIMENT_ORDERS["state"]
    ranked = sorted(rows, key=lambda row: order.rank(row, is_reversed=False))
    assert [row.name for row in ranked] == [*states, "archived", "deleted"]
