"""Input after keys that the watchdog read: the rest of a paste is dropped, typed keys are not."""

from tests.doubles.quiet import run_quietly
from tests.doubles.turned_clock import TurnedClock
from textual import events

from flagtui.app.terminal.lost_paste import PAUSE, LostPaste
from flagtui.app.terminal.quiet_driver import END_PASTE, QUIT
from flagtui.app.terminal.terminal_app import TerminalApp


def begin_lost_paste(clock: TurnedClock) -> LostPaste:
    paste = LostPaste(QUIT, END_PASTE, clock.monotonic)
    paste.begin()
    return paste


def test_lost_paste_ends_with_its_marker_or_a_pause() -> None:
    clock = TurnedClock(0.0)
    paste = begin_lost_paste(clock)
    for _ in range(3):
        assert paste.sift(b"dy") == b""
        clock.turn(PAUSE * 0.9)
    assert paste.sift(b"d" + END_PASTE + b"j") == END_PASTE + b"j"
    assert paste.sift(b"k") == b"k"
    clock = TurnedClock(0.0)
    paste = begin_lost_paste(clock)
    clock.turn(PAUSE)
    assert paste.sift(b"j") == END_PASTE + b"j"
    assert paste.sift(b"k") == b"k"


def test_input_passes_while_nothing_is_lost_and_ctrl_q_always() -> None:
    assert LostPaste(QUIT, END_PASTE).sift(b"dy") == b"dy"
    assert begin_lost_paste(TurnedClock(0.0)).sift(b"dy" + QUIT) == END_PASTE + QUIT


class Pressed(TerminalApp[None]):
    """Remembers what is pressed."""

    def __init__(self) -> None:
        super().__init__()
        self.keys: list[str] = []

    def on_key(self, event: events.Key) -> None:
        self.keys.append(event.key)


async def test_keys_read_before_the_loss_are_left_out() -> None:
    app = Pressed()
    async with run_quietly(app) as pilot:
        read = events.Key("d", "d"), events.Key("y", "y")
        app.forget_typed()
        for event in (*read, events.Key("j", "j")):
            app.post_message(event)
        await pilot.pause()
        assert app.keys == ["j"]
