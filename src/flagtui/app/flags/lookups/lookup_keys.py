"""The keys that look things up, for the list of flags."""

from flagtui.app.flags.form.flag_form_keys import AnyScreen
from flagtui.app.state.app_state import AppState
from flagtui.app.writing.changes import Changes


class LookUpKeys(AnyScreen):
    """A screen with this opens the look-ups above itself."""

    _app_state: AppState
    _changing: Changes

    def action_ids(self) -> None:
        from flagtui.app.flags.lookups.found import IdsScreen

        self.app.push_screen(IdsScreen(self._app_state, self._changing))

    def action_my_flags(self) -> None:
        from flagtui.app.flags.lookups.found import MyFlagsScreen

        self.app.push_screen(MyFlagsScreen(self._app_state, self._changing))

    def action_definitions(self) -> None:
        from flagtui.app.flags.lookups.definitions_screen import DefinitionsScreen

        self.app.push_screen(DefinitionsScreen(self._app_state))
