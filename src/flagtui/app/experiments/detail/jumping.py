"""From an experiment to its flag."""

from textual.screen import Screen

from flagtui.app.tabs import Tabbing
from flagtui.models.rows import ExperimentRow
from flagtui.text.notices import Notice, tell

FLAGS = "1"
"""The key of their tab."""


def go_to_flag(screen: Screen[None], row: ExperimentRow) -> None:
    """Show the list of flags with the cursor on the flag of this experiment."""
    tabbing = getattr(screen.app, "tabbing", None)
    if row.flag_id is None or not isinstance(tabbing, Tabbing):
        tell(screen.app, Notice("This experiment has no flag.", "warning"))
        return
    tabbing.open(FLAGS)
    flags = tabbing.list_of(FLAGS)
    go_to = getattr(flags, "go_to", None)
    if flags is not None and callable(go_to):
        flags.call_after_refresh(go_to, row.flag_id)
