"""The editor of several lines: keys of one packet keep their order."""

from collections.abc import Sequence

from tests.doubles.quiet import run_quietly
from textual import events
from textual.app import App, ComposeResult

from flagtui.app.widgets.text_editor import TextEditor


class EditorApp(App[None]):
    def compose(self) -> ComposeResult:
        yield TextEditor("old")


async def text_after(*packet: events.Event) -> str:
    """The text after events that arrived together."""
    app = EditorApp()
    async with run_quietly(app) as pilot:
        editor = app.query_one(TextEditor)
        editor.focus()
        for event in packet:
            app.post_message(event)
        await pilot.pause()
        return editor.text


def keys(text: Sequence[str]) -> list[events.Event]:
    return [events.Key(key, key if len(key) == 1 else None) for key in text]


async def test_keys_pastes_and_deletions_keep_their_order() -> None:
    assert await text_after(*keys(["home", "ctrl+k", *"new value"])) == "new value"
    assert await text_after(*keys(["end", "enter", "tab", "a", "enter", "b"])) == "old\n    a\nb"
    assert await text_after(*keys(["end", *"er", "backspace", "s"])) == "oldes"
    assert await text_after(*keys(["end"]), events.Paste("\n{\n}"), *keys(["x"])) == "old\n{\n}x"
