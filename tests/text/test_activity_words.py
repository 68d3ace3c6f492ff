"""Changed fields of records in the activity, in a few words."""

import pytest

from flagtui.models.activity import Change
from flagtui.text.activity_words import experiment_change_words


@pytest.mark.parametrize(
    ("field", "before", "after", "words"),
    [
        ("metrics", [], [{"uuid": "a"}], "metric added"),
        ("metrics_secondary", [{"uuid": "a"}], [], "secondary metric removed"),
        ("metrics", [{"uuid": "a"}], [{"uuid": "b"}], "metric changed"),
        ("start_date", None, "2026-03-01T12:00:00Z", "launched"),
        ("start_date", "2026-03-01T12:00:00Z", None, "start removed"),
        ("end_date", None, "2026-03-01T12:00:00Z", "ended"),
        ("end_date", "2026-03-01T12:00:00Z", "2026-03-02T12:00:00Z", "end date changed"),
        ("name", "Old", "New \x1b[31m", "name → New ␛[31m"),
        ("conclusion", None, "stopped_early", "conclusion → stopped early"),
        ("conclusion", "won", None, "conclusion → none"),
        ("archived", False, True, "archived"),
        ("some_new_field", 1, 2, "some new field"),
    ],
)
def test_changed_field_of_an_experiment_is_named(
    field: str, before: object, after: object, words: str
) -> None:
    change = Change.of({"field": field, "before": before, "after": after})
    assert experiment_change_words(change) == words
