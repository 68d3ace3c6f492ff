"""A toast whose time is over before it is drawn, which a busy machine brings about."""

import asyncio
import time

import pytest
from tests.app.shell.owner import Asking, open_owner
from tests.doubles import quiet
from textual.app import App
from textual.widgets._toast import Toast, ToastHolder

from flagtui.app.shell.themes import THEMES, stylesheets
from flagtui.app.shell.toasts import SHORTEST, LastingNotification, show_toast
from flagtui.text.styled import Notice


class WatchedToast(Toast):
    def __init__(self, late: LastingNotification) -> None:
        super().__init__(late)
        self.gone = asyncio.Event()

    def on_unmount(self) -> None:
        self.gone.set()


async def test_toast_lasts_its_time_and_disappears_when_late() -> None:
    late = LastingNotification("saved", timeout=1.0, raised_at=time.time() - 2.0)
    assert late.has_expired
    assert late.time_left == SHORTEST
    app: App[None] = App()
    async with quiet.run_quietly(app):
        await app.mount(toast := WatchedToast(late))
        async with asyncio.timeout(10):
            await toast.gone.wait()
    assert 3.9 < LastingNotification("saved", timeout=4.0).time_left <= 4.0


async def test_what_made_room_for_others_leaves_nothing_on_the_screen() -> None:
    async with open_owner() as app:
        for number in range(30):
            show_toast(app, Notice(f"saved {number}"))
            await quiet.settle(app)
        shown = list(app.screen.query(ToastHolder))
        assert 0 < len(shown) == len(app._notifications) < 30
        assert [len(holder.query(Toast)) for holder in shown] == [1] * len(shown)


async def test_cleared_toasts_leave_the_screens_below_a_dialog() -> None:
    async with open_owner() as app:
        show_toast(app, Notice("saved · u to undo"))
        await quiet.settle(app)
        below = app.screen
        assert len(below.query(Toast)) == 1
        await app.push_screen(Asking())
        app.clear_notifications()
        await quiet.settle(app)
        assert len(below.query(Toast)) == 0


LONG = (
    "checkout-redesign: checkout-v2-banner depends on this flag and is on.\n"
    "Change or turn off that flag first."
)


class Told(App[None]):
    CSS_PATH = stylesheets("app")


@pytest.mark.parametrize("size", [(80, 24), (60, 15)])
@pytest.mark.parametrize("text", [LONG, "記録を読む " * 16])
async def test_old_toasts_leave_half_of_the_rows_in_sight(size: tuple[int, int], text: str) -> None:
    app = Told()
    for theme in THEMES:
        app.register_theme(theme)
    app.theme = THEMES[0].name
    async with quiet.run_quietly(app, size=size, notifications=True) as pilot:
        for number in range(12):
            show_toast(app, Notice(f"{number}: {text}", "warning", "not possible now" if number % 2 else ""))
        await pilot.pause()
        toasts = list(app.screen.query(Toast))
        assert min(toast.region.y for toast in toasts) >= 2
        assert max(toast.region.bottom for toast in toasts) == size[1] - 1
        assert [notification.message.split(":")[0] for notification in app._notifications][-1] == "11"
        room, taken = (size[1] - 3) // 2, sum(toast.region.height + 1 for toast in toasts)
        assert len(toasts) == 1 or taken <= room
        assert room - taken < 7, "those that fit are left"


async def test_long_name_leaves_room_for_what_happened() -> None:
    app: App[None] = App()
    async with quiet.run_quietly(app):
        show_toast(app, Notice(f"{'k' * 400} names no other record\nhttps://host.test/{'p' * 200}"))
        await quiet.settle(app)
        [message] = [toast.message for toast in app._notifications]
        assert message == f"{'k' * 60}… names no other record\nhttps://host.test/{'p' * 200}"
