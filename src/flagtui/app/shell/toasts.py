"""Toasts: the one place that makes notifications, always without markup and with safe text."""

import os
import time
from collections.abc import Iterable
from itertools import chain
from typing import Any, Final

from textual.app import App
from textual.content import Content
from textual.notifications import Notification, Notify
from textual.screen import ModalScreen
from textual.widgets._toast import Toast, ToastHolder

from flagtui.safe_text import safe_text
from flagtui.text.styled import Notice

FRAME: Final = 3
"""Lines of the screen without rows: the two of the header, and the keys."""
WIDTH: Final = 64
"""Columns of a toast, as the stylesheet has it, or nine tenths of a narrower screen."""
MARGIN: Final = 2
"""Columns beside them."""
LONGEST_WORD: Final = 60
"""Characters of a name in a toast."""
EDGES: Final = 3
"""Columns of a toast without text."""
READ: Final = 1.0
"""Seconds after which a toast counts as read."""
SHORTEST: Final = 0.1
"""Seconds that a toast is shown at least."""


class LastingNotification(Notification):
    """A toast whose time may be over before it is drawn, on a busy machine."""

    @property
    def time_left(self) -> float:
        """Seconds; never below `SHORTEST`: a timer of Textual
        that has less than no time to wait never lets go."""
        return max(SHORTEST, super().time_left)

    @property
    def has_expired(self) -> bool:
        return super().time_left <= 0


def show_toast(app: App[Any], notice: Notice) -> None:
    """Show the notice. Errors stay longer, since they ask for something."""
    lines = _lines_of(notice)
    title = safe_text(notice.title, 80)
    seconds = notice.seconds if notice.tone == "information" else max(notice.seconds, 12.0)
    raised = LastingNotification("\n".join(lines), title, notice.tone, seconds, markup=False)
    app.post_message(Notify(raised))
    app.call_later(_make_room, app)


def _lines_of(notice: Notice) -> list[str]:
    """Return safe lines with room for every word: long names are shortened, but no path and no address."""
    words = [line.split(" ") for line in notice.text.split("\n")]
    short = [
        [word if len(word) <= LONGEST_WORD or "/" in word else f"{word[:LONGEST_WORD]}…" for word in line]
        for line in words
    ]
    return [safe_text(" ".join(line), 400) for line in short]


def drop_toast(app: App[Any], notice: Notice) -> None:
    """Remove the toasts of a notice that no longer holds."""
    lines = "\n".join(_lines_of(notice))
    for toast in [toast for toast in app._notifications if toast.message == lines]:
        app._unnotify(toast)
    drop_stale(app)


def copy_text(app: App[Any], text: str, what: str = "") -> None:
    """Copy to the terminal's clipboard and show it: the text itself, or `what` where it is long."""
    show_toast(app, copied_notice(app, text, what))


def copied_notice(app: App[Any], text: str, what: str = "") -> Notice:
    """Copy it and return the notice, for callers that show it themselves."""
    from flagtui.app.terminal.clipboard import copied_hint, why_not_copied

    copied = text if what else safe_text(text, 1_000)
    if why := why_not_copied(copied, os.environ):
        return Notice(why, "warning", "not copied")
    app.copy_to_clipboard(copied)
    lines = [f"sent to the terminal's clipboard: {what or copied}", copied_hint(os.environ)]
    return Notice("\n".join(filter(None, lines)))


def drop_stale(app: App[Any]) -> None:
    """Remove from all open screens what held toasts that are over, with them."""
    for holder in chain.from_iterable(screen.query(ToastHolder) for screen in app.screen_stack):
        if all(toast._notification not in app._notifications for toast in holder.query(Toast)):
            holder.remove()


def drop_read(app: App[Any]) -> bool:
    """Remove the toasts that were shown long enough to be read; return whether there were any."""
    now = time.time()
    read = [toast for toast in app._notifications if now - toast.raised_at >= READ]
    for toast in read:
        app._unnotify(toast)
    drop_stale(app)
    return bool(read)


def make_way(app: App[Any]) -> None:
    """Uncover a dialog that opens: remove the toasts that were read, and the others once they are."""
    drop_read(app)

    def drop_later() -> None:
        # It may have ended meanwhile.
        if app.screen_stack and isinstance(app.screen, ModalScreen):
            drop_read(app)

    if app._notifications:
        app.set_timer(READ, drop_later)


def _make_room(app: App[Any]) -> None:
    """Remove older toasts with the same text, and those that would cover more than half of the rows."""
    room = (app.size.height - FRAME) // 2
    newest = {(toast.title, toast.message): toast for toast in app._notifications}
    for toast in list(app._notifications):
        if newest[toast.title, toast.message] is not toast:
            app._unnotify(toast)
    for place, toast in enumerate(reversed(list(app._notifications))):
        room -= _height(app, [toast.title, *toast.message.split("\n")])
        if place and room < 0:
            app._unnotify(toast)


def _height(app: App[Any], lines: Iterable[str]) -> int:
    """Return the rows of a toast and of the empty row above it; without a title it has one fewer."""
    width = max(1, min(WIDTH, app.size.width - MARGIN) - EDGES)
    return 1 + sum(Content(line).get_height({}, width) for place, line in enumerate(lines) if line or place)
