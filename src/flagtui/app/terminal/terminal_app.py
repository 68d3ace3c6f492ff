"""An app that is careful with its terminal; the screens of this app are built on it."""

import os
import time
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, Protocol, runtime_checkable

from rich.console import RenderableType
from textual import events
from textual.app import App, ReturnType
from textual.driver import Driver
from textual.filter import LineFilter
from textual.geometry import Offset
from textual.screen import Screen
from textual.widget import Widget

from flagtui.app.terminal.first_frame import drop_frame, is_painted, keep_frame
from flagtui.app.terminal.output import KNOWN_FRAMES, ControlFence, FilterChain, make_encoder, patches_of
from flagtui.app.terminal.screen_cells import Row
from flagtui.app.widgets.glyphs import ASCII, terminal_glyphs
from flagtui.app.widgets.row_list import RowList
from flagtui.app.widgets.search_line import SearchLine

IS_POSIX: Final = os.name == "posix"
"""Elsewhere there are no terminal attributes to put back and no signals to catch."""
if IS_POSIX:
    from flagtui.app.terminal import signals
    from flagtui.app.terminal.quiet_driver import quiet


class EarlyKeys:
    """An experienced user types at once, and a slow link delivers all keys in one packet."""

    def __init__(self) -> None:
        self._kept: list[events.Event] | None = []

    def keep(self, event: events.Event) -> bool:
        """Keep the event when it is too early for it; false when it can be handled now."""
        if self._kept is None or not isinstance(event, events.Key | events.Paste):
            return False
        self._kept.append(event)
        return True

    def release(self) -> list[events.Event]:
        """Return all buffered events and stop buffering."""
        kept, self._kept = self._kept or [], None
        return kept


class StartFrame(NamedTuple):
    """The last frame of the list with which the next start begins."""

    begins_with: object
    rows: Sequence[Row]
    shown_at: float
    """Unix seconds."""


@runtime_checkable
class HasCursorLine(Protocol):
    """A widget with a line under a cursor."""

    @property
    def cursor_line(self) -> int:
        """Counted from the first line of its content; -1 without one."""


LONGEST_WAIT: Final = 2.0
"""Seconds after which the live screen is drawn even without rows."""


