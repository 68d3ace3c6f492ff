"""Textual's driver for POSIX terminals, with an input thread that sleeps until there is something to read.

Textual's own looks ten times a second, which keeps a laptop awake, makes quitting wait for the next look, and
spins when the terminal is gone.
"""

import os
import select
import selectors
import signal
import termios
from asyncio import TimerHandle
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, ClassVar, Final, Protocol, runtime_checkable

from textual._xterm_parser import XTermParser
from textual.driver import Driver
from textual.drivers.linux_driver import LinuxDriver
from textual.events import Key

from flagtui.app.terminal.first_frame import hand_over

if TYPE_CHECKING:
    from flagtui.app.terminal.lost_paste import LostPaste
    from flagtui.app.terminal.watchdog import Watchdog

QUIT: Final = b"\x11"
ESCAPE: Final = b"\x1b"
BEGIN_PASTE: Final = b"\x1b[200~"
END_PASTE: Final = b"\x1b[201~"
ENTER_SCREEN: Final = "\x1b[?1049h"
SCREEN: Final = 2
"""Textual draws on standard error."""
READ_BYTES: Final = 4096
FLOOD: Final = 1024
"""Bytes, or keys that wait, from which no person typed them one after the other."""
MOST_BYTES: Final = 4 * 2**20
"""Bytes of a flood read at once, before any of them is parsed."""
MORE_SECONDS: Final = 0.01
"""How long more of a flood may take to come."""
ESCAPE_SECONDS: Final = 0.1
"""How long after input the parser may still be waiting to learn whether an Escape comes alone."""
OF_A_MAC: Final = "1234567890-="
"""Keys that Textual, behind an Escape, reads as the characters `¡™£¢∞§¶•ªº–≠` of a Mac's keyboard."""
BY_WORDS: Final = "fb"
"""Keys that it reads there as Ctrl and an arrow, which move by a word where text is typed."""


@runtime_checkable
class LeftByKey(Protocol):
    """An app that ctrl+q leaves, whatever was pressed before and whether or not it can draw."""

    def forget_keys(self) -> None: ...

    def forget_typed(self) -> None: ...

    def leave_if_stalled(self, is_full: Callable[[], bool]) -> None: ...

    def report_lost_keys(self) -> None: ...


class KeyParser(XTermParser):
    """Reads an Escape and a character in one packet as Alt and the character: in a list they are two keys."""

    def _sequence_to_key_events(self, sequence: str, alt: bool = False) -> Iterable[Key]:
        if len(sequence) > 1 and sequence[0] == "\x1b" and sequence[1:] in OF_A_MAC + BY_WORDS:
            sequence, alt = sequence[1:], True
        return super()._sequence_to_key_events(sequence, alt)


class PastedText:
    """Removes escape characters from pasted text: Textual reads what follows one as keys, which act."""

    def __init__(self) -> None:
        self._is_inside = False
        self._before = b""
        """The last input outside a paste, which may begin one."""
        self._held = b""
        """The last input of a paste, which may end it."""

    def sift(self, data: bytes) -> bytes:
        """Return input without the escape characters in pastes; one may come in many parts."""
        passed, data = b"", self._held + data
        self._held = b""
        while data:
            if self._is_inside:
                text, end, data = data.partition(END_PASTE)
                if not end:
                    size = len(text) - _shared_length(text, END_PASTE)
                    text, self._held = text[:size], text[size:]
                passed += text.replace(ESCAPE, b"") + end
                self._is_inside = not end
                continue
            earlier = len(self._before)
            head, start, data = (self._before + data).partition(BEGIN_PASTE)
            passed += (head + start)[earlier:]
            self._is_inside = bool(start)
            self._before = b"" if start else head[-_shared_length(head, BEGIN_PASTE) or len(head) :]
        return passed


def _shared_length(text: bytes, mark: bytes) -> int:
    """Return how many bytes at the end of the text begin the mark."""
    return next((size for size in range(len(mark) - 1, 0, -1) if text.endswith(mark[:size])), 0)


