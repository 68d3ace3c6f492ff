"""Describe the outcome of a change: what happened, what is true now, what to do next."""

from collections.abc import Sequence
from typing import Final

from flagtui.api.errors import ApiError
from flagtui.changes.guard import GuardRefused
from flagtui.changes.proposal import Outcome, Purpose
from flagtui.changes.skipped import Blocked, Skipped
from flagtui.changes.unanswered import cause_words
from flagtui.text.key_signs import key_sign
from flagtui.text.styled import Notice, Tone

NAMED: Final = 5
"""The most failures named in one toast; the rest is counted."""
UNDONE: Final = "undone"
_PAST: Final = {"Undo": UNDONE, "Redo": "redone", "Revert": "reverted", "Apply": "applied"}


LEFT: Final = Notice(
    "Another project was opened while records were read; the question was not asked.", "warning"
)
SWITCHED: Final = Notice(
    "Staging began or ended while records were read.\nPress the key again.", "warning", "not now"
)
UNSAVED: Final = Notice(
    "Changes are still being saved.\nWait for the result, then press the key again.",
    "warning",
    "not now",
)
"""About several records of which some have a change in flight, or an undo of it; no question is asked."""


def explain_outcomes(
    outcomes: Sequence[Outcome], unsent: int = 0, *, purpose: Purpose | None = None, is_here: bool = True
) -> Notice:
    """Return the toast after one change, or after several confirmed together.

    `u` does not undo a change in another project (`is_here` False). `unsent` changes were not sent because an
    earlier one failed.
    """
    if len(outcomes) == 1 and not unsent:
        return _explain_one(outcomes[0], purpose, is_here=is_here)
    can_undo = is_here and any(outcome.undo_words for outcome in outcomes)
    lines = [count_endings(outcomes, unsent, purpose) + (_back(purpose) if can_undo else "")]
    failed = [outcome for outcome in outcomes if not outcome.is_saved]
    lines += [
        f"{outcome.plan.key}: {(outcome.reason or outcome.ending).rstrip('.')}" for outcome in failed[:NAMED]
    ]
    lines += [f"and {len(failed) - NAMED:,} more"] if len(failed) > NAMED else []
    for outcome in outcomes:
        lines += [f"{outcome.plan.key}: {remark}" for remark in (*outcome.remarks, outcome.note) if remark]
    is_clean = not failed and not unsent
    title = "" if is_clean else "not all saved"
    return Notice("\n".join(lines[: NAMED * 2]), "information" if is_clean else "warning", title)


def count_endings(outcomes: Sequence[Outcome], unsent: int = 0, purpose: Purpose | None = None) -> str:
    """Count outcomes by ending: `17 deleted, 3 refused, 2 not sent`."""
    words = [done_word(outcome, purpose) if outcome.is_saved else outcome.ending for outcome in outcomes]
    words += ["not sent"] * unsent
    return ", ".join(f"{words.count(word):,} {word}" for word in dict.fromkeys(words))


def explain_settled(outcome: Outcome, *, is_here: bool = True) -> Notice:
    """Return the toast after the check of an unanswered change, whether or not it found the outcome."""
    if outcome.ending != "unknown":
        return _explain_one(outcome, None, is_here=is_here)
    now = "The record has changed since." if outcome.was_read else "The record cannot be read."
    text = (
        f"{outcome.plan.key}: could not confirm whether the change was applied.\n"
        f"{now} It was sent only once.\n"
        f"{key_sign('app.refresh')} refreshes the list; the journal keeps the request."
    )
    return Notice(text, "error", "not known")


def _explain_one(outcome: Outcome, purpose: Purpose | None, *, is_here: bool) -> Notice:
    key, reason = outcome.plan.key, outcome.reason
    if outcome.is_saved:
        return _saved_notice(outcome, purpose, is_here=is_here)
    if outcome.ending == "unknown":
        text = (
            f"{key}: {cause_words(outcome.error)}; checking whether the change was applied.\n"
            "It is in the journal and was sent only once."
        )
        return Notice(text, "error", "not known")
    if outcome.ending == "awaiting approval":
        return Notice(f"{key} is unchanged: {reason}.", "warning", "needs approval")
    now = "Your change was not saved" if outcome.ending == "conflicted" else "Nothing was changed"
    tone: Tone = "warning" if outcome.ending == "conflicted" else "error"
    return Notice(_sentences(f"{key}: {reason}", now, outcome.next), tone, "not saved")


def _saved_notice(outcome: Outcome, purpose: Purpose | None, *, is_here: bool) -> Notice:
    reason = f": {outcome.reason}" if outcome.reason else ""
    done = f"{outcome.plan.key} {outcome.plan.verb.done}{reason}"
    first = f"{_PAST[purpose.name]}: {done}" if purpose is not None else done
    back = _back(purpose) if is_here and outcome.undo_words else ""
    lines = [first + back, *outcome.remarks, outcome.note]
    is_clean = not outcome.remarks and not outcome.note
    return Notice("\n".join(filter(None, lines)), "information" if is_clean else "warning")


def _back(purpose: Purpose | None) -> str:
    if purpose is not None and purpose.name == "Undo":
        return f" · {key_sign('app.redo')} redoes it"
    return f" · {key_sign('app.undo')} to undo"


def done_word(outcome: Outcome, purpose: Purpose | None = None) -> str:
    """Return `deleted` for `is deleted`, and `changed` for every other phrase."""
    if purpose is not None:
        return _PAST[purpose.name]
    verb, _, participle = outcome.plan.verb.done.partition(" ")
    return participle if verb == "is" and " " not in participle else "changed"


def left_open(words: str, *, is_known: bool) -> Notice:
    """Return the toast about a change whose outcome was not known when it was sent."""
    return Notice(f"{words}.", "information" if is_known else "warning", "Left open earlier", seconds=12)


def explain_blocked(blocked: Blocked | Skipped, key: str) -> Notice:
    """Return the toast about a change that is refused before its question."""
    return Notice(_sentences(f"{key}: {blocked.reason}", "", blocked.next), "warning", "not possible now")


def count_skipped(skipped: Sequence[Skipped]) -> str:
    """Count refused records and no-ops: `3 skipped, 244 unchanged`."""
    unchanged = sum(each.is_no_op for each in skipped)
    counts = ((len(skipped) - unchanged, "skipped"), (unchanged, "unchanged"))
    return ", ".join(f"{number:,} {ending}" for number, ending in counts if number)


def explain_skipped(skipped: Skipped) -> Notice:
    """Return the toast about the only requested change, which was skipped."""
    if skipped.error is not None:
        return explain_error(skipped.error, skipped.key)
    if skipped.is_no_op:
        return Notice(skipped.alone or f"{skipped.key}: {skipped.reason}; nothing was sent.")
    return explain_blocked(skipped, skipped.key)


def explain_refusal(refused: GuardRefused) -> Notice:
    """Return the toast about a change that the guard refused."""
    return Notice(_sentences(refused.reason, "", refused.next), "warning", "not allowed here")


def explain_error(error: ApiError, doing: str = "") -> Notice:
    """Return the toast about a failed request outside of a change."""
    return Notice(
        _sentences(f"{doing}: {error.what}" if doing else error.what, error.now, error.next), "error"
    )


def _sentences(*parts: str) -> str:
    """Return each part as a line that ends in a full stop."""
    shown = [part[:1].upper() + part[1:] if place else part for place, part in enumerate(parts) if part]
    return "\n".join(part if part.endswith((".", "!", "?")) else f"{part}." for part in shown)
