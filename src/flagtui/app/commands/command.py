"""What one command is: something a person can do, with a name and a key."""

from dataclasses import dataclass
from typing import Any, Literal

from textual.app import App
from textual.binding import Binding

Place = Literal[
    "everywhere",
    "lists",
    "flags",
    "flag",
    "experiments",
    "experiment",
    "events",
    "event",
    "inbox",
    "journal",
    "json",
    "history",
    "who",
    "activity",
    "definitions",
    "lookup",
    "form",
]


@dataclass(frozen=True)
class Command:
    """One thing a person can do. `keys` are Textual key names, separated by commas."""

    id: str
    keys: str
    title: str
    """The word beside the key on the last line."""
    help: str
    """One sentence for the palette and the help screen."""
    action: str
    place: Place
    shown: bool = False
    """Whether the last line of the screen has room for it."""
    writes: bool = False
    key_display: str | None = None
    also: tuple[Place, ...] = ()
    """Other places where it works."""
    turns_keys: bool = False
    """Whether it changes what the keys after it mean. Such a key is obeyed before the next one is looked at:
    over a slow link `/` and a word arrive together."""

    @property
    def places(self) -> tuple[Place, ...]:
        """Where it works."""
        return (self.place, *self.also)

    def binding(self) -> Binding:
        """The same as Textual wants it; the id is what a keymap names."""
        return Binding(
            self.keys,
            self.action,
            self.title,
            show=self.shown,
            key_display=self.key_display,
            id=self.id,
            tooltip=self.help,
            priority=self.turns_keys,
        )


def display_key(app: App[Any], binding: Binding) -> str:
    """The key as a person reads it: `space`, `⏎`, `ctrl+a`, `F5`."""
    return binding.key_display or app.get_key_display(binding)
