"""How a change ended, in words: what happened, what is true now, what to do next."""

from collections.abc import Sequence
from typing import Final

from flagtui.api.errors import ApiError
from flagtui.changes.blocked import Blocked
from flagtui.changes.guard import GuardRefused, Purpose
from flagtui.changes.proposal import Outcome, Skipped
from flagtui.text.styled import Notice, Tone

NAMED: Final = 5
"""Refusals named in one toast; the rest is counted."""
_PAST: Final = {"Undo": "undone", "Redo": "redone"}


def explain_outcomes(
    outcomes: Sequence[Outcome], unsent: int = 0, *, purpose: Purpose | None = None, is_here: bool = True
) -> Notice:
    """The toast after a change, or after many that were confirmed together.

    What was done in another project (`is_here` False) is not what `u` takes back next. Of many, `unsent` were
    not sent because of how another ended.
    """
    if len(outcomes) == 1 and not unsent:
        return _explain_one(outcomes[0], purpose, is_here=is_here)
    can_undo = is_here and any(outcome.undo_words for outcome in outcomes)
    lines = [count_endings(outcomes, unsent, purpose) + (_back(purpose) if can_undo else "")]
    failed = [outcome for outcome in outcomes if not outcome.is_saved]
    lines += [f"{one.plan.key}: {(one.reason or one.ending).rstrip('.')}" for one in failed[:NAMED]]
    lines += [f"and {len(failed) - NAMED} more"] if len(failed) > NAMED else []
    for outcome in outcomes:
        lines += [f"{outcome.plan.key}: {remark}" for remark in (*outcome.remarks, outcome.note) if remark]
    is_clean = not failed and not unsent
    title = "" if is_clean else "not all saved"
    return Notice("\n".join(lines[: NAMED * 2]), "information" if is_clean else "warning", title)


def count_endings(outcomes: Sequence[Outcome], unsent: int = 0, purpose: Purpose | None = None) -> str:
    """`17 deleted, 3 refused, 2 not sent`."""
    words = [done_word(outcome, purpose) if outcome.is_saved else outcome.ending for outcome in outcomes]
    words += ["not sent"] * unsent
    return ", ".join(f"{words.count(word):,} {word}" for word in dict.fromkeys(words))


def explain_settled(outcome: Outcome, *, is_here: bool = True) -> Notice:
    """The toast once looking has ended, also where nothing was found out."""
    if outcome.ending != "unknown":
        return _explain_one(outcome, None, is_here=is_here)
    now = "It has changed since." if outcome.was_read else "It cannot be read."
    text = (
        f"{outcome.plan.key}: whether it was done could not be found out.\n{now} It was not sent twice.\n"
        "F5 reads the list again; the journal keeps what was asked for."
    )
    return Notice(text, "error", "not known")


def _explain_one(outcome: Outcome, purpose: Purpose | None, *, is_here: bool) -> Notice:
    key, reason = outcome.plan.key, outcome.reason
    if outcome.is_saved:
        return _saved(outcome, purpose, is_here=is_here)
    if outcome.ending == "unknown":
        text = (
            f"{key}: no answer came, and whether it was done is not known.\n"
            "It is kept in the journal; flagtui goes on looking. It was not sent twice."
        )
        return Notice(text, "error", "not known")
    if outcome.ending == "awaiting approval":
        return Notice(f"{key} is unchanged: {reason}.", "warning", "needs approval")
    now = "Nothing of yours was saved" if outcome.ending == "conflicted" else "Nothing was changed"
    tone: Tone = "warning" if outcome.ending == "conflicted" else "error"
    return Notice(_sentences(f"{key}: {reason}", now, outcome.next), tone, "not saved")


def _saved(outcome: Outcome, purpose: Purpose | None, *, is_here: bool) -> Notice:
    told = f": {outcome.reason}" if outcome.reason else ""
    done = f"{outcome.plan.key} {outcome.plan.verb.done}{told}"
    first = f"{_PAST[purpose.name]}: {done}" if purpose is not None else done
    back = _back(purpose) if is_here and outcome.undo_words else ""
    lines = [first + back, *outcome.remarks, outcome.note]
    is_clean = not outcome.remarks and not outcome.note
    return Notice("\n".join(filter(None, lines)), "information" if is_clean else "warning")


def _back(purpose: Purpose | None) -> str:
    return " · U redoes it" if purpose is not None and purpose.name == "Undo" else " · u to undo"


def done_word(outcome: Outcome, purpose: Purpose | None = None) -> str:
    """`deleted` of `is deleted`; what is said otherwise of one record is `changed` of many."""
    if purpose is not None:
        return _PAST[purpose.name]
    verb, _, participle = outcome.plan.verb.done.partition(" ")
    return participle if verb == "is" and " " not in participle else "changed"


def left_open(words: str, *, is_known: bool) -> Notice:
    """What became of a change that an earlier run did not see the end of."""
    return Notice(f"{words}.", "information" if is_known else "warning", "Left open last time", seconds=12)


def explain_blocked(blocked: Blocked | Skipped, key: str) -> Notice:
    """Why a change was not even asked about."""
    return Notice(_sentences(f"{key}: {blocked.reason}", "", blocked.next), "warning", "not possible now")


def explain_skipped(skipped: Skipped) -> Notice:
    """Why the one change that was asked for was not even asked about."""
    if skipped.error is not None:
        return explain_error(skipped.error, skipped.key)
    if skipped.is_settled:
        return Notice(skipped.alone or f"{skipped.key}: {skipped.reason}; nothing was sent.")
    return explain_blocked(skipped, skipped.key)


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
