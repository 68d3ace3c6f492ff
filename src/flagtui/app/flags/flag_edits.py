"""Actions that edit flags: choose what is meant, ask for the new values, hand the intent to the pipeline."""

from collections.abc import Sequence

from flagtui.app.dialogs.prompt import Prompt, PromptReading, PromptScreen
from flagtui.app.flags.flag_creation import FlagCreation
from flagtui.app.flags.flag_reader import read_flag, read_flags
from flagtui.app.flags.form.flag_form import FormScreen
from flagtui.app.flags.form.rollout import RolloutScreen
from flagtui.app.flags.related_changes import FlagSchedules
from flagtui.app.state.app_state import AppState
from flagtui.app.writing.changes import Changes
from flagtui.app.writing.json_editing import edit_as_json
from flagtui.app.writing.screens import Saved
from flagtui.changes.flags.flag_draft import WorkingCopy, flag_text, intent_of
from flagtui.changes.flags.flag_intent import (
    read_tags,
    retag,
    set_all_rollouts,
    set_rollout,
    switch,
    why_no_rollout,
)
from flagtui.changes.proposal import LeftOut
from flagtui.models.rows import FlagRow
from flagtui.safe_text import safe_text
from flagtui.text.styled import Notice


class FlagEdits:
    """What can be begun for the flags that are chosen. Nothing here sends a change itself.

    `saved` hears which of them were changed.
    """

    def __init__(self, app_state: AppState, changing: Changes) -> None:
        self._app_state = app_state
        self._changing = changing
        self.making = FlagCreation(app_state, changing)
        self.scheduling = FlagSchedules(app_state, changing)

    # At once

    def switch(self, rows: Sequence[FlagRow], saved: Saved) -> None:
        """On or off. Several go the same way: the first decides, so that nothing is turned on by surprise."""
        if rows:
            self._switch("turn off" if rows[0].active else "turn on", rows, saved)

    def delete(self, rows: Sequence[FlagRow], saved: Saved) -> None:
        """Softly."""
        self._switch("delete", rows, saved)

    def archive(self, rows: Sequence[FlagRow], saved: Saved) -> None:
        """Into the archive, which turns off too, or back out of it when the first is there."""
        if rows:
            self._switch("unarchive" if rows[0].archived else "archive", rows, saved)

    def _switch(self, verb: str, rows: Sequence[FlagRow], saved: Saved) -> None:
        self._changing.start([switch(verb, row.id, row.version) for row in rows], saved)

    # After a question

    def rollout(self, rows: Sequence[FlagRow], saved: Saved) -> None:
        """A share in percent, for one condition or all."""
        if rows and self.making.may_write():
            self._changing.run(self._rollout(rows, saved))

    async def _rollout(self, rows: Sequence[FlagRow], saved: Saved) -> None:
        found, left_out = await read_flags(rows, self._app_state, self._changing)
        flags = [flag for flag in found if not why_no_rollout(flag)]
        left_out += [LeftOut(flag.id, flag.key, why) for flag in found if (why := why_no_rollout(flag))]
        if len(rows) == 1 and left_out:
            self._changing.tell(
                Notice(f"{left_out[0].key}: {left_out[0].reason}", "warning", "not possible now")
            )
            return
        answer = await self._changing.ask(RolloutScreen(flags)) if flags else None
        if answer is None:
            if not flags:
                self._changing.start([], saved, left_out=left_out)
            return
        share, place = answer
        intents = [
            set_all_rollouts(flag, share) if place is None else set_rollout(flag, place, share)
            for flag in flags
        ]
        self._changing.start(intents, saved, left_out=left_out)

    def tags(self, rows: Sequence[FlagRow], saved: Saved) -> None:
        """Add, remove or set, for one flag or many."""
        if rows and self.making.may_write():
            self._changing.run(self._tags(rows, saved))

    async def _tags(self, rows: Sequence[FlagRow], saved: Saved) -> None:
        about = "ops adds · -ops removes · several with commas · = ops, web sets them all"
        title = f"Tags of {rows[0].key}" if len(rows) == 1 else f"Tags of {len(rows)} flags"
        prompt = Prompt(title, about, hint="ops, -old", read=lambda line: _tags_afterwards(line, rows))
        line = await self._changing.ask(PromptScreen(prompt))
        if line is not None and not (wanted := read_tags(line)).is_empty:
            self._changing.start(retag(rows, wanted), saved)

    def as_json(self, rows: Sequence[FlagRow]) -> None:
        """In the person's own editor, one flag at a time."""
        if rows and self.making.may_write():
            self._changing.run(self._as_json(rows[0]))

    async def _as_json(self, row: FlagRow) -> None:
        flag = await read_flag(row, self._app_state, self._changing)
        if flag is None:
            return
        record = flag_text(flag)
        edited = edit_as_json(self._changing, record, self._app_state.session.state_folder / "drafts")
        intent = intent_of({**record.shown, **edited.changes}, flag) if edited is not None else None
        if edited is not None and intent is not None:
            self._changing.start([intent], ended=lambda ended: edited.saved() if ended.is_saved else None)

    def form(self, rows: Sequence[FlagRow]) -> None:
        """In a form, one flag at a time."""
        if rows and self.making.may_write():
            self._changing.run(self._form(rows[0]))

    async def _form(self, row: FlagRow) -> None:
        flag = await read_flag(row, self._app_state, self._changing)
        if flag is not None:
            form = FormScreen(self._app_state, self._changing, WorkingCopy.of(flag))
            self._changing.app.push_screen(form)


def _tags_afterwards(line: str, rows: Sequence[FlagRow]) -> PromptReading:
    """The tags there would be, the new ones marked; for many flags, what would be done to each."""
    wanted = read_tags(line)
    if wanted.problem:
        return PromptReading(problem=wanted.problem)
    if len(rows) > 1:
        moved = sum(1 for row in rows if wanted.of(row.tags) != row.tags)
        return PromptReading([(f"{moved} of {len(rows)} flags would change", "$text-muted")])
    before = rows[0].tags
    pieces = [
        (f"{safe_text(tag, 40)}  ", "" if tag in before else "bold $success") for tag in wanted.of(before)
    ]
    gone = [(f"{safe_text(tag, 40)}  ", "strike $error") for tag in before if tag not in wanted.of(before)]
    return PromptReading([*pieces, *gone] or [("no tags", "$text-muted")])
