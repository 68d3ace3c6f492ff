"""Scan the code of the open profile from any screen, and open its places in the editor."""

from pathlib import Path

from flagtui.app.forms.json_editing import open_in_editor
from flagtui.app.state.app_state import AppState
from flagtui.app.state.code_search import CodeSearch
from flagtui.app.writing.change_runner import ChangeRunner
from flagtui.models.code_uses import CodeUse
from flagtui.store.code_scans import CodeScan
from flagtui.store.workspace import Workspace
from flagtui.text.key_signs import key_sign
from flagtui.text.styled import Notice


def search_of(app_state: AppState) -> CodeSearch | None:
    """Return the scans of the code of the open project; None where no code belongs to its profile."""
    source, search, workspace = app_state.session.code, app_state.code_search, app_state.workspace
    project = "" if workspace is None else str(workspace.client.project)
    is_own = search is not None and search.source is source and search.project == project
    if source is not None and not is_own:
        search = app_state.code_search = CodeSearch(source, project, app_state.notify_watchers)
    return None if source is None else search


def start_scan(app_state: AppState, runner: ChangeRunner) -> None:
    """Scan the code of the profile in the background; a toast reports why that is impossible."""
    search, workspace = search_of(app_state), app_state.workspace
    if search is None or search.is_running or workspace is None:
        return
    if search.obstacle:
        runner.show_toast(Notice(search.obstacle, "warning", "not scanned"))
        return
    runner.app.run_worker(_scan(app_state, search, workspace), group="code-scan")


async def _scan(app_state: AppState, search: CodeSearch, workspace: Workspace) -> None:
    """Scan with the flags of this project; leaving it cancels that."""

    def look() -> None:
        if app_state.workspace is not workspace:
            search.cancel()

    stop = app_state.watch(look)
    try:
        await search.run(workspace.client)
    finally:
        stop()


def open_place(runner: ChangeRunner, scan: CodeScan, place: CodeUse) -> None:
    """Open a place of a scan in the user's editor."""
    path = Path(scan.root) / place.path
    if path.is_file():
        open_in_editor(runner, path, place.line)
    else:
        words = f"{place.path} is gone since the scan; {key_sign('code.scan')} scans again"
        runner.show_toast(Notice(words, "warning", "not opened"))
