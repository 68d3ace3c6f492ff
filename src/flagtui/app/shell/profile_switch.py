"""Another profile while the program runs: its session takes the place of this one."""

from collections.abc import Sequence

from flagtui.app.dialogs.picker import Choice
from flagtui.app.state.app_state import Desk
from flagtui.app.state.session import Session


def profile_choices(desk: Desk) -> Sequence[Choice[str]]:
    """The profiles of the settings file, the one that is open marked."""
    here = desk.session.profile
    return [Choice(each.name, each.name, each.about, each.name == here) for each in desk.session.neighbours]


async def change_session(desk: Desk, session: Session) -> None:
    """Leaves the project that is open, and its connection, for another profile."""
    workspace = desk.workspace
    desk.leave_workspace()
    desk.session = session
    desk.refreshes = 0
    desk.unlocked_until = 0.0
    desk.tell()
    if workspace is not None:
        await workspace.client.close()
