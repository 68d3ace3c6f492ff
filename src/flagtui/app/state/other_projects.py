"""Another project of the same server, for what is done there without leaving this one."""

from collections.abc import Callable

from flagtui.store.workspace import Workspace


def workspace_in(project: int, here: Workspace, clock: Callable[[], float]) -> Workspace:
    """Its collections, which are empty: only what is asked for there is read."""
    there = Workspace(here.client.for_project(project), profile=here.profile, clock=clock)
    there.me = here.me
    return there
