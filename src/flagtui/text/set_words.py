"""Toasts about staged changes. Texts are raw."""

from collections.abc import Sequence
from typing import Final

from flagtui.changes.journal_entries import Entry
from flagtui.changes.sets.change_lines import change_words
from flagtui.changes.sets.change_set import ChangeSetError, StagedChange
from flagtui.changes.sets.outdated import OutdatedChange
from flagtui.changes.skipped import Skipped
from flagtui.text.formats import count
from flagtui.text.key_signs import key_sign
from flagtui.text.outcomes import explain_skipped
from flagtui.text.styled import Notice

UNDO_AT_ONCE: Final = Notice("undo and redo are sent at once: end staging first", "warning", "not staged")
NOTHING_STAGED: Final = "Nothing is staged in this project."
NAMED: Final = 3
"""Records that a note names."""


def listed_words() -> str:
    """Return `& shows them all`."""
    return f"{key_sign('app.staged')} shows them all"


def outdated_words() -> str:
    """Return the keys for a staged change whose record has changed since."""
    staged, edit, drop = map(key_sign, ("app.staged", "staged.edit", "staged.drop"))
    return f"{staged} {edit} stages it again on the current record, {staged} {drop} unstages it"


def next_in_app(error: ChangeSetError) -> str:
    """Return the next step with the keys of the app, where it differs from that of commands."""
    if error.fault == "outdated":
        return outdated_words()
    if error.fault == "direct":
        return f"{key_sign('app.stage')} ends staging; then change it directly"
    return error.next


def explain_set_fault(error: ChangeSetError, title: str = "not staged") -> Notice:
    """Return the toast about a change set that cannot be read, written, extended or applied."""
    return Notice("\n".join(filter(None, (f"{error.what}.", next_in_app(error)))), "warning", title)


def explain_staged(changes: Sequence[StagedChange], staged: Sequence[StagedChange]) -> Notice:
    """Return the toast about changes that were staged, and left these in the set."""
    left, title = {change.identity for change in staged}, f"staged {len(staged):,}"
    what = changes[0].key if len(changes) == 1 else count(len(changes), "change")
    if changes and left.isdisjoint(change.identity for change in changes):
        # They undo what was staged for their records.
        return explain_dropped(what, title)
    if len(changes) == 1:
        what = f"{what}: {'; '.join(change_words(changes[0]))}"
    undo = f"{key_sign('app.undo')} undoes it"
    return Notice(f"{what}\nnothing was sent · {undo} · {listed_words()}", title=title)


def explain_dropped(what: str, title: str = "") -> Notice:
    """Return the toast about changes that left the set without being sent."""
    return Notice(f"{what}: not staged any more; nothing was sent", title=title)


def explain_done(done: Sequence[StagedChange], total: int) -> Notice:
    """Return the toast about changes that left the set because their records have the values already."""
    what = f"{done[0].key} has" if len(done) == 1 else f"{count(len(done), 'record')} have"
    return explain_dropped(f"{what} the staged values already", f"staged {total:,}")


def explain_step(moved: tuple[str, bool] | None, total: int, *, is_redo: bool) -> Notice:
    """Return the toast about a step that was undone or redone.

    `moved` has its subject, and whether that is staged now; None without a step.
    """
    if moved is None:
        nothing = (
            "nothing was undone since the last step" if is_redo else "nothing was staged since staging began"
        )
        return Notice(f"{nothing}; {listed_words()}")
    subject, is_staged = moved
    state = "staged as before" if is_staged else "not staged any more"
    return Notice(f"{subject}: {state}; nothing was sent", title=f"staged {total:,}")


def order_note(changes: int) -> str:
    """Return the note of a question about several changes: nothing makes them one on the server."""
    if changes < 2:
        return ""
    return (
        "The API has no transactions: changes are sent one after the other; the first refusal stops the rest."
    )


def outdated_note(outdated: Sequence[OutdatedChange]) -> str:
    """Return the note of a question on the current records, which are not those of the set."""
    named = "; ".join(f"{each.change.key} {each.words}" for each in outdated[:NAMED])
    more = f"; and {len(outdated) - NAMED:,} more" if len(outdated) > NAMED else ""
    return f"Applies the set to the current records. {named}{more}."


def explain_blocked_set(skipped: Skipped) -> Notice:
    """Return the toast about a change that keeps its whole set from being sent."""
    if skipped.error is not None:
        return explain_skipped(skipped)
    staged, drop = key_sign("app.staged"), key_sign("staged.drop")
    way = f"{skipped.next}, or unstage it with {drop} in {staged}"
    next = way if skipped.next else f"{drop} in {staged} unstages it"
    return Notice(f"{skipped.key}: {skipped.reason}; nothing was sent\n{next}", "warning", "not applied")


def explain_pending(pending: Sequence[Entry], lost: Sequence[Skipped] = ()) -> Notice:
    """Return the toast about a set of which nothing is left, or whose earlier run is still open.

    `lost` are changes that were applied and are no longer in effect.
    """
    if lost:
        more = f", and {len(lost) - 1:,} more" if len(lost) > 1 else ""
        return Notice(f"{lost[0].key}: {lost[0].reason}{more}; nothing was sent", "warning", "staged 0")
    if not pending:
        return Notice("the set was applied already", title="staged 0")
    names = ", ".join(entry.key for entry in pending)
    what = f"whether an earlier run changed {names} is not known yet; nothing was sent"
    return Notice(f"{what}\napply the set again in a minute", "warning", "not applied")
