import pytest

from flagtui.app.experiments.detail.sections import lifecycle_lines
from flagtui.models.rows import ExperimentRow

DAY = 86_400.0
STARTED = 1_792_000_000.0


def draw_lifecycle(days: float, planned: float | None, status: str = "running", width: int = 50) -> list[str]:
    ended = STARTED + days * DAY if status == "stopped" else None
    row = ExperimentRow(id=1, name="new nav", status=status, started_at=STARTED, ended_at=ended)
    lines = lifecycle_lines(row, STARTED + days * DAY, planned, width)
    return ["".join(text for text, _ in line) for line in lines]


@pytest.mark.parametrize(
    ("days", "planned", "words"),
    [
        (0.1, 28, "day 0 of ~28"),
        (28.2, 28, "day 28 of ~28"),
        (28.6, 28, "day 29 of ~28 · longer than planned"),
        (28.6, 28.7, "day 29 of ~29"),
        (12, None, "day 12"),
    ],
)
def test_its_days_agree_with_what_is_said_of_them(days: float, planned: float | None, words: str) -> None:
    assert draw_lifecycle(days, planned)[1].partition("2026   ")[2] == words


@pytest.mark.parametrize(("days", "words"), [(0.8, "1 day, until"), (9.2, "9 days, until")])
def test_ended_experiment_counts_its_days(days: float, words: str) -> None:
    assert f"2026   {words} " in draw_lifecycle(days, 28, "stopped")[1]


@pytest.mark.parametrize(
    ("days", "status", "bar"),
    [
        (0, "running", "━───────────────"),
        (14, "running", "━━━━━━━━────────"),
        (90, "running", "━━━━━━━━━━━━━━━─"),
        (9, "stopped", "━━━━━━━━━━━━━━━━"),
    ],
)
def test_what_runs_has_begun_and_has_not_ended(days: float, status: str, bar: str) -> None:
    assert draw_lifecycle(days, 28, status)[0].split()[-2] == bar


@pytest.mark.parametrize("width", [41, 56, 76, 120])
@pytest.mark.parametrize(
    ("status", "words"),
    [
        ("draft", "draft"),
        ("running", "running"),
        ("paused", "paused"),
        ("exposure_frozen", "frozen"),
        ("stopped", "ended"),
    ],
)
def test_lifecycle_takes_one_line_in_every_width(status: str, words: str, width: int) -> None:
    first = draw_lifecycle(9, 28, status, width)[0]
    assert len(first) <= width
    assert words in first