class TerminalApp(App[ReturnType]):
    """Sends only cells that changed, loses no key typed while it starts, lets no control character out."""

    ENDS_PROGRAM = True
    """Whether the process ends after the app: then tasks that delay the end are cut off."""
    is_frame_stale = False
    """Whether the next start would show something else first than the frame of an earlier run."""

    def __init__(self, *, ansi_color: bool | None = None) -> None:
        if os.environ.get("NO_COLOR") == "":
            # It counts as not set (no-color.org), but not for Textual.
            del os.environ["NO_COLOR"]
        super().__init__(ansi_color=ansi_color)
        self._encoder = make_encoder(self)
        self._early = EarlyKeys()
        self._is_up = False
        self._forgets_keys = False
        self._typed_after = 0.0
        """Keys that were read before are dropped, by the clock of events."""
        self.has_left = False
        """Whether the terminal belongs to the shell again."""
        self._drawn: object = None
        """The first screen of the next start, at the time of the last frame."""
        self._start_frame: StartFrame | None = None
        self._waits_for_rows = is_painted()
        if IS_POSIX:
            self._found_terminal = signals.terminal_attributes()
        self.fence = ControlFence(ascii_only=terminal_glyphs() is ASCII)
        self._filter = FilterChain([self.fence])

    def get_driver_class(self) -> type[Driver]:
        driver = super().get_driver_class()
        return quiet(driver) if IS_POSIX else driver

    @property
    def scrolls_cheaply(self) -> bool:
        """Whether showing one more row at the edge of a list costs little more than that row."""
        return self._encoder is not None

    def repaint(self) -> None:
        """Draw everything again, whatever the terminal shows now."""
        if self._encoder is not None:
            self._encoder.forget()
        self.screen.refresh()

    def get_line_filters(self) -> Sequence[LineFilter]:
        filters = (*super().get_line_filters(), self.fence)
        if filters != self._filter.filters:
            self._filter = FilterChain(filters)
        return [self._filter]

    def copy_to_clipboard(self, text: str) -> None:
        """Copy to the terminal's clipboard; `copy_text` reports first why that is not possible."""
        from flagtui.app.terminal.clipboard import clipboard_sequence

        self._clipboard = text
        if self._driver is not None:
            self._driver.write(clipboard_sequence(text, os.environ))

    def show_live(self) -> None:
        """Draw from now on; until then the screen of the last run stays, which beats an empty list."""
        if self._waits_for_rows:
            self._waits_for_rows = False
            self.repaint()

    def has_frame_worth_keeping(self) -> bool:
        """Return whether the screen shows the list of the next start, complete and live."""
        return False

    def next_start(self) -> object:
        """Return the first screen of the next start, to compare it with this one."""
        return None

    def remember_frame(self) -> None:
        """Store the frame before another screen covers it: the next start may begin with it."""
        encoder = self._encoder
        if encoder is None or not self._is_up or self.is_headless or self._drawn != self.next_start():
            return
        if self.has_frame_worth_keeping() and not self.screen.query("Toast"):
            self._start_frame = StartFrame(self._drawn, encoder.shown_lines(), time.time())

    def exit(
        self, result: ReturnType | None = None, return_code: int = 0, message: RenderableType | None = None
    ) -> None:
        if self._is_up and self._encoder is not None and not self.is_headless:
            self.remember_frame()
            frame = self._start_frame
            if frame is not None and frame.begins_with == self.next_start():
                keep_frame(*self._encoder.whole_frame(frame.rows), shown_at=frame.shown_at)
            elif self.is_frame_stale:
                drop_frame()
        super().exit(result, return_code, message)
        if self.ENDS_PROGRAM and IS_POSIX and not self.is_headless and self._driver is not None:
            signals.end_at_last(return_code, lambda: self.has_left, self._found_terminal)

    async def on_event(self, event: events.Event) -> None:
        if isinstance(event, events.Resize) and self._encoder is not None:
            self._encoder.forget()
        if self._early.keep(event):
            return
        if self._leaves_out(event):
            return
        if isinstance(event, events.InputEvent) and not self.screen.is_mounted:
            # What was typed behind the key that opened it is for this screen, which has no parts yet.
            await self.screen._mounted_event.wait()
        if isinstance(event, events.Key) and not event.is_forwarded:
            self.show_live()
            for key in self._keys_of(event):
                if not await self._obey(key):
                    await super().on_event(key)
        else:
            await super().on_event(event)

    def _leaves_out(self, event: events.Event) -> bool:
        """Return whether a key was pressed before a ctrl+q that overtakes it, or behind lost keys."""
        if not isinstance(event, events.InputEvent | events.Paste):
            return False
        if isinstance(event, events.Key) and event.key == "ctrl+q":
            self._forgets_keys = False
            return False
        return self._forgets_keys or event.time < self._typed_after

    def forget_keys(self) -> None:
        """Drop the keys pressed before a ctrl+q that was read. Can be called in any thread."""
        self._forgets_keys = True

    def forget_typed(self) -> None:
        """Drop the input that was read and not handled yet, except ctrl+q."""
        self._typed_after = events.Event().time

    def leave_if_stalled(self, is_full: Callable[[], bool]) -> None:
        """Do not wait for a terminal that takes no output: ctrl+q is not heard then. From any thread."""
        if self._loop is not None:
            signals.end_if_stalled(self._loop, is_full, self._found_terminal)

    def report_lost_keys(self) -> None:
        """Report keys that the watchdog read while the app did not respond, if a screen can show it."""

    def _keys_of(self, event: events.Key) -> tuple[events.Key, ...]:
        """Escape and a letter in one packet look like alt and the letter. They are two keys in a list and its
        search line, where nothing is lost by an Escape, unless something is bound to the one."""
        held, _, _ = event.key.rpartition("+")
        letter = event.character
        is_list = isinstance(self.focused, RowList | SearchLine)
        if not is_list or held not in ("alt", "alt+shift") or letter is None:
            return (event,)
        if event.key in self.screen.active_bindings:
            return (event,)
        return events.Key("escape", "\x1b"), events.Key(letter, letter)

    async def _obey(self, event: events.Key) -> bool:
        """Run a command of a list before the next key of the same packet is read.

        Textual would let it climb up from the list first, and a search line opened meanwhile overtake it.
        """
        if not isinstance(self.focused, RowList):
            return False
        is_done = await self._check_bindings(event.key, priority=True)
        return is_done or await self._check_bindings(event.key)

    def on_load(self) -> None:
        self.app_resume_signal.subscribe(self, lambda _: self.repaint())

    def on_mount(self) -> None:
        if IS_POSIX and not self.is_headless:
            leave = lambda code: self.exit(return_code=code)  # noqa: E731
            signals.SignalWatch(self.keep_edits, leave, self._found_terminal).start()

    def keep_edits(self) -> None:
        """Store what the user entered and did not save: the program ends without being left."""

    def on_ready(self) -> None:
        """Handle early keys once the first screen is drawn and has its focus, which decides their meaning."""
        self.screen.call_after_refresh(self.call_later, self._give_back_early_keys)

    def stop(self) -> bool:
        """Give the terminal to the shell until it brings the program back; False where no shell waits."""
        if not IS_POSIX or self.is_headless:
            return False
        if not signals.has_shell():
            return False
        with self.suspend():
            signals.stop_until_continued()
        return True

    async def _give_back_early_keys(self) -> None:
        self._is_up = True
        self.set_timer(LONGEST_WAIT, self.show_live)
        for event in self._early.release():
            self.show_live()
            await self.on_event(event)
        self.call_after_refresh(self.begin)

    def begin(self) -> object:
        """Run what waits for the first screen, then the keys typed before it."""

    def _display(self, screen: Screen[object], renderable: RenderableType | None) -> None:
        """Write a frame that the encoder knows to the terminal; leave all others to Textual."""
        driver, encoder = self._driver, self._encoder
        is_shown = self._running and not self._closed and not self._batch_count
        if renderable is None or encoder is None or driver is None or not is_shown or self.is_headless:
            super()._display(screen, renderable)
        elif self._waits_for_rows:
            self.post_display_hook()
        elif isinstance(renderable, KNOWN_FRAMES):
            sent = encoder.encode(*self.size, patches_of(renderable))
            self._drawn = self.next_start()
            if sent:
                self._begin_update()
                driver.write(sent + self._cursor_address())
                self._end_update()
                driver.flush()
            self.post_display_hook()
        else:
            encoder.forget()
            super()._display(screen, renderable)

    def _cursor_address(self) -> str:
        """Return where the terminal's own cursor waits: input methods and screen readers look there."""
        x, y = self.screen.outer_size.clamp_offset(self.terminal_cursor)
        return f"\x1b[{y + 1};{x + 1}H"

    @property
    def terminal_cursor(self) -> Offset:
        """The line under the cursor of the focused widget, or the insertion point in a field."""
        focused = self.focused
        if isinstance(focused, Widget) and isinstance(focused, HasCursorLine) and focused.cursor_line >= 0:
            return focused.content_region.offset + Offset(0, focused.cursor_line)
        return self.cursor_position
