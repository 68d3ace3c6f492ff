"""The smallest Textual app: what every other figure is a ratio to."""

from textual.app import App, ComposeResult
from textual.widgets import Label


class Hello(App[None]):
    def compose(self) -> ComposeResult:
        yield Label("hello world")


Hello().run()
