"""The commands of experiments, event definitions, the inbox and the activity, as rows of the table."""

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


def _change(name: str, key: str, title: str, help: str, shown: bool = True) -> Command:
    """A change that works in the list and in the detail alike."""
    return Command(f"events.{name}", key, title, help, f"{name}", "events", shown, True, also=("event",))


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


def _step(id: str, keys: str, title: str, help: str, action: str, *, shown: bool = True) -> Command:
    return Command(
        f"experiments.{id}", keys, title, help, action, "experiments", shown, True, also=("experiment",)
    )


_STEPS: Final = (
    _step("launch", "L", "launch", "Launch the experiment; its flag is turned on", "step('launch')"),
    _step("switch", "space", "pause", "Pause or resume: its flag is turned off or on", "switch"),
    _step("end", "E", "end", "End the experiment, with a conclusion and a comment", "step('end')"),
    _step("ship", "W", "ship", "Ship a variant: everybody gets it", "step('ship')"),
    _step("archive", "a", "archive", "Archive the experiment, or bring it back", "archive", shown=False),
    _step("reset", "R", "reset", "Back to a draft; results begin anew", "step('reset')", shown=False),
    _step("duplicate", "D", "duplicate", "A copy with a flag of its own", "step('duplicate')", shown=False),
    _step("cohort", "C", "cohort", "A cohort of everybody who met it", "step('cohort')", shown=False),
    _step("delete", "d", "delete", "Delete it softly; u brings it back", "step('delete')", shown=False),
    _step("edit", "e", "edit", "Edit it in a form: variants, metrics, exposure, statistics", "edit"),
    _step("edit_text", "ctrl+e", "edit JSON", "Edit it as JSON in your editor", "edit_text", shown=False),
    _step("copy", "ctrl+y", "copy", "Copy it to another project", "copy_to_project", shown=False),
    _step("undo", "u", "undo", "Take back your last step", "undo", shown=False),
)

EXPERIMENT_COMMANDS: Final[tuple[Command, ...]] = (
    *_STEPS,
    Command("experiments.new", "n", "new", "Make a new experiment", "new", "experiments", True, True),
    Command("experiments.state", "i", "state", "Filter by state: next value", "cycle('is')", "experiments"),
    Command("experiments.type", "t", "type", "Filter by type: next value", "cycle('type')", "experiments"),
    Command(
        "experiments.mine",
        "b",
        "by me",
        "Only experiments made by me, or by anyone",
        "cycle('by')",
        "experiments",
    ),
    Command(
        "experiments.archived",
        "z",
        "archived",
        "Show archived experiments as well, or not",
        "archived",
        "experiments",
    ),
    Command(
        "experiments.flag", "f", "flag", "Go to its flag", "flag", "experiments", True, also=("experiment",)
    ),
    Command(
        "experiments.read",
        "r",
        "results",
        "Ask for results again, or stop asking; in the list, for what is in sight",
        "read_results",
        "experiment",
        True,
        also=("experiments",),
    ),
    Command(
        "experiments.metric",
        "enter",
        "metric",
        "The metric day by day",
        "metric",
        "experiment",
        True,
        key_display="⏎",
    ),
)
