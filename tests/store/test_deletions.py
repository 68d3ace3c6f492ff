"""Which flags are deleted, as the activity tells it."""

from typing import Any

from flagtui.models.activity import Activity, ActivityPage
from flagtui.store.activity_feed import PAGES, deletions_in, recent_deletions


def entry(activity: str, id: int, key: str = "k", **detail: Any) -> Activity:
    return Activity.of(
        {
            "id": f"{activity}{id}",
            "activity": activity,
            "item_id": str(id),
            "detail": {"name": key, **detail},
            "created_at": "2026-03-01T09:00:00Z",
            "user": {"first_name": "Ada"},
        }
    )


def test_the_newest_word_about_a_flag_decides() -> None:
    found = deletions_in(
        [
            entry("restored", 1),
            entry("deleted", 2, "two"),
            entry("updated", 3, changes=[{"field": "deleted", "after": True}]),
            entry("deleted", 1),
            entry("restored", 2),
            entry("updated", 4, changes=[{"field": "active", "after": False}]),
        ]
    )
    assert [(one.id, one.key, one.who) for one in found] == [(2, "two", "Ada"), (3, "k", "Ada")]


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
