"""The feed as it is read: back page by page, and on as entries are added."""

from collections.abc import Sequence
from typing import Any

from tests.doubles import heavy_records as heavy
from tests.doubles.counted_calls import counting_calls
from tests.doubles.expected import require
from tests.doubles.log_entries import log_entry

from flagtui.api.errors import Forbidden
from flagtui.models.activity import Activity, ActivityPage
from flagtui.models.activity_rows import change_row
from flagtui.models.json_value import JSON
from flagtui.store.activity_feed import PAGE, PAGES, ActivityFeed, deletions_in, recent_deletions


def log_raw(number: int, activity: str = "updated", flag: int = 1, **changed: Any) -> dict[str, JSON]:
    at = f"2026-03-01T00:{number // 60 % 60:02}:{number % 60:02}Z"
    entry = log_entry(activity, about=("FeatureFlag", flag, f"flag-{flag}"), at=at, **changed)
    return {**entry.raw, "id": f"e{number}"}


class Log:
    """What the server would answer."""

    def __init__(self, entries: Sequence[dict[str, JSON]] = ()) -> None:
        self.entries = list(entries)
        """Newest first."""
        self.asked: list[tuple[int, int]] = []
        self.refuses = False

    async def page(self, limit: int, number: int) -> ActivityPage:
        self.asked.append((limit, number))
        if self.refuses:
            raise Forbidden("403: this key lacks activity_log:read.")
        start = (number - 1) * limit
        following = "more" if start + limit < len(self.entries) else None
        results, total = self.entries[start : start + limit], len(self.entries)
        return ActivityPage.of({"results": results, "total_count": total, "next": following})


async def reading(entries: Sequence[dict[str, JSON]]) -> tuple[Log, ActivityFeed]:
    """A log, and a feed that has read its first page."""
    log = Log(entries)
    feed = ActivityFeed(log.page)
    await feed.read_on()
    return log, feed


def newest_first(feed: ActivityFeed) -> list[str]:
    return [row.id for row in sorted(feed.rows, key=lambda row: -row.place)]


def updates(newest: int, oldest: int = 1) -> list[dict[str, JSON]]:
    return [log_raw(number) for number in range(newest, oldest - 1, -1)]


def names(newest: int) -> list[str]:
    return [f"e{number}" for number in range(newest, 0, -1)]


async def test_pages_are_read_one_by_one_until_the_end() -> None:
    log, feed = await reading(updates(250))
    assert (len(feed.rows), feed.total, feed.is_complete) == (PAGE, 250, False)
    for _ in range(3):
        await feed.read_on()
    assert (newest_first(feed), feed.is_complete) == (names(250), True)
    assert log.asked == [(PAGE, 1), (PAGE, 2), (PAGE, 3)]


async def test_new_entries_come_on_top_without_gap_or_repeat() -> None:
    log, feed = await reading(updates(2))
    before = list(feed.rows)
    log.entries[:0] = updates(4, 3)
    await feed.catch_up()
    assert newest_first(feed) == names(4)
    assert all(new is old for new, old in zip(feed.rows, before, strict=False))
    log, feed = await reading(updates(300))
    log.entries[:0] = updates(430, 301)
    while not feed.is_complete:
        await feed.read_on()
    await feed.catch_up()
    assert newest_first(feed) == names(430)


async def test_more_news_than_can_be_caught_up_with_begins_afresh() -> None:
    log, feed = await reading(updates(1))
    log.entries[:0] = updates(900, 2)
    await feed.catch_up()
    assert newest_first(feed)[0] == "e900"
    while not feed.is_complete:
        await feed.read_on()
    assert newest_first(feed) == names(900)


async def test_feed_is_behind_once_a_newer_entry_was_seen() -> None:
    log = Log([log_raw(1)])
    feed = ActivityFeed(log.page)
    feed.hear(["e1"])
    await feed.read_on()
    assert not feed.is_behind
    feed.hear(["e2", "e1"])
    assert feed.is_behind
    log.entries[:0] = [log_raw(2)]
    await feed.catch_up()
    assert not feed.is_behind


