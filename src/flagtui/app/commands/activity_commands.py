"""What a person can do with the activity of a project; part of the table in `commands`."""

from typing import Final

from flagtui.app.commands.command import Command

ACTIVITY_COMMANDS: Final[tuple[Command, ...]] = (
    Command(
        "app.activity", "4", "activity", "Go to the activity of the project", "app.tab('4')", "everywhere"
    ),
    Command(
        "activity.revert",
        "z",
        "take back",
        "Take this change back, or restore the deleted flag, after the usual question",
        "revert",
        "activity",
        True,
        True,
    ),
    Command(
        "activity.moment",
        "at",
        "moment",
        "What was changed around a moment: type a time after the @, such as 14:05 or 20m",
        "moment",
        "activity",
        True,
        key_display="@",
        turns_keys=True,
    ),
    Command(
        "activity.kind", "t", "kind", "Filter by kind of change: next value", "cycle('kind')", "activity"
    ),
    Command(
        "activity.deleted",
        "f",
        "deleted",
        "Only deleted flags that nobody restored, or everything",
        "cycle('is')",
        "activity",
    ),
    Command(
        "activity.mine", "b", "by me", "Only changes made by me, or by anyone", "cycle('by')", "activity"
    ),
    Command(
        "activity.copy",
        "y",
        "copy",
        "Copy the marked entries, or this one, as lines for a chat or a report",
        "copy_lines",
        "activity",
        True,
    ),
    Command(
        "activity.export",
        "M",
        "to a file",
        "Write the marked entries, or all that are shown, to a file as a Markdown timeline",
        "export",
        "activity",
    ),
)
