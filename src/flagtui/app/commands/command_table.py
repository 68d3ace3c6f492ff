"""Everything a person can do, declared once.

From this table come the bindings, the line of keys, the palette, the help screen, the check of a
person's own keymap and the key table of the README.
"""

from collections.abc import Iterable
from typing import Final

from textual.binding import Binding

from flagtui.app.commands.command import Command, Place
from flagtui.app.commands.flag_commands import FLAG_EDITS, FLAG_LIST, FLAG_READING, FORM
from flagtui.app.commands.record_commands import EVENT_COMMANDS, EXPERIMENT_COMMANDS

SAFETY_COMMANDS: Final[tuple[Command, ...]] = (
    Command("app.profile", "P", "profile", "Switch to another profile", "app.profile", "everywhere"),
    Command(
        "app.journal",
        "J",
        "journal",
        "Your changes from this machine: search them, take any of them back",
        "app.journal",
        "everywhere",
    ),
    Command(
        "app.since",
        "equals_sign",
        "since",
        "What is different in this list since a moment, such as yesterday 18:00",
        "app.since",
        "everywhere",
        key_display="=",
    ),
    Command(
        "app.theme", "f2", "theme", "Another theme: light, dark, high contrast", "app.theme", "everywhere"
    ),
    Command("app.sign_in", "ctrl+l", "sign in", "Sign in with another key", "app.sign_in", "everywhere"),
    Command(
        "journal.undo", "u", "undo", "Take back the change under the cursor", "undo", "journal", True, True
    ),
    Command(
        "journal.copy",
        "y",
        "copy",
        "Copy the change as Markdown to the terminal's clipboard",
        "copy",
        "journal",
        True,
    ),
)


__all__ = ["COMMANDS", "Command", "Place", "bindings_of", "commands_of"]

COMMANDS: Final[tuple[Command, ...]] = (
    Command(
        "flags.toggle",
        "space",
        "on/off",
        "Turn the flag on or off",
        "switch",
        "flags",
        True,
        True,
        also=("flag",),
    ),
    Command(
        "lists.open",
        "enter",
        "open",
        "Open the record under the cursor",
        "open",
        "lists",
        True,
        key_display="⏎",
    ),
    *FLAG_EDITS,
    Command(
        "lists.search",
        "slash",
        "search",
        "Go to the search line",
        "search",
        "lists",
        True,
        key_display="/",
        turns_keys=True,
    ),
    Command(
        "lists.mark", "x", "mark", "Mark or unmark the record under the cursor", "rows('mark')", "lists", True
    ),
    Command(
        "lists.mark_range",
        "X",
        "mark range",
        "Mark from the last mark to the cursor",
        "rows('mark_range')",
        "lists",
    ),
    Command(
        "lists.mark_shown", "ctrl+a", "mark shown", "Mark every record shown, or none", "mark_shown", "lists"
    ),
    Command("lists.sort", "s", "sort", "Sort by the next column", "sort", "lists", True),
    Command("lists.reverse", "S", "reverse", "Turn the order around", "reverse", "lists"),
    Command(
        "lists.copy_key", "y", "copy", "Copy the key to the terminal's clipboard", "copy_key", "lists", True
    ),
    Command(
        "flags.undo", "u", "undo", "Take back your last change", "undo", "flags", True, True, also=("flag",)
    ),
    Command(
        "flags.delete",
        "d",
        "delete",
        "Delete the flag softly; it can be restored",
        "delete",
        "flags",
        True,
        True,
        also=("flag",),
    ),
    *FLAG_READING,
    *FLAG_LIST,
    Command("flags.type", "t", "type", "Filter by type: next value", "cycle('type')", "flags"),
    Command("flags.runtime", "r", "runtime", "Filter by runtime: next value", "cycle('runtime')", "flags"),
    Command("flags.state", "f", "state", "Filter by state: next value", "cycle('is')", "flags"),
    Command("flags.mine", "b", "by me", "Only flags made by me, or by anyone", "cycle('by')", "flags"),
    *EXPERIMENT_COMMANDS,
    *EVENT_COMMANDS,
    Command("lists.preview", "v", "preview", "Show or hide the preview beside the list", "preview", "lists"),
    Command("lists.down", "down,j", "down", "One record down", "rows('cursor_down')", "lists"),
    Command("lists.up", "up,k", "up", "One record up", "rows('cursor_up')", "lists"),
    Command("lists.page_down", "pagedown", "page down", "One page down", "rows('page_down')", "lists"),
    Command("lists.page_up", "pageup", "page up", "One page up", "rows('page_up')", "lists"),
    Command(
        "lists.half_down", "ctrl+d", "half page down", "Half a page down", "rows('half_page_down')", "lists"
    ),
    Command("lists.half_up", "ctrl+u", "half page up", "Half a page up", "rows('half_page_up')", "lists"),
    Command("lists.first", "home,g", "first", "The first record", "rows('first')", "lists"),
    Command("lists.last", "end,G", "last", "The last record", "rows('last')", "lists"),
    Command("app.flags", "1", "flags", "Go to the flags", "app.tab('1')", "everywhere"),
    Command("app.experiments", "2", "experiments", "Go to the experiments", "app.tab('2')", "everywhere"),
    Command("app.events", "3", "events", "Go to the event definitions", "app.tab('3')", "everywhere"),
    Command(
        "app.palette",
        "colon,ctrl+p",
        "palette",
        "Find a command, or jump to a flag by name",
        "app.command_palette",
        "everywhere",
        key_display=":",
    ),
    Command(
        "app.refresh", "f5", "refresh", "Ask the server for everything again", "app.refresh_now", "everywhere"
    ),
    Command("app.project", "p", "project", "Switch to another project", "app.project", "everywhere", True),
    *SAFETY_COMMANDS,
    *FORM,
    Command(
        "app.help",
        "question_mark,f1",
        "help",
        "The keys and words of this screen",
        "app.help",
        "everywhere",
        True,
        key_display="?",
    ),
    Command(
        "app.back",
        "escape",
        "back",
        "Out of the search line, then clear it, then the marks",
        "back",
        "everywhere",
    ),
    Command(
        "app.stop",
        "ctrl+z",
        "stop",
        "Back to the shell; its fg brings flagtui back",
        "app.stop",
        "everywhere",
    ),
    Command(
        "app.quit",
        "q,ctrl+q",
        "quit",
        "Leave flagtui; changes on their way are waited for",
        "app.quit",
        "everywhere",
    ),
)


def commands_of(*places: Place) -> Iterable[Command]:
    """The commands that work in these places, in the order of the table."""
    return (command for command in COMMANDS if any(place in places for place in command.places))


def bindings_of(*places: Place) -> list[Binding]:
    """Textual's bindings for these places."""
    return [command.binding() for command in commands_of(*places)]
