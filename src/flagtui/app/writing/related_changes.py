"""The end of every story that leaves its flag as it is: guard, question, one request, how it ended."""

from flagtui.app.state.app_state import Desk
from flagtui.app.writing.approval import Agreeing
from flagtui.app.writing.changes import Changing
from flagtui.changes.related.creation import AsideDesk, AsideEnded, AsidePlan, Send, send_aside
from flagtui.store.workspace import Workspace
from flagtui.text.notices import Notice


async def agree_and_send(
    plan: AsidePlan,
    send: Send,
    changing: Changing,
    desk: Desk,
    workspace: Workspace,
    *,
    place: str = "",
) -> AsideEnded | None:
    """None when nobody agreed. `place` is where it happens if not here."""
    approved = await Agreeing[AsidePlan](desk, changing, "flags", place=place).agree([plan])
    if approved is None:
        return None
    session = desk.session
    around = AsideDesk(session.journal, desk.signature(workspace), session.timing)
    return await changing.see_through(send_aside(approved, send, around))


def said(ended: AsideEnded, not_known: str, not_done: str, back: str = "") -> Notice:
    """How it ended, and what to do next; `not_known` says where to look when no answer came."""
    key, done = ended.plan.key, ended.plan.verb.done
    if ended.ending == "saved":
        note = f": {ended.note}" if ended.note else ""
        return Notice("\n".join(line for line in (f"{key} {done}{note}", back) if line))
    if ended.ending == "unknown":
        return Notice(f"{key}: no answer came, and {not_known}", "error", "not known")
    following = f"\n{ended.error.next}" if ended.error else ""
    return Notice(f"{key}: {ended.note}{following}", "error", not_done)