async def test_refusal_is_kept_in_words_until_the_next_good_response() -> None:
    log = Log(updates(1))
    feed = ActivityFeed(log.page)
    log.refuses = True
    await feed.read_on()
    assert "activity_log:read" in require(feed.trouble).what
    assert not feed.rows
    log.refuses = False
    await feed.read_on()
    assert (feed.trouble, len(feed.rows)) == (None, 1)


async def test_watchers_hear_of_every_page() -> None:
    heard: list[int] = []
    feed = ActivityFeed(Log([log_raw(1)]).page)
    stop = feed.watch(lambda: heard.append(len(feed.rows)))
    await feed.read_on()
    stop()
    await feed.catch_up()
    assert heard == [1]


async def test_only_a_deletion_that_nobody_took_back_stands() -> None:
    of_second = [log_raw(5, "restored", 2), log_raw(4, "deleted", 2)]
    log, feed = await reading([*of_second, log_raw(3, "deleted", 1), log_raw(2, "created", 1)])
    assert [row.id for row in feed.rows if row.is_in_effect] == ["e3"]
    log.entries[:0] = [log_raw(6, deleted=(True, False))]
    await feed.catch_up()
    assert not [row.id for row in feed.rows if row.is_in_effect]


def test_entry_without_an_id_is_identified_by_time_and_flag() -> None:
    raw = [{**log_raw(number), "id": None} for number in (1, 2)]
    rows = [change_row(entry, 0) for entry in ActivityPage.of({"results": raw}).entries]
    assert rows[0].id != rows[1].id


def heavy_entries(count: int) -> list[dict[str, JSON]]:
    before, after = heavy.with_conditions(count)["filters"], heavy.with_bare_conditions(count)["filters"]
    return [log_raw(number, filters=(before, after)) for number in (2, 1)]


async def test_heavy_entries_become_rows_in_a_thread() -> None:
    feed = ActivityFeed(Log(heavy_entries(2_000)).page)
    with counting_calls() as calls:
        await feed.read_on()
    assert newest_first(feed) == ["e2", "e1"]
    assert feed.rows[0].kinds == ("rollout", "conditions")
    assert calls.count < 1_000


def test_deletions_name_the_key_and_skip_other_changes() -> None:
    entries = ActivityPage.of({"results": [log_raw(3, "deleted"), *heavy_entries(2_000)]}).entries
    with counting_calls() as calls:
        deletions = deletions_in(entries)
    assert [deletion.id for deletion in deletions] == [1]
    assert calls.count < 1_000
    (deletion,) = deletions_in([entry("deleted", 5, "nice-key:deleted:5")])
    assert deletion.key == "nice-key"


def entry(activity: str, id: int, key: str = "k", **changed: Any) -> Activity:
    return log_entry(activity, about=("FeatureFlag", id, key), **changed)


def test_the_newest_word_about_a_flag_decides() -> None:
    newest = [entry("restored", 1), entry("deleted", 2, "two"), entry("updated", 3, deleted=(False, True))]
    older = [entry("deleted", 1), entry("restored", 2), entry("updated", 4, active=(True, False))]
    deletions = [(each.id, each.key, each.who) for each in deletions_in([*newest, *older])]
    assert deletions == [(2, "two", "Sam"), (3, "k", "Sam")]


async def test_only_a_few_pages_are_read() -> None:
    ids: list[int] = []

    async def endless(*, limit: int, page: int) -> ActivityPage:
        ids.append(page)
        return ActivityPage.of({"results": [entry("deleted", page).raw], "next": "more"})

    deletions = await recent_deletions(endless)
    assert ids == list(range(1, PAGES + 1))
    assert [deletion.id for deletion in deletions] == ids
