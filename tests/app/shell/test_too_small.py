"""A terminal in which nothing can be read is covered, and uncovered once it is large enough."""

from tests.doubles import quiet
from textual.geometry import Size

from flagtui.app.shell.screen_owner import ScreenOwner
from flagtui.app.widgets.dialog import TooSmallScreen
from flagtui.app.widgets.screen_lifecycle import OwnedScreen

SMALL, LARGE = Size(20, 3), Size(80, 24)


class SmallFirst(ScreenOwner[None]):
    """Is told of a small terminal before it has a list, as in a start while the window is dragged."""

    def on_mount(self) -> None:
        self.fit(SMALL)
        self.list: OwnedScreen[None] = OwnedScreen()
        self.has_covered_nothing = isinstance(self.screen, TooSmallScreen)
        self.push_screen(self.list)


async def test_small_size_before_the_list_does_not_stay() -> None:
    app = SmallFirst()
    async with quiet.run_quietly(app) as pilot:
        while not app._is_up:
            await pilot.pause()
        # A list does not open where a dialog is on top of nothing.
        assert not app.has_covered_nothing
        app.fit(SMALL)
        assert isinstance(app.screen, TooSmallScreen)
        app.fit(LARGE)
        await quiet.settle(app)
        assert app.screen_stack[1:] == [app.list]
