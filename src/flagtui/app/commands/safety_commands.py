"""What a person can do about profiles, keys and their own past changes; part of the table in `commands`."""

from typing import Final

from flagtui.app.commands.command import Command

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
