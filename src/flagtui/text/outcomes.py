"""How a change ended, in words: what happened, what is true now, what to do next."""

from flagtui.api.errors import ApiError
from flagtui.changes.batch import Batch
from flagtui.changes.flags.flag_plan import NothingToDo
from flagtui.changes.flags.flag_refusals import Blocked
from flagtui.changes.guard import GuardRefused
from flagtui.changes.outcome import (
    AwaitingApproval,
    Conflicted,
    Failed,
    Outcome,
    Refused,
    Saved,
    Unknown,
)
from flagtui.text.notices import Notice


def explain_outcome(outcome: Outcome, *, is_here: bool = True) -> Notice:
    """The toast after a change; what was done in another project is not what `u` takes back next."""
    key = outcome.plan.key
    match outcome:
        case Saved():
            return _saved(outcome, key, can_undo=is_here and bool(outcome.undo_words))
        case Conflicted(theirs=theirs, clashes=clashes):
            who = theirs.last_modified_by.label if theirs and theirs.last_modified_by else "somebody else"
            what = "the same thing" if clashes else "it"
            now = "Nothing of yours was saved. Look at both, then decide again."
            text = f"{key}: {who} changed {what} first.\n{now}"
            return Notice(text, "warning", "not saved")
        case AwaitingApproval(is_pending=pending):
            state = "is already waiting" if pending else "now waits"
            text = f"{key} is unchanged: the change {state} for somebody's approval in the browser."
            return Notice(text, "warning", "needs approval")
        case Refused(reason=reason, next=following):
            return Notice(
                _sentences(f"{key}: {reason}", "Nothing was changed", following), "error", "not saved"
            )
        case Failed(reason=reason, next=following):
            return Notice(
                _sentences(f"{key}: {reason}", "Nothing was changed", following), "error", "not saved"
            )
        case Unknown():
            text = (
                f"{key}: no answer came, and whether it was done is not known.\n"
                "It is kept in the journal; flagtui goes on looking. It was not sent twice."
            )
            return Notice(text, "error", "not known")


def explain_settled(outcome: Outcome, *, is_here: bool = True) -> Notice:
    """The toast once looking has ended, also where nothing was found out."""
    if not isinstance(outcome, Unknown):
        return explain_outcome(outcome, is_here=is_here)
    now = "It cannot be read." if outcome.seen is None else "It has changed since."
    text = (
        f"{outcome.plan.key}: whether it was done could not be found out.\n{now} It was not sent twice.\n"
        "F5 reads the list again; the journal keeps what was asked for."
    )
    return Notice(text, "error", "not known")


def left_open(words: str, *, is_known: bool) -> Notice:
    """What became of a change that an earlier run did not see the end of."""
    return Notice(f"{words}.", "information" if is_known else "warning", "Left open last time", seconds=12)


def _saved(outcome: Saved, key: str, *, can_undo: bool) -> Notice:
    lines = [f"{key} {outcome.words}" + (" · u to undo" if can_undo else "")]
    report = outcome.report
    if report.others:
        lines.append(
            f"saved; somebody else changed it meanwhile, {report.others} time{'s' * (report.others > 1)}"
        )
    lines += [f"moved beyond the plan: {line.words}" for line in report.beyond[:4]]
    lines += [f"did not move as planned: {line.words}" for line in report.missing[:4]]
    if outcome.note:
        lines.append(outcome.note)
    return Notice("\n".join(lines), "information" if report.is_clean and not outcome.note else "warning")


def explain_blocked(blocked: Blocked, key: str) -> Notice:
    """Why a change was not even asked about."""
    return Notice(_sentences(f"{key}: {blocked.reason}", "", blocked.next), "warning", "not possible now")


def explain_batch(batch: Batch) -> Notice:
    """How many changes confirmed together ended."""
    lines = [
        batch.words + (" · u undoes all that were saved" if len(batch.failures) < len(batch.outcomes) else "")
    ]
    lines += [f"{failed.plan.key}: {reason_of(failed)}" for failed in batch.failures[:5]]
    if batch.paused_by is not None:
        lines.append(f"stopped there: {reason_of(batch.paused_by)}")
    is_clean = not batch.failures and not batch.remaining
    return Notice(
        "\n".join(lines), "information" if is_clean else "warning", "" if is_clean else "not all saved"
    )


def reason_of(outcome: Outcome) -> str:
    """Why a change was not saved, as short as it can be said."""
    return outcome.reason if isinstance(outcome, Refused | Failed) else outcome.ending


def explain_nothing(nothing: NothingToDo) -> Notice:
    """The record is already as wanted."""
    return Notice(f"{nothing.fresh.key} {nothing.words}; nothing was sent")


def explain_already_back(key: str) -> Notice:
    """There is nothing left to take back of a change, which stays the newest one all the same."""
    return Notice(f"{key} is as it was already; nothing was sent.\nJ, z takes back any other change.")


def explain_refusal(refused: GuardRefused) -> Notice:
    """The guard said no."""
    return Notice(_sentences(refused.reason, "", refused.next), "warning", "not allowed here")


def explain_error(error: ApiError, doing: str = "") -> Notice:
    """A request that failed outside of a change."""
    return Notice(
        _sentences(f"{doing}: {error.what}" if doing else error.what, error.now, error.next), "error"
    )


def _sentences(*parts: str) -> str:
    """Each part as a line of its own that ends in a full stop."""
    shown = [part[:1].upper() + part[1:] if place else part for place, part in enumerate(parts) if part]
    return "\n".join(part if part.endswith((".", "!", "?")) else f"{part}." for part in shown)
