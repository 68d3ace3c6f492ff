"""What a person can do with event definitions; part of the table in `commands`."""

from typing import Final

from flagtui.app.commands.command import Command, Place

_BOTH: Final[tuple[Place, ...]] = ("event",)


def _change(name: str, key: str, title: str, help: str, shown: bool = True) -> Command:
    """A change that works in the list and in the detail alike."""
    return Command(f"events.{name}", key, title, help, f"{name}", "events", shown, True, also=_BOTH)


def _inbox_command(name: str, key: str, title: str, help: str, action: str, shown: bool = True) -> Command:
    """A decision in the inbox; nothing is sent before they are applied."""
    return Command(f"inbox.{name}", key, title, help, action, "inbox", shown, True)


EVENT_COMMANDS: Final[tuple[Command, ...]] = (
    Command("events.inbox", "i", "inbox", "Tidy up: one event after the other", "inbox", "events", True),
    _change("verify", "V", "verify", "Verify the event, or take that back; verifying un-hides"),
    _change("hide", "H", "hide", "Hide the event, or show it again; hiding un-verifies"),
    _change("describe", "e", "describe", "Change the description"),
    _change("describe_in_editor", "E", "editor", "Change the description in your editor", shown=False),
    _change("tags", "T", "tags", "Add and remove tags"),
    _change("owner", "O", "owner", "Choose who looks after it"),
    _change("primary_property", "R", "property", "Change the property that tells most", shown=False),
    _change("enforcement", "M", "enforcement", "Accept or reject events that do not fit", shown=False),
    _change("delete", "d", "delete", "Delete the definition for real; the next event brings it back bare"),
    _change("undo", "u", "undo", "Take back your last change of event definitions"),
    Command("events.kind", "t", "kind", "Filter by kind: next value", "cycle('kind')", "events"),
    Command("events.state", "f", "state", "Filter by state: next value", "cycle('is')", "events"),
    Command("events.mine", "b", "by me", "Only events I own, or anyone's", "cycle('owner')", "events"),
    Command("event.json", "y", "copy JSON", "Copy the definition as JSON", "copy_json", "event"),
    Command(
        "event.code", "t", "TypeScript", "Show or hide the TypeScript of all events", "code", "event", True
    ),
    Command(
        "event.experiments",
        "x",
        "experiments",
        "Go to an experiment that uses it",
        "experiments",
        "event",
        True,
    ),
    _inbox_command("verify", "V", "verify", "Decide to verify it", "verify"),
    _inbox_command("hide", "H", "hide", "Decide to hide it", "hide"),
    _inbox_command("tags", "t", "tags", "Take the proposed tags, or type some", "take_tags"),
    _inbox_command("describe", "e", "describe", "Describe it, starting from the proposal", "describe"),
    _inbox_command(
        "same_as", "m", "same as", "It is the same as its look-alike: hide it with a note", "same_as"
    ),
    _inbox_command(
        "type_tags", "T", "type tags", "Type tags instead of taking those proposed", "type_tags", False
    ),
    Command("inbox.next", "n", "next", "Leave it for now", "next", "inbox", True),
    _inbox_command("undo", "u", "undo", "Forget the last decision, or undo applied ones", "undo"),
    _inbox_command("apply", "A", "apply", "Apply everything decided", "apply"),
    Command("inbox.reason", "r", "reason", "Only one reason: next one", "reason", "inbox", True),
    Command(
        "inbox.open", "enter", "open", "Open the event under the cursor", "open", "inbox", key_display="⏎"
    ),
    Command("inbox.down", "down,j", "down", "One event down", "rows('cursor_down')", "inbox"),
    Command("inbox.up", "up,k", "up", "One event up", "rows('cursor_up')", "inbox"),
    Command("inbox.page_down", "pagedown,ctrl+d", "page down", "One page down", "rows('page_down')", "inbox"),
    Command("inbox.page_up", "pageup,ctrl+u", "page up", "One page up", "rows('page_up')", "inbox"),
)
