"""Look up the outcome of a request whose response was lost; never send it again."""

from contextlib import suppress
from functools import partial
from typing import Final

from msgspec.structs import replace

from flagtui.api.errors import ApiError, NotFound, ServerFault, Unreadable
from flagtui.api.heavy_work import off_loop
from flagtui.changes.adapter import Adapter, WriteContext
from flagtui.changes.journal_entries import ApprovalRequest
from flagtui.changes.proposal import Outcome, P, R
from flagtui.models.flag_responses import ChangeRequest

LOOKS: Final = (0.0, 1.0, 2.0, 4.0, 8.0)
"""Seconds after the request at which the record is read again."""
WATCH_FOR: Final = 60.0
"""Seconds after which a server no longer applies the request."""
WATCH_EVERY: Final = 4.0
LOOKED: Final = "confirmed by reading it again"
FLAG_ALONE: Final = "its flag was changed as approved, and the experiment is not as planned; do it again"
"""The change of a flag is approved without the step of its experiment."""
NEITHER: Final = "so far the record is neither as before nor as planned"
"""A part of the change was applied, or another user changed it."""


def cause_words(error: ApiError | None) -> str:
    """Return why the outcome of a request is not known."""
    if isinstance(error, ServerFault):
        return f"the server failed ({error.status})"
    return "the response cannot be read" if isinstance(error, Unreadable) else "no response"


def as_unknown(plan: P, error: ApiError) -> Outcome[P, R]:
    """Return the unknown outcome: the request was sent and may have been applied."""
    return Outcome(plan, "unknown", None, error.what, "read it again", error)


async def look_up(unknown: Outcome[P, R], adapter: Adapter[P, R], context: WriteContext) -> Outcome[P, R]:
    """Read at 0, 1, 2, 4 and 8 seconds; return unknown when the plan is not applied by then."""
    waited = 0.0
    for at in LOOKS:
        if at > longest_watch(context.wait):
            break
        await context.clock.sleep(at - waited)
        waited = at
        unknown = await _look(unknown.plan, unknown, adapter, context)
        if unknown.ending != "unknown":
            break
    return unknown


def longest_watch(wait: float | None) -> float:
    """Return for how many seconds after the request its outcome is looked up; `wait` is the user's limit."""
    return WATCH_FOR if wait is None else wait


def refusal_of(request: ChangeRequest, waited_for: ApprovalRequest) -> str:
    """Return why a change that waited for this request is not applied; empty while it may be, or was. Raw."""
    if not waited_for.is_earlier or not request.refusal:
        return request.refusal
    return f"the earlier request was {request.refusal}; there was none for this change"


async def _look(
    plan: P, unknown: Outcome[P, R], adapter: Adapter[P, R], context: WriteContext
) -> Outcome[P, R]:
    """Read once and return the outcome, still unknown perhaps; show a new reason."""
    is_in_part = False
    if unknown.request is not None and context.requests is not None:
        # A key may be allowed to change flags, and not to read requests.
        with suppress(ApiError):
            request = await context.requests.get(unknown.request.id)
            if request.is_open:
                return unknown
            if refusal := refusal_of(request, unknown.request):
                return Outcome(plan, "refused", None, refusal, journal_id=unknown.journal_id)
            is_in_part = request.is_applied and not adapter.is_approved_whole
    try:
        seen = await adapter.find(plan)
    except NotFound as error:
        if plan.is_deletion:
            return Outcome(plan, "saved", journal_id=unknown.journal_id)
        gone, next = "it no longer exists", "it may have been deleted; read the list again"
        return Outcome(plan, "failed", None, gone, next, error, journal_id=unknown.journal_id)
    except ApiError:
        outcome = replace(
            unknown, reason=f"{cause_words(unknown.error)}, and the record cannot be read at the moment"
        )
    else:
        verdict = await off_loop(partial(adapter.judge, plan, seen), getattr(seen, "raw", None))
        if verdict is not None:
            return replace(verdict, journal_id=unknown.journal_id)
        if is_in_part:
            return Outcome(plan, "refused", seen, FLAG_ALONE, journal_id=unknown.journal_id)
        version = getattr(seen, "version", None)
        now = f"the change is not applied so far{f' at version {version}' if version is not None else ''}"
        if not await off_loop(partial(adapter.is_as_before, plan, seen), getattr(seen, "raw", None)):
            now = NEITHER
        words = f"{cause_words(unknown.error)}; {now}"
        outcome = replace(unknown, record=seen, was_read=True, reason=words)
    if unknown.ending != "unknown":
        # The response names the pending approval.
        return unknown
    if outcome.reason != unknown.reason:
        context.tell(f"{plan.key}: {outcome.reason}")
    return outcome


async def watch(open_one: Outcome[P, R], adapter: Adapter[P, R], context: WriteContext) -> Outcome[P, R]:
    """Read until a minute after the request, or as long as `context.wait`, and journal the outcome.

    A record that is unchanged after a minute was not changed by the request.
    """
    plan, clock, outcome = open_one.plan, context.clock, open_one
    journal_id, longest = open_one.journal_id, longest_watch(context.wait)
    is_unknown = open_one.ending == "unknown"
    began = clock.monotonic() - (min(LOOKS[-1], longest) if is_unknown else 0.0)
    while outcome.ending == open_one.ending and (left := began + longest - clock.monotonic()) > 0:
        await clock.sleep(min(WATCH_EVERY, left))
        outcome = await _look(plan, outcome, adapter, context)
        is_over = outcome.ending == "unknown" and clock.monotonic() - began >= WATCH_FOR
        if is_over and outcome.was_read and adapter.is_as_before(plan, outcome.record):
            reason = f"the server did not apply it within {WATCH_FOR:.0f} s"
            outcome = replace(outcome, ending="failed", reason=reason, next="look at it, then try again")
    if outcome.ending == open_one.ending:
        return outcome
    looked = replace(outcome, note=LOOKED) if outcome.is_saved else outcome
    return await context.close_entry(journal_id, looked, adapter)
