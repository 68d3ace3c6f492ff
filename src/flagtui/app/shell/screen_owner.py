"""The one owner of the stack of screens, and what a fault of ours costs: a screen, not the session."""

import asyncio
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any, ClassVar, Final

from textual import events, on
from textual._context import active_message_pump
from textual.app import ReturnType
from textual.await_complete import AwaitComplete
from textual.dom import DOMNode
from textual.geometry import Size
from textual.message_pump import MessagePump
from textual.screen import ModalScreen, Screen
from textual.timer import Timer
from textual.widget import AwaitMount, Widget
from textual.worker import Worker, WorkerFailed, get_current_worker

from flagtui.app.commands.command_table import signs_of
from flagtui.app.shell.toasts import drop_stale, make_way, show_toast
from flagtui.app.terminal.terminal_app import TerminalApp
from flagtui.app.widgets.field import Field
from flagtui.app.widgets.screen_lifecycle import (
    Lifecycle,
    LivingWorkers,
    is_living,
    keep_all_edits,
    screen_of,
    until_closed,
)
from flagtui.text.key_signs import name_keys
from flagtui.text.styled import Notice

SMALLEST: Final = (40, 8)
"""Columns and lines below which nothing can be shown."""
KEPT: Final = 2
"""Screens that stay at the bottom: Textual's own blank one, and a list."""
IN_A_ROW: Final = 5.0
"""Seconds after a fault within which another one ends the program: then closing a screen has not helped."""

MOST_LEFT: Final = 16
"""Closed screens that may wait for a rest; for a short one, sixteen times as many."""


