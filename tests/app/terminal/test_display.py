"""The way of a frame to the terminal, and keys typed before the first one."""

from types import SimpleNamespace
from typing import Any

from tests.doubles.quiet import run_quietly
from textual import events
from textual.app import App, ComposeResult
from textual.widgets import Input, Label

from flagtui.app.terminal.output import SWITCH, make_encoder, patches_of
from flagtui.app.terminal.terminal_app import EarlyKeys, TerminalApp


class Small(TerminalApp[None]):
    def compose(self) -> ComposeResult:
        yield Label("hello")
        yield Input()


async def test_frames_become_patches_of_their_lines() -> None:
    app = Small()
    async with run_quietly(app, size=(20, 5)) as pilot:
        await pilot.pause()
        frame = app.screen._compositor.render_update(full=True)
        patches = list(patches_of(frame))
        assert sorted({patch.y for patch in patches}) == [0, 1, 2, 3, 4]
        first = [segment.text for patch in patches if patch.y == 0 for segment in patch.segments]
        assert "".join(first).rstrip() == "hello"
        label = app.query_one(Label)
        label.refresh()
        app.screen._compositor.update_widgets({label})
        frame = app.screen._compositor.render_update()
        assert {patch.y for patch in patches_of(frame)} == {0}


def test_the_encoder_can_be_switched_off() -> None:
    for setting, is_on in (({}, True), ({SWITCH: "0"}, True), ({SWITCH: "1"}, False)):
        assert (make_encoder(App(), setting) is not None) == is_on


def test_encoder_needs_every_private_part_of_textual() -> None:
    assert make_encoder(App(), {}) is not None, "this Textual needs a look before it is allowed"
    stranger: Any = SimpleNamespace(console=App().console)
    assert make_encoder(stranger, {}) is None


def test_early_keys_come_back_once_and_in_order() -> None:
    early = EarlyKeys()
    keys: list[events.Event] = [events.Key(key, key) for key in "/ab"]
    assert all(early.keep(key) for key in keys)
    assert not early.keep(events.Focus())
    assert early.release() == keys
    assert not early.keep(keys[0])
    assert early.release() == []
