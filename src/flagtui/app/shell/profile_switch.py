"""Another profile while the program runs: its session takes the place of this one."""

from collections.abc import Sequence

from flagtui.app.dialogs.picker import Choice
from flagtui.app.state.app_state import AppState
from flagtui.app.state.session import Session


def profile_choices(app_state: AppState) -> Sequence[Choice[str]]:
    """The profiles of the settings file, the one that is open marked."""
    here = app_state.session.profile
    return [
        Choice(each.name, each.name, each.about, each.name == here) for each in app_state.session.neighbours
    ]


async def change_session(app_state: AppState, session: Session) -> None:
    """Leaves the project that is open, and its connection, for another profile."""
    workspace = app_state.workspace
    app_state.leave_workspace()
    app_state.session = session
    app_state.refreshes = 0
    app_state.unlocked_until = 0.0
    app_state.tell()
    if workspace is not None:
        await workspace.client.close()
