"""The commands of flags, to change them and to look at them, as rows of the table."""

from typing import Final

from flagtui.app.commands.command import Command
from flagtui.app.commands.record_commands import ACTIVITY_COMMANDS

FLAG_EDITS: Final[tuple[Command, ...]] = (
    Command(
        "flags.rollout",
        "percent_sign",
        "rollout",
        "Set the rollout: a number, or a step of the ramp",
        "rollout",
        "flags",
        True,
        True,
        key_display="%",
        also=("flag",),
    ),
    Command(
        "flags.edit", "e", "edit", "Edit the flag in a form", "edit", "flags", True, True, also=("flag",)
    ),
    Command("flags.new", "n", "new", "Make a new flag", "new", "flags", False, True),
    Command(
        "flags.copy_to",
        "D",
        "duplicate",
        "Make a copy here, or copy the flag to other projects",
        "copy_to",
        "flags",
        False,
        True,
        also=("flag",),
    ),
    Command(
        "flags.schedule",
        "at",
        "schedule",
        "Schedule a change of the flag, or see what is scheduled",
        "schedule",
        "flags",
        False,
        True,
        key_display="@",
        also=("flag",),
    ),
    Command(
        "flags.deleted",
        "ctrl+r",
        "deleted",
        "Flags that were deleted lately, to bring them back",
        "deleted",
        "flags",
    ),
    Command(
        "flags.edit_json",
        "E",
        "edit JSON",
        "Edit the flag as JSON in your editor",
        "edit_json",
        "flags",
        False,
        True,
        also=("flag",),
    ),
    Command(
        "flags.archive",
        "a",
        "archive",
        "Archive the flag, or bring it back from the archive",
        "archive",
        "flags",
        False,
        True,
        also=("flag",),
    ),
    Command(
        "flags.tags",
        "T",
        "tags",
        "Add, remove or set tags",
        "tags",
        "flags",
        False,
        True,
        also=("flag",),
    ),
)

FLAG_LIST: Final[tuple[Command, ...]] = (
    Command("flags.columns", "c", "columns", "Choose columns and their order", "columns", "flags"),
    Command(
        "flags.copy_menu", "Y", "copy menu", "Copy key, id, link, JSON, curl or command", "copy_menu", "flags"
    ),
    Command("flags.link", "o", "browser", "Open the flag in the browser, or show its link", "link", "flags"),
    Command(
        "flags.save_query", "Q", "name search", "Give this search a name and a tab", "save_query", "flags"
    ),
    *(
        Command(
            f"flags.query_{key}",
            str(key),
            f"search {key}",
            f"Go to the named search with the key {key}",
            f"query({key})",
            "flags",
        )
        for key in range(5, 10)
    ),
)
"""What is about the list of flags itself."""

FORM: Final[tuple[Command, ...]] = (
    Command("form.save", "ctrl+s", "save", "Show what would change, and save it", "save", "form", True, True),
    Command(
        "form.share",
        "percent_sign",
        "share",
        "Set the share of a condition or variant",
        "share",
        "form",
        True,
        key_display="%",
    ),
    Command(
        "form.remove",
        "d,delete",
        "remove",
        "Remove the condition, property, variant or payload",
        "remove",
        "form",
        True,
    ),
    Command("form.up", "K,ctrl+up", "up", "Move the condition up", "move(-1)", "form", True),
    Command("form.down", "J,ctrl+down", "down", "Move the condition down", "move(1)", "form", True),
    Command(
        "form.distribute",
        "equals_sign",
        "even shares",
        "Distribute the variants evenly",
        "distribute",
        "form",
        True,
        key_display="=",
    ),
    Command(
        "form.back",
        "escape",
        "leave",
        "Leave the form; asks first when something was changed",
        "back",
        "form",
        True,
        key_display="esc",
    ),
)


FLAG_READING: Final[tuple[Command, ...]] = (
    Command(
        "flags.who",
        "w",
        "who",
        "Who sees it: evaluate the flag for one or two people",
        "open_tab('who')",
        "flags",
        True,
        also=("flag", "activity"),
    ),
    Command(
        "flags.history",
        "h",
        "history",
        "What was changed, by whom; compare versions, go back to one",
        "open_tab('history')",
        "flags",
        True,
        also=("flag", "activity"),
    ),
    Command("flag.next_tab", "tab,right", "next tab", "The next tab", "step_tab(1)", "flag"),
    Command("flag.last_tab", "shift+tab,left", "tab before", "The tab before", "step_tab(-1)", "flag"),
    Command(
        "flag.unmask", "m", "show secrets", "Show encrypted payloads, or mask them again", "unmask", "flag"
    ),
    Command("json.fold", "enter", "fold", "Fold or unfold what begins on this line", "fold", "json", True),
    Command(
        "json.fold_all",
        "minus",
        "fold all",
        "Fold everything, or nothing",
        "fold_all",
        "json",
        key_display="-",
    ),
    Command(
        "json.search",
        "slash",
        "search",
        "Search in the JSON",
        "search_json",
        "json",
        True,
        key_display="/",
    ),
    Command(
        "history.compare",
        "x",
        "compare",
        "Compare from this version: the cursor chooses the other one",
        "mark_version",
        "history",
        True,
    ),
    Command(
        "history.return",
        "z",
        "bring back",
        "Bring this version back, after the usual question",
        "return",
        "history",
        True,
        True,
    ),
    Command(
        "flag.cohort",
        "C",
        "cohort",
        "Make a static cohort of everyone who has the flag now",
        "cohort",
        "flag",
        False,
        True,
    ),
    Command(
        "flag.dashboard",
        "B",
        "dashboard",
        "Make the usage dashboard, or enrich the one there is",
        "dashboard",
        "flag",
        False,
        True,
    ),
    Command(
        "flag.copy_value", "y", "copy value", "Copy the payload, or the value shown", "copy_value", "flag"
    ),
    Command("flags.ids", "i", "find ids", "Find flags by pasted ids, also of other lists", "ids", "flags"),
    Command(
        "flags.my_values",
        "I",
        "my flags",
        "What every flag is for the holder of the key",
        "my_flags",
        "flags",
    ),
    Command(
        "flags.definitions",
        "L",
        "definitions",
        "The data that libraries evaluate flags with: look at it, write it to a file",
        "definitions",
        "flags",
    ),
    Command(
        "lookup.open",
        "enter",
        "open",
        "Open the flag under the cursor",
        "open",
        "lookup",
        True,
        key_display="⏎",
    ),
    Command("lookup.export", "X", "to a file", "Write all of it to a file", "export", "definitions", True),
    *ACTIVITY_COMMANDS,
)
