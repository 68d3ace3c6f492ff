"""From one record to another that stands in the list of another tab."""

from typing import Any

from textual.app import App

from flagtui.app.screens.records import RecordsScreen
from flagtui.store.running_load import RecordId


def go_to_record(app: App[Any], tab: str, record: RecordId) -> None:
    """Show the list behind a tab with the cursor on one of its records."""
    tabbing = getattr(app, "tabbing", None)
    if tabbing is None:
        return
    tabbing.open(tab)
    if isinstance(screen := tabbing.list_of(tab), RecordsScreen):
        screen.call_after_refresh(screen.go_to, record)