class ScreenOwner(TerminalApp[ReturnType]):
    """Pushes no screen twice, pops no list, and closes the screen that a fault belongs to."""

    REST: ClassVar = 2.0
    """Seconds without a key, after which a tenth of a second for collecting garbage is not felt."""
    SHORT_REST: ClassVar = 1.0
    """The same after many closed screens."""
    LONG_REST: ClassVar = 60.0
    """Seconds without a key, after which a collection beside heavy records hardly meets one."""

    def __init__(self, *, ansi_color: bool | None = None) -> None:
        super().__init__(ansi_color=ansi_color)
        name_keys({})
        self._workers = LivingWorkers(self)
        self._closed_screens, self._last_fault = 0, -IN_A_ROW
        self._cover: Screen[Any] | None = None
        self._blocks_at_start = sys.getallocatedblocks()
        self._collecting: Timer | None = None
        self.last_words = ""
        """Text to print on the terminal after the screen is gone."""

    # For the app that is built on it.

    def keep_report(self, fault: BaseException) -> Path | None:
        """Write down what happened; None where that cannot be done."""
        return None

    def words_about_open_changes(self) -> str:
        """Return the sentence about changes in flight when a fault ends the program; empty without any."""
        return ""

    def renew_list(self, screen: Screen[Any]) -> None:
        """Put another list in the place of this one, which cannot go on."""

    def recover_worker(self, worker: Worker[Any]) -> None:
        """Begin again what a worker of the app did until a fault ended it, where that must go on."""

    def set_keymap(self, keymap: Mapping[str, str]) -> None:
        """Use the keys that the user chose, and name them in every sentence."""
        super().set_keymap(dict(keymap))
        name_keys(signs_of(keymap))

    # Toasts

    def report_lost_keys(self) -> None:
        words = "flagtui did not respond for a while; keys pressed in that time were lost"
        show_toast(self, Notice(words, "warning"))

    def action_help_quit(self) -> None:
        """Answer `ctrl+c`, which copies selected text, with the key that quits."""
        bindings = self.screen.active_bindings.items()
        for key in [key for key, active in bindings if active.binding.action in ("quit", "app.quit")][:1]:
            show_toast(self, Notice(f"ctrl+c does not quit; {key} does"))

    @on(Field.NotPasted)
    def _report_not_pasted(self, message: Field.NotPasted) -> None:
        show_toast(self, Notice(message.why, "warning", "not pasted"))

    def _refresh_notifications(self) -> None:
        """Remove stale toasts with their containers, which Textual leaves on the screen."""
        drop_stale(self)
        super()._refresh_notifications()

    # Screens

    def push_screen(  # type: ignore[override]  # what Textual declares are overloads of this
        self, screen: Screen[Any] | str, callback: Any = None, wait_for_dismiss: bool = False, **options: Any
    ) -> AwaitMount | asyncio.Future[Any]:
        """Open a screen, unless it is open already: a key pressed twice while it is prepared opens one."""
        if isinstance(screen, Lifecycle) and self._is_open(screen):
            if not wait_for_dismiss:
                return AwaitMount(self.screen, [])
            refused = asyncio.get_running_loop().create_future()
            refused.set_result(None)
            return refused
        self.remember_frame()
        if isinstance(screen, ModalScreen):
            # They would cover its field and its choices.
            make_way(self)
        opened = super().push_screen(screen, callback, wait_for_dismiss, **options)  # type: ignore[call-overload]
        if (cover := self._cover) in self.screen_stack[:-1] and cover is not None:
            # What opens while nothing can be read opens below.
            self._screen_stack.remove(cover)
            self._screen_stack.append(cover)
            cover.refresh()
        return opened  # type: ignore[no-any-return]

    def _is_open(self, screen: Lifecycle[Any]) -> bool:
        others = self.screen_stack if screen.IS_SINGLE else self.screen_stack[-1:]
        return any(type(other) is type(screen) and other.opened_for == screen.opened_for for other in others)

    def pop_screen(self) -> AwaitComplete:
        """Close the screen on top; a list is never closed."""
        if len(self.screen_stack) <= KEPT:
            return AwaitComplete()
        self._collect_soon()
        return super().pop_screen()

    def switch_screen(self, screen: Screen[Any] | str) -> AwaitComplete:
        """Show another list; the lines that the one before has drawn are in cycles too."""
        self._collect_soon()
        return super().switch_screen(screen)

    def _collect_soon(self) -> None:
        """Collect closed screens soon: thousands of objects in cycles that Python collects too rarely."""
        self._closed_screens += 1
        if self._closed_screens >= 16 * MOST_LEFT:
            self._collect()
        elif self._closed_screens in (1, MOST_LEFT):
            self._collect_after(self.REST if self._closed_screens == 1 else self.SHORT_REST)

    def _collect_after(self, rest: float) -> None:
        if self._collecting is not None:
            self._collecting.stop()
        self._collecting = self.set_timer(rest, self._collect)

    def _collect(self, *, is_long_rest: bool = False) -> None:
        """Collect garbage; beside heavy records, which would keep keys waiting, after a long rest."""
        from flagtui.app.shell.garbage import GARBAGE

        if self._collecting is not None:
            self._collecting.stop()
        self._closed_screens, self._collecting = 0, None
        if GARBAGE.can_wait(self._blocks_at_start) and not is_long_rest:
            self._collecting = self.set_timer(self.LONG_REST, partial(self._collect, is_long_rest=True))
        else:
            GARBAGE.collect()

    async def on_event(self, event: events.Event) -> None:
        if self._collecting is not None and isinstance(event, events.InputEvent):
            self._collecting.reset()
        await super().on_event(event)

    def close_screen(self, screen: Screen[Any]) -> None:
        """Close a screen and all above it; callers that wait for a result get None."""
        while screen in self.screen_stack[KEPT:]:
            self.pop_screen()

    def uncover_list(self) -> None:
        """Close everything above the list."""
        for screen in self.screen_stack[KEPT : KEPT + 1]:
            self.close_screen(screen)

    def on_resize(self, event: events.Resize) -> None:
        self.fit(event.size)

    @property
    def _background_screens(self) -> list[Screen[Any]]:
        """Below the cover nothing is laid out or drawn: in a few cells a layout may never come to rest."""
        return [] if self._cover is not None and self.screen is self._cover else super()._background_screens

    def fit(self, size: Size) -> None:
        """Cover everything where nothing can be read; before there is a list, there is nothing to cover."""
        if len(self.screen_stack) < KEPT:
            return
        if size.width >= SMALLEST[0] and size.height >= SMALLEST[1]:
            self.cover(None)
        else:
            from flagtui.app.widgets.dialog import TooSmallScreen

            self.cover(TooSmallScreen(SMALLEST))

    def cover(self, screen: Screen[Any] | None) -> None:
        """Lay a screen over everything, or, with None, take it away from wherever it is by now."""
        cover = self._cover
        if screen is not None and cover not in self.screen_stack:
            self._cover = screen
            self.push_screen(screen)
        elif screen is None and cover is not None:
            self._cover = None
            self._take_away(cover)
            for uncovered in (self.screen, *self._background_screens):
                uncovered.post_message(events.Resize(self.size, self.size))

    def _take_away(self, screen: Screen[Any]) -> None:
        if screen is self.screen:
            self.pop_screen()
        elif screen in self.screen_stack:
            screen._pop_result_callback()
            self._screen_stack.remove(screen)
            self.call_next(self._replace_screen, screen)

    async def _dispatch_action(self, namespace: DOMNode, action_name: str, params: Any) -> bool:
        """Run the command of a key or a click, unless its screen is closed or has no parts yet."""
        if isinstance(namespace, Widget) and not (namespace.is_mounted and is_living(namespace)):
            return False
        return await super()._dispatch_action(namespace, action_name, params)

    # Faults, and other ends that the user did not choose

    def keep_edits(self) -> None:
        if kept := keep_all_edits(self.screen_stack):
            self.last_words = f"ended by a signal. {kept}"

    async def _process_messages_loop(self) -> None:
        await until_closed(self, super()._process_messages_loop)

    def _handle_exception(self, error: Exception) -> None:
        """Handle an exception that nothing caught, in the context that raised it, for Textual."""
        if isinstance(error, WorkerFailed) and isinstance(error.error, Exception):
            worker = get_current_worker()
            self.contain(error.error, worker.node, worker)
        else:
            self.contain(error, active_message_pump.get(self))

    def contain(self, fault: Exception, node: MessagePump, worker: Worker[Any] | None = None) -> None:
        """Close the screen of the fault and report it; the second fault in a row ends the program."""
        if not is_living(node):
            return
        now, before = monotonic(), self._last_fault
        self._last_fault = now
        if not self._is_up or now - before < IN_A_ROW:
            super()._handle_exception(fault)
            return
        if self.is_headless and self._exception is None:
            # A test that meets a fault must not pass.
            self._exception = fault
            self._exception_event.set()
        done = self._give_up(node, worker)
        from flagtui.config.crash_reports import report_place

        where = report_place(self.keep_report(fault))
        title = f"a fault of flagtui's own ({type(fault).__name__})"
        show_toast(self, Notice(f"{done} {where}", "error", title))

    def _give_up(self, node: MessagePump, worker: Worker[Any] | None) -> str:
        """Close the screen of the node, or its replacement."""
        screen = screen_of(node) or (self.screen if worker is None else None)
        if screen in self.screen_stack[KEPT:]:
            kept = keep_all_edits(self.screen_stack[self.screen_stack.index(screen) :])
            self.close_screen(screen)
            return f"The screen was closed; the list is still here. {kept}".rstrip()
        if worker is not None:
            if node is self:
                self.recover_worker(worker)
            return "The running task was cancelled; the screen stays."
        if node is not self and screen is not None:
            self.renew_list(screen)
            return "The list was opened again."
        return "The command of that key was cancelled."

    def _fatal_error(self) -> None:
        """Leave one sentence on the terminal: the usual traceback would show values, the key among them."""
        error = self._exception
        if error is not None and not self.last_words:
            from flagtui.config.crash_reports import report_place

            where = report_place(self.keep_report(error))
            what = f"stopped because of a fault of its own ({type(error).__name__})."
            open_changes, kept = self.words_about_open_changes(), keep_all_edits(self.screen_stack)
            self.last_words = " ".join(filter(None, (what, open_changes, kept, where)))
        self._close_messages_no_wait()
