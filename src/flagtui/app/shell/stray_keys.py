"""Keys that do nothing now: why, and that the letters after one are part of a word, not commands."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from textual import events
from textual.app import App
from textual.widgets import Input, TextArea

from flagtui.app.commands.command import SIGNS, binding_of
from flagtui.app.commands.command_table import COMMANDS
from flagtui.app.shell.toasts import show_toast
from flagtui.app.state.app_state import AppState
from flagtui.app.state.permissions import why_refused
from flagtui.safe_text import safe_text
from flagtui.store.kinds import KINDS, RecordKind
from flagtui.text.key_signs import key_sign
from flagtui.text.styled import Notice

PAUSE: Final = 1.0
"""Seconds without a letter after which letters are commands again."""


class StrayKeys:
    """Drops the letters typed within a second of a key that has no meaning on the screen."""

    def __init__(self, app: App[Any], app_state: AppState, keymap: Callable[[], Mapping[str, str]]) -> None:
        """`keymap` returns the keys that the user chose, by command."""
        self._app = app
        self._app_state = app_state
        self._keymap = keymap
        self._until = 0.0

    def drop(self, event: events.Event) -> bool:
        """Return whether the event is a stray letter; warn once for each stray key."""
        # A character in a line to type in is text, and a dialog explains its own keys.
        is_typed = isinstance(self._app.focused, Input | TextArea) or self._app.screen.is_modal
        if not isinstance(event, events.Key) or not event.is_printable or is_typed:
            return False
        now = self._app_state.session.clock.monotonic()
        is_letter = event.character is not None and event.character.isalpha()
        if is_letter and now < self._until:
            self._until = now + PAUSE
            return True
        self._until = 0.0
        if binding_of(self._app.screen, event.key) is None and not self._refusal(event.key):
            self._until = now + PAUSE
            sign = safe_text(SIGNS.get(event.key, (event.character or "").strip() or event.key), 20)
            purpose, _kinds = self._purpose(event.key)
            why = f"{sign} {purpose}" if purpose else f"{sign} does nothing here"
            show_toast(self._app, Notice(f"{why}; letters within a second of it are not commands"))
        return False

    def explain(self, key: str) -> None:
        """Show why the command of a key that nothing took is refused, or where it can be used.

        The app is asked before its screen is: a key that works is taken.
        """
        active = binding_of(self._app.screen, key)
        if active is not None and active.enabled:
            return
        if why := self._refusal(key) or (self._elsewhere(key) if active is None else ""):
            show_toast(self._app, Notice(why, "warning"))

    def _elsewhere(self, key: str) -> str:
        """Return which list a command of another list is for; empty for other keys and in dialogs.

        A character that means nothing here is explained before it is handled, and arrows need no words.
        """
        is_chord = key.startswith("ctrl+") or (key[:1] == "f" and key[1:].isdigit())
        if not is_chord or self._app.screen.is_modal:
            return ""
        purpose, kinds = self._purpose(key)
        if not kinds:
            return ""
        tab = f"app.{kinds[0].plural}"
        # In a form its key is a digit of a share.
        leads_there = any(each.binding.id == tab for each in self._app.screen.active_bindings.values())
        hint = f"; {key_sign(tab)} goes there" if leads_there else ""
        return f"{SIGNS.get(key, key)} {purpose}{hint}"

    def _purpose(self, key: str) -> tuple[str, Sequence[RecordKind]]:
        """Return the first command with this key of a list, in words, and the kinds of records it is for."""
        keymap = self._keymap()
        commands = [each for each in COMMANDS if key in keymap.get(each.id, each.keys).split(",")]
        titled: dict[str, list[RecordKind]] = {}
        for kind in KINDS.values():
            if command := next((each for each in commands if kind.plural in each.places), None):
                titled.setdefault(command.title, []).append(kind)
        title, kinds = next(iter(titled.items()), ("", []))
        words = "records" if len(kinds) == len(KINDS) else " and ".join(kind.words for kind in kinds)
        return f"({title}) is for {words}" if kinds else "", kinds

    def _refusal(self, key: str) -> str:
        return why_refused(self._app_state, key, self._app.screen, self._keymap())
