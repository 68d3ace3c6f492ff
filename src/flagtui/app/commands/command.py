"""What one command is: something a person can do, with a name and a key."""

from typing import Any, Final, Literal

from msgspec import Struct
from textual.app import App
from textual.binding import Binding

Place = Literal[
    "everywhere",
    "lists",
    "flags",
    "flag",
    "experiments",
    "experiment",
    "days",
    "events",
    "event",
    "inbox",
    "journal",
    "json",
    "history",
    "activity",
    "definitions",
    "deleted",
    "form",
]
SIGNS: Final = {
    "at": "@",
    "colon": ":",
    "enter": "⏎",
    "equals_sign": "=",
    "escape": "esc",
    "exclamation_mark": "!",
    "greater_than_sign": ">",
    "less_than_sign": "<",
    "minus": "-",
    "number_sign": "#",
    "percent_sign": "%",
    "plus": "+",
    "question_mark": "?",
    "slash": "/",
}
"""Keys by the names the terminal library has for them, as a person reads them."""


class Command(Struct, frozen=True):
    """One thing a person can do. `keys` are Textual key names, separated by commas."""

    id: str
    keys: str
    title: str
    """The word beside the key on the last line."""
    action: str
    help: str
    """One sentence for the palette and the help screen."""
    places: tuple[Place, ...]
    """Where it works; the first is where it belongs."""
    shown: bool = False
    """Whether it comes first on the last line of the screen; the others follow where there is room."""
    writes: bool = False
    turns_keys: bool = False
    """Whether it changes what the keys after it mean. Such a key is obeyed before the next one is looked at:
    over a slow link `/` and a word arrive together."""

    needs_server: bool = False
    """Whether it does nothing without a connection, as every command that writes."""
    needs_row: bool = True
    """Whether it is about a row of the list it is given in, where it needs the server."""

    @property
    def verb(self) -> str:
        """The name of its action without parameters and without the app it may belong to."""
        return self.action.removeprefix("app.").partition("(")[0]

    def binding(self) -> Binding:
        """The same as Textual wants it; the id is what a keymap names."""
        return Binding(
            self.keys,
            self.action,
            self.title,
            show=self.shown,
            key_display=SIGNS.get(self.keys.partition(",")[0]),
            id=self.id,
            tooltip=self.help,
            priority=self.turns_keys,
        )


def display_key(app: App[Any], binding: Binding) -> str:
    """The key as a person reads it: `space`, `⏎`, `ctrl+a`, `F5`."""
    return binding.key_display or app.get_key_display(binding)
