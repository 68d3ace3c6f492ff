"""Which flags are deleted, as the activity tells it."""

from typing import Any

from tests.doubles.log_entries import logged

from flagtui.models.activity import Activity, ActivityPage
from flagtui.store.activity_feed import PAGES, deletions_in, recent_deletions


def entry(activity: str, id: int, key: str = "k", **changed: Any) -> Activity:
    return logged(activity, about=("FeatureFlag", id, key), **changed)


def test_the_newest_word_about_a_flag_decides() -> None:
    found = deletions_in(
        [
            entry("restored", 1),
            entry("deleted", 2, "two"),
            entry("updated", 3, deleted=(False, True)),
            entry("deleted", 1),
            entry("restored", 2),
            entry("updated", 4, active=(True, False)),
        ]
    )
    assert [(one.id, one.key, one.who) for one in found] == [(2, "two", "Sam"), (3, "k", "Sam")]


def test_deletion_mark_is_removed_from_a_key() -> None:
    (found,) = deletions_in([entry("deleted", 5, "nice-key:deleted:5")])
    assert found.key == "nice-key"


async def test_only_a_few_pages_are_read() -> None:
    asked: list[int] = []

    class Endless:
        async def activity(self, id: int | None = None, *, limit: int = 10, page: int = 1) -> ActivityPage:
            asked.append(page)
            return ActivityPage.of({"results": [entry("deleted", page).raw], "next": "more"})

    found = await recent_deletions(Endless())
    assert asked == list(range(1, PAGES + 1))
    assert [one.id for one in found] == asked
