"""The last line: the keys that matter here, read from the bindings themselves."""

from dataclasses import replace

from textual import events
from textual.binding import Binding
from textual.keys import key_to_character

from flagtui.app.commands.command import display_key
from flagtui.app.widgets.field import Field
from flagtui.app.widgets.line import Line, styled
from flagtui.text.styled import Piece


class KeyLine(Line):
    """`space on/off  ⏎ open  / search …`, as many as fit; disabled commands are faint."""

    _shown: "list[tuple[Piece, Piece]]" = []

    def on_mount(self) -> None:
        self.screen.bindings_updated_signal.subscribe(self, lambda _screen: self.show_keys())
        self.call_after_refresh(self.show_keys)

    def on_resize(self, _event: events.Resize) -> None:
        self.show_keys()

    def show_keys(self) -> None:
        """Draw the keys that work now; help stays at the end however narrow the line is."""
        if not self.screen.is_active:
            # A dialog is in front: the keys are its own, but the line still has to fit.
            self._fit()
            return
        found: list[tuple[Binding, bool]] = []
        seen: set[str] = set()
        field = self.screen.focused if isinstance(self.screen.focused, Field) else None
        is_typing = field is not None
        own = list(field.key_words()) if field is not None else []
        taken = {key for key, _ in own}
        for key, active in self.screen.active_bindings.items():
            if is_typing and (key_to_character(key) or "\0").isprintable():
                continue
            if active.binding.show and active.binding.action not in seen:
                seen.add(active.binding.action)
                # The letter it is usually shown with would be typed.
                binding = replace(active.binding, key_display=None) if is_typing else active.binding
                found.append((binding, active.enabled))
        shown = [self._words(binding, enabled) for binding, enabled in found]
        self._shown = [
            *(((key, "bold"), (f" {words}  ", "$text-muted")) for key, words in own),
            *(pair for pair in shown if pair[0][0] not in taken),
        ]
        self._fit()

    def _fit(self) -> None:
        self.show(styled(" ", *_fitting(self._shown, self.size.width - 2)))

    def _words(self, binding: Binding, enabled: bool) -> tuple[Piece, Piece]:
        key = display_key(self.app, binding)
        if not enabled:
            return (key, "$faint"), (f" {binding.description}  ", "$faint")
        return (key, "bold"), (f" {binding.description}  ", "$text-muted")


def _fitting(words: list[tuple[Piece, Piece]], width: int) -> list[Piece]:
    last = words[-1:] if len(words) > 1 else []
    room = width - sum(_width(pair) for pair in last)
    pieces: list[Piece] = []
    for pair in words[: len(words) - len(last)]:
        if _width(pair) > room:
            break
        room -= _width(pair)
        pieces += pair
    for pair in last:
        pieces += pair
    return pieces


def _width(pair: tuple[Piece, Piece]) -> int:
    return sum(len(text) for text, _style in pair)
