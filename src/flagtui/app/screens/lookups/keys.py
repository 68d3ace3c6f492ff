"""The keys that look things up, for the list of flags."""

from flagtui.app.changing import Changing
from flagtui.app.desk import Desk
from flagtui.app.screens.edit.keys import AnyScreen


class LookUpKeys(AnyScreen):
    """A screen with this opens the look-ups above itself."""

    _desk: Desk
    _changing: Changing

    def action_ids(self) -> None:
        from flagtui.app.screens.lookups.found import IdsScreen

        self.app.push_screen(IdsScreen(self._desk, self._changing))

    def action_my_flags(self) -> None:
        from flagtui.app.screens.lookups.found import MyFlagsScreen

        self.app.push_screen(MyFlagsScreen(self._desk, self._changing))

    def action_definitions(self) -> None:
        from flagtui.app.screens.lookups.definitions import DefinitionsScreen

        self.app.push_screen(DefinitionsScreen(self._desk))
