"""The pipeline of what leaves its flag as it is: guard, question, one request, how it ended."""

from flagtui.app.state.app_state import AppState
from flagtui.app.writing.approval import Approval
from flagtui.app.writing.changes import Changes
from flagtui.changes.related.creation import RelatedEnded, RelatedPlan, RelatedSaveContext, Send, send_related
from flagtui.store.workspace import Workspace
from flagtui.text.notices import Notice


async def agree_and_send(
    plan: RelatedPlan,
    send: Send,
    changing: Changes,
    app_state: AppState,
    workspace: Workspace,
    *,
    place: str = "",
) -> RelatedEnded | None:
    """None when nobody agreed. `place` is where it happens if not here."""
    approved = await Approval[RelatedPlan](app_state, changing, "flags", place=place).agree([plan])
    if approved is None:
        return None
    session = app_state.session
    context = RelatedSaveContext(session.journal, app_state.signature(workspace), session.timing)
    return await changing.see_through(send_related(approved, send, context))


def said(ended: RelatedEnded, not_known: str, not_done: str, back: str = "") -> Notice:
    """How it ended, and what to do next; `not_known` says where to look when no answer came."""
    key, done = ended.plan.key, ended.plan.verb.done
    if ended.ending == "saved":
        note = f": {ended.note}" if ended.note else ""
        return Notice("\n".join(line for line in (f"{key} {done}{note}", back) if line))
    if ended.ending == "unknown":
        return Notice(f"{key}: no answer came, and {not_known}", "error", "not known")
    following = f"\n{ended.error.next}" if ended.error else ""
    return Notice(f"{key}: {ended.note}{following}", "error", not_done)