class QuietDriver(LinuxDriver):
    """Wakes up for input, for the end, and once after input; nothing else."""

    WATCHED_AFTER: ClassVar = 1.0
    """Seconds with the screen after which a watchdog is started: the first rows have all of the machine."""
    SILENCE: ClassVar = 2.0
    """Seconds without a heartbeat after which the watchdog obeys SIGTERM, SIGHUP and ctrl+q."""
    _starting: TimerHandle | None = None
    _watchdog: "Watchdog | None" = None

    _ended = _end = -1
    """The two ends of a pipe; a byte in it ends the input thread."""

    _has_frame = False
    _sift: Callable[[bytes], bytes] = bytes
    """Removes the terminal's answers to queries from the input."""

    _lost: "LostPaste | None" = None
    """What follows keys that the watchdog has read; None while it has read none."""

    _is_stopped = _is_signalled = False
    _came: frozenset[int] = frozenset()
    """The signals, of a stop and a continue, since the last handled one. Their order is not known: Python
    handles signals when it has time, by their numbers."""

    def start_application_mode(self) -> None:
        self._ended, self._end = os.pipe()
        self._pasted = PastedText()
        self._has_frame = hand_over()
        super().start_application_mode()  # type: ignore[no-untyped-call]
        self._starting = self._loop.call_later(self.WATCHED_AFTER, self._watch)

    def stop_application_mode(self) -> None:
        if self._starting is not None:
            self._starting.cancel()
        if self._watchdog is not None:
            self._watchdog.close()
            self._watchdog = None
        super().stop_application_mode()

    def _watch(self) -> None:
        if self.attrs_before is not None and isinstance(self._app, LeftByKey):
            from flagtui.app.terminal.watchdog import start_watchdog

            self._watchdog = start_watchdog(self.SILENCE, self.attrs_before, self._lose_keys)

    def _lose_keys(self) -> None:
        """Drop the input after keys that the watchdog has read, and let the app report it."""
        # Loaded here, since the watchdog almost never reads a key.
        from flagtui.app.terminal.lost_paste import LostPaste

        self._lost = self._lost or LostPaste(QUIT, END_PASTE)
        self._lost.begin()
        with suppress(OSError, termios.error):
            termios.tcflush(self.fileno, termios.TCIFLUSH)
        if isinstance(self._app, LeftByKey):
            self._app.forget_typed()
            self._app.report_lost_keys()

    def _get_terminal_size(self) -> tuple[int, int]:
        """Return the size of the terminal with the screen; for `$(flagtui pick)` that is not the output."""
        with suppress(OSError, ValueError):
            width, height = os.get_terminal_size(SCREEN)
            if width and height:
                return width, height
        return super()._get_terminal_size()

    def write(self, data: str) -> None:
        """Write to the terminal, but do not clear a frame that is already on the alternate screen."""
        if self._has_frame and data == ENTER_SCREEN:
            self._has_frame = False
            return
        super().write(data)

    def run_input_thread(self) -> None:
        """Read keys until asked to end. A terminal that is gone ends the program as SIGTERM does."""
        parser = KeyParser(self._debug)
        decode = getincrementaldecoder("utf-8")(errors="replace").decode
        pause: float | None = None
        # Loaded before this module where the terminal was asked anything.
        from flagtui.app.terminal.background import ANSWERS

        self._sift = ANSWERS.sift
        early, ANSWERS.typed = decode(self._pasted.sift(ANSWERS.typed)), b""
        for event in parser.feed(early) if early else ():
            self.process_message(event)
        with selectors.SelectSelector() as selector:
            selector.register(self.fileno, selectors.EVENT_READ)
            selector.register(self._ended, selectors.EVENT_READ)
            while not self.exit_event.is_set():
                ready = [key.fd for key, _ in selector.select(pause)]
                if self._ended in ready:
                    os.read(self._ended, 1)
                    return
                if ready and not self._has_input():
                    # The watchdog has read it, after seconds without the interpreter lock.
                    continue
                if ready and not self._take(parser, decode):
                    os.kill(os.getpid(), signal.SIGTERM)
                    return
                for event in parser.tick():
                    self.process_message(event)
                pause = ESCAPE_SECONDS if ready else None

    def _sigtstp_application(self, *_: object) -> None:
        """Stop in the next round of the loop: the interrupted code may hold a lock that stopping needs."""
        if self._auto_restart:
            self._follow_soon(signal.SIGTSTP)
        else:
            os.kill(os.getpid(), signal.SIGSTOP)

    def _sigcont_application(self, *_: object) -> None:
        """Go on; without a stop of ours something else stopped us, and the screen may be anyone's."""
        if self._auto_restart:
            self._follow_soon(signal.SIGCONT)

    def _follow_soon(self, number: int) -> None:
        self._came |= {number}
        if not self._is_signalled and not self._is_stopped and not self._loop.is_closed():
            self._is_signalled = True
            self._loop.call_soon_threadsafe(self._follow_signals)

    def _follow_signals(self) -> None:
        """Give the terminal back, stop unless it may be over by then, and take the terminal again."""
        self._is_signalled = False
        if self._app._exit:
            return
        self.suspend_application_mode()
        came, self._came = self._came, frozenset()
        # A stop that is lost can be sent again; one that was continued before it began would last for ever.
        if came == {signal.SIGTSTP}:
            self._is_stopped = True
            os.kill(os.getpid(), signal.SIGSTOP)
            self._is_stopped, self._came = False, frozenset()
        self._must_signal_resume = True
        self.resume_application_mode()

    def disable_input(self) -> None:
        if not self.exit_event.is_set() and self._key_thread is not None and self._key_thread.is_alive():
            os.write(self._end, b"\0")
        super().disable_input()

    def close(self) -> None:
        super().close()
        for end in {self._ended, self._end} - {-1}:
            os.close(end)
        self._ended = self._end = -1

    def _is_full(self) -> bool:
        """Return whether so much output is pending that writing more blocks."""
        return self._writer_thread is not None and self._writer_thread._queue.full()

    def _has_input(self, seconds: float = 0.0) -> bool:
        return bool(select.select([self.fileno], [], [], seconds)[0])

    def _take(self, parser: XTermParser, decode: Any) -> bool:
        """Read once and pass on the keys; return False if the terminal is gone."""
        data = b""
        with suppress(OSError):
            data = os.read(self.fileno, READ_BYTES)
            while FLOOD <= len(data) < MOST_BYTES and self._has_input(MORE_SECONDS):
                data += os.read(self.fileno, READ_BYTES)
        if data.endswith(QUIT) and max(len(data), self._app.message_queue_size) >= FLOOD:
            # A person who leaves behind a flood of held keys, or a paste, does not want them obeyed first.
            data = (END_PASTE if END_PASTE in data else b"") + QUIT
            if isinstance(self._app, LeftByKey):
                self._app.forget_keys()
        typed = self._sift(data if self._lost is None else self._lost.sift(data))
        text = decode(self._pasted.sift(typed))
        for event in parser.feed(text) if text else ():
            if isinstance(event, Key) and event.key == "ctrl+q" and isinstance(self._app, LeftByKey):
                if self._watchdog is not None:
                    self._watchdog.report_quit()
                self._app.leave_if_stalled(self._is_full)
            self.process_message(event)
        return bool(data)


def quiet(driver: type[Driver]) -> type[Driver]:
    """Return the quiet driver in place of the one it is made from; any other as it is."""
    return QuietDriver if driver is LinuxDriver else driver
