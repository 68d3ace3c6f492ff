"""What the frame says, from what the desk knows: where we are, how fresh the rows are, why there are none."""

from typing import Any

from flagtui.api.errors import ApiError, NotSignedIn, Unanswered, Unreachable
from flagtui.app.desk import Desk
from flagtui.app.formats import DAY, HOUR, MINUTE, count
from flagtui.app.states import Words, no_match_words, nothing_words, trouble_words, waiting_words
from flagtui.app.widgets.header import Link, Location, Tab
from flagtui.changes.rules import Level
from flagtui.store.loading import Failed, Loading, Running
from flagtui.store.workspace import Kind, Workspace


def location_of(desk: Desk) -> Location:
    """Badge, organisation, project, host and person, as far as they are known."""
    session, workspace = desk.session, desk.workspace
    if workspace is None:
        return Location(session.badge, session.colour, host=session.host, overridden=session.overridden)
    me, project, number = workspace.me, workspace.project, workspace.client.project
    return Location(
        badge=session.badge,
        colour=session.colour,
        organization=workspace.organization if project else "",
        project=project.label if project else "",
        project_id=number if isinstance(number, int) else None,
        host=session.host,
        user=me.email or me.label if me else "",
        overridden=session.overridden,
    )


def link_of(desk: Desk, now: float, kind: Kind = "flags") -> Link:
    """The mark and words at the right end of the first line. They name minutes, so that they seldom move."""
    workspace, trouble = desk.workspace, desk.trouble
    if isinstance(trouble, NotSignedIn):
        return Link("signed-out", "sign in again")
    if workspace is None:
        return Link("offline", "no connection") if trouble else Link("loading", "connecting")
    loading = _loading_of(workspace, kind)
    age = _rough(loading.age)
    if workspace.waiting:
        return Link("retrying", f"waiting {workspace.waiting:.0f} s")
    doubt = f"{count(workspace.in_doubt, 'change')} not known" if workspace.in_doubt else ""
    if trouble is not None or workspace.client.link.is_offline:
        data = f", data {age} old" if loading.loaded_at else ""
        return Link("offline", f"{_offline_words(trouble)}{f', {doubt}' if doubt else data}")
    if doubt:
        return Link("retrying", doubt)
    if isinstance(loading.state, Running) and not (_is_complete(workspace, kind) and loading.age is not None):
        total = f" of {loading.state.total:,}" if loading.state.total else ""
        return Link("loading", f"loading {loading.state.done:,}{total}")
    if desk.session.rules.level is Level.READ_ONLY:
        return Link("read-only", "read-only")
    return Link("synced", "synced just now" if (loading.age or 0) < MINUTE else f"synced {age} ago")


def _offline_words(trouble: ApiError | None) -> str:
    if trouble is None or isinstance(trouble, Unreachable | Unanswered):
        return "offline"
    return str(trouble.status) if trouble.status and trouble.status >= 400 else "no usable answer"


def tabs_of(desk: Desk) -> list[Tab]:
    """The tabs that work."""
    workspace = desk.workspace
    if workspace is None:
        return [Tab("1", "Flags"), Tab("2", "Experiments"), Tab("3", "Events"), Tab("4", "Activity")]
    flags = f"{len(workspace.flags):,}" if len(workspace.flags) else ""
    experiments = f"{len(workspace.experiments):,}" if len(workspace.experiments) else ""
    return [
        Tab("1", "Flags", flags),
        Tab("2", "Experiments", experiments),
        Tab("3", "Events", events_count(workspace)),
        Tab("4", "Activity"),
    ]


def events_count(workspace: Workspace) -> str:
    """How many event definitions there are; `10,000+` while the server's own count stops there."""
    known, loading = len(workspace.events), workspace.events_loading
    if not isinstance(loading.state, Running):
        return f"{known:,}" if known else ""
    total = max(known, loading.state.total or 0)
    return f"{total:,}{'+' if loading.is_capped else ''}" if total else ""


def words_without_rows(desk: Desk, line: str, total: int) -> Words:
    """Why the list is empty."""
    if desk.trouble is not None and total == 0:
        return trouble_words(desk.trouble)
    if desk.workspace is None or not (desk.workspace.flags.is_complete or total):
        return waiting_words()
    return no_match_words(line, total) if total else nothing_words()


def words_without_records(desk: Desk, kind: Kind, line: str, total: int) -> Words:
    """Why a list other than that of the flags is empty."""
    what = {"experiments": "experiments", "events": "event definitions"}.get(kind, kind)
    workspace = desk.workspace
    if total:
        return no_match_words(line, total)
    if workspace is not None and isinstance(failed := _loading_of(workspace, kind).state, Failed):
        return trouble_words(failed.error)
    if desk.trouble is not None:
        return trouble_words(desk.trouble)
    if workspace is None or not _is_complete(workspace, kind):
        return waiting_words(what)
    return nothing_words(what)


def _loading_of(workspace: Workspace, kind: Kind) -> Loading[Any]:
    match kind:
        case "flags":
            return workspace.flags_loading
        case "experiments":
            return workspace.experiments_loading
        case "events":
            return workspace.events_loading


def _is_complete(workspace: Workspace, kind: Kind) -> bool:
    match kind:
        case "flags":
            return workspace.flags.is_complete
        case "experiments":
            return workspace.experiments.is_complete
        case "events":
            return workspace.events.is_complete


def _rough(seconds: float | None) -> str:
    for size, unit in ((DAY, "d"), (HOUR, "h"), (MINUTE, "min")):
        if seconds is not None and seconds >= size:
            return f"{int(seconds // size)} {unit}"
    return "<1 min"
