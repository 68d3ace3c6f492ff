"""What a person can do with experiments; part of the table in `commands`."""

from typing import Final

from flagtui.app.commands.command import Command, Place

_BOTH: Final[tuple[Place, ...]] = ("experiment",)


def _step(id: str, keys: str, title: str, help: str, action: str, *, shown: bool = True) -> Command:
    return Command(f"experiments.{id}", keys, title, help, action, "experiments", shown, True, also=_BOTH)


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
    Command("experiments.flag", "f", "flag", "Go to its flag", "flag", "experiments", True, also=_BOTH),
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
