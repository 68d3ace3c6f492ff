"""To one record in the list it stands in: the tab is opened for it, or left as it is."""

from typing import Any, Final

from textual.app import App

from flagtui.app.lists.list_screen import ListScreen
from flagtui.app.lists.loaded_list import RecordsScreen
from flagtui.store.load_progress import RecordId
from flagtui.store.workspace import Kind
from flagtui.text.notices import Notice, tell

TABS: Final[dict[Kind, str]] = {"flags": "1", "experiments": "2", "events": "3"}


def go_to_record(app: App[Any], tab: str, record: RecordId) -> None:
    """Show the list behind a tab with the cursor on one of its records."""
    tabbing = getattr(app, "tabbing", None)
    if tabbing is None:
        return
    tabbing.open(tab)
    if isinstance(screen := tabbing.list_of(tab), RecordsScreen):
        screen.call_after_refresh(screen.go_to, record)


def open_in_list(app: App[Any], kind: Kind, record: RecordId, key: str) -> None:
    """Open a record from the list it stands in, which is shown first if another screen is."""
    tabbing = getattr(app, "tabbing", None)
    if tabbing is None:
        return
    if app.screen is not tabbing.list_of(TABS[kind]):
        tabbing.open(TABS[kind])
    screen = tabbing.list_of(TABS[kind])
    if isinstance(screen, ListScreen):
        screen.call_after_refresh(_open, screen, record, key)


def _open(screen: ListScreen[Any], record: RecordId, key: str) -> None:
    screen.go_to(record)
    if screen.rows.row_id == record:
        screen.action_open()
    else:
        tell(screen.app, Notice(f"{key} is not in the list any more.", "warning"))


def stand_on_made(app: App[Any], kind: Kind, record: RecordId) -> None:
    """Put the cursor of its list on a record that came into being, whatever is open above it."""
    tabbing = getattr(app, "tabbing", None)
    if tabbing is not None and isinstance(screen := tabbing.list_of(TABS[kind]), ListScreen):
        screen.stand_on(record)
