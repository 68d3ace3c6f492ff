"""How far back the activity is read: to the end of the screen, or to the moment asked for."""

from typing import Final

from flagtui.store.activity_feed import ActivityFeed
from flagtui.store.activity_listing import Centre

FOR_A_LINE: Final = 10
"""Pages read for one query; more are read when the cursor moves to the end."""
FOR_A_MOMENT: Final = 30
AHEAD: Final = 2
"""Screens of rows kept ready below the cursor."""


class ActivityReach:
    """Decides after every page whether another one is wanted."""

    def __init__(self) -> None:
        self._left = FOR_A_LINE
        self._left_for_moment = FOR_A_MOMENT

    def begin_again(self) -> None:
        """Starts the page limits anew: the query changed, or the cursor moved to the end."""
        self._left, self._left_for_moment = FOR_A_LINE, FOR_A_MOMENT

    def count_page(self) -> None:
        """One page was read."""
        self._left -= 1
        self._left_for_moment -= 1

    def wants_more(self, feed: ActivityFeed, centre: Centre | None, below: int, height: int) -> bool:
        """`below` is how many rows are under the cursor, `height` how many fit on the screen."""
        if feed.is_complete or feed.trouble is not None:
            return False
        if not feed.rows:
            return True
        if centre is not None:
            oldest = feed.oldest
            return self._left_for_moment > 0 and (oldest is None or oldest > centre.since)
        return self._left > 0 and below < AHEAD * max(height, 1)


def count_words(shown: int, feed: ActivityFeed, total: int) -> str:
    """`100 of 1,234`, `12 of 300 read`, `12 of 300`."""
    if shown < total:
        return f"{shown:,} of {total:,}{'' if feed.is_complete else ' read'}"
    if feed.is_complete or not feed.total:
        return f"{total:,}"
    return f"{total:,} of {max(feed.total, total):,}"
