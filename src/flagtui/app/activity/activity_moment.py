"""The activity around a moment: the changes of other records, and the users whom each change reached."""

from collections.abc import Sequence

from textual import work

from flagtui.app.activity.activity_columns import columns_around_moment
from flagtui.app.activity.activity_keys import ActivityKeys
from flagtui.app.activity.moment_facts import MomentFacts
from flagtui.app.lists.list_screen import PAUSE
from flagtui.app.state.app_state import AppState
from flagtui.app.widgets.column_layout import Column
from flagtui.app.writing.change_runner import ChangeRunner
from flagtui.models.activity_rows import ChangeRow
from flagtui.store.activity_listing import Centre


class ActivityAroundMoment(ActivityKeys):
    """Reads and counts what is around the moment in the line."""

    def __init__(self, app_state: AppState, runner: ChangeRunner) -> None:
        super().__init__(app_state, runner)
        self._moment: MomentFacts | None = None
        self.is_reading = False
        """Whether pages of the feed are in flight."""
        self._learned: tuple[Sequence[ChangeRow], Centre | None] = ((), None)

    def draw_rows(self) -> None:
        """Draw the entries read so far."""
        raise NotImplementedError

    def columns_shown(self) -> tuple[Column[ChangeRow], ...]:
        """Return the chosen columns, around a moment with the users that each change reached."""
        columns = super().columns_shown()
        if self._moment is None or self._finding.centre is None:
            return columns
        return columns_around_moment(columns, self._moment.users)

    def entries(self) -> Sequence[ChangeRow]:
        """Return the entries read so far with those that are marked, and around a moment with the changes of
        other records.
        """
        feed = self.feed.rows if self.feed is not None else ()
        if self._moment is None:
            return feed
        # The feed begins again when more entries arrive than are read at once.
        read = {row.id for row in feed} if self.rows.marks else ()
        marked = [row.entry for row in self.rows.marked_rows() if row.id not in read]
        return self._moment.rows(feed, self._finding.centre, marked)

    def follow_moment(self) -> None:
        """Learn more once the line has another moment, or the feed more entries, and pages stopped coming."""
        feed, centre = self.feed, self._finding.centre
        target = (feed.rows, centre) if feed is not None and centre is not None else None
        is_learned = target is None or (target[0] is self._learned[0] and target[1] == self._learned[1])
        if target is not None and not is_learned and not self.is_reading:
            self._learned = target
            self._learn(*target)

    def forget_moment(self) -> None:
        """Read everything around the moment again."""
        self._learned = (), None
        if self._moment is not None:
            self._moment.forget()

    def _on_reverted(self, changes: Sequence[str]) -> None:
        super()._on_reverted(changes)
        # Only the feed of flags is followed.
        self.forget_moment()
        self.follow_moment()

    @work(exclusive=True, group="moment", description="learn")
    async def _learn(self, entries: Sequence[ChangeRow], centre: Centre) -> None:
        """Read what other records changed around the moment, and count the users of the changes of flags."""
        if (moment := self._moment) is None:
            return
        await self._app_state.session.clock.sleep(PAUSE)
        await moment.read_others(centre)
        self.draw_rows()
        await moment.count_users(entries, centre)
        if self.is_attached:
            self._show_users()

    def _show_users(self) -> None:
        self.rows.set_columns(self.columns_shown())
        self.draw_preview(self.record)

    def load_all(self, row: ChangeRow) -> None:
        """Count the users of the change under the cursor, also outside the window of the moment."""
        if self._finding.centre is not None:
            self._count_one(row)

    @work(exclusive=True, group="count", description="count one")
    async def _count_one(self, row: ChangeRow) -> None:
        moment, feed = self._moment, self.feed
        if moment is not None and feed is not None and await moment.count_one(feed.rows, row):
            self._show_users()
