"""Toasts never cover the two lines of the header."""

import pytest
from textual.app import App
from textual.widgets._toast import Toast

from flagtui.app.shell.themes import THEMES, stylesheets
from flagtui.app.shell.toasts import show_toast
from flagtui.text.styled import Notice

LONG = (
    "checkout-redesign: checkout-v2-banner depends on this flag and is on.\n"
    "Change or turn off that flag first."
)


class Told(App[None]):
    CSS_PATH = stylesheets("app")


@pytest.mark.parametrize("size", [(80, 24), (60, 15)])
async def test_old_toasts_make_room_below_the_header(size: tuple[int, int]) -> None:
    app = Told()
    for theme in THEMES:
        app.register_theme(theme)
    app.theme = THEMES[0].name
    async with app.run_test(size=size, notifications=True) as pilot:
        for number in range(12):
            show_toast(app, Notice(f"{number}: {LONG}", "warning", "not possible now" if number % 2 else ""))
        await pilot.pause()
        toasts = list(app.screen.query(Toast))
        assert min(toast.region.y for toast in toasts) >= 2
        assert max(toast.region.bottom for toast in toasts) == size[1] - 1
        assert [known.message.split(":")[0] for known in app._notifications][-1] == "11"
        lines = size[1] - 3 - sum(toast.region.height + 1 for toast in toasts)
        assert lines < 7, "those that fit are left"
