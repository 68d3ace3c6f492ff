"""Actions that edit flags: ask for the new values, pass the intent to the pipeline."""

from collections.abc import Sequence

from flagtui.api.heavy_work import off_loop
from flagtui.app.flags.flag_creation import FlagCreation
from flagtui.app.flags.flag_reader import read_flag, read_flags
from flagtui.app.flags.form.flag_form import FormScreen
from flagtui.app.flags.form.rollout import RolloutScreen
from flagtui.app.flags.related_changes import RelatedChanges
from flagtui.app.forms.completion import complete_flag_tags
from flagtui.app.forms.form_lines import ask_tags
from flagtui.app.forms.json_editing import edit_as_json
from flagtui.app.shell.change_tasks import OnReport
from flagtui.app.shell.kept_texts import keeping_texts
from flagtui.app.state.app_state import AppState
from flagtui.app.writing.change_runner import ChangeRunner
from flagtui.changes.flags.flag_draft import WorkingCopy, flag_text, intent_of
from flagtui.changes.flags.flag_intent import retag, set_all_rollouts, set_rollout, switch, why_no_rollout
from flagtui.changes.skipped import Skipped
from flagtui.models.rows import FlagRow
from flagtui.text.styled import Notice


class FlagEdits:
    """Starts changes of the chosen flags; sends none of them.

    `on_report` is called with the report of every change. What is awaited here asks first; only within
    `ChangeRunner.run`.
    """

    def __init__(self, app_state: AppState, runner: ChangeRunner, on_report: OnReport) -> None:
        self._app_state = app_state
        self._runner = runner
        self._on_report = on_report
        self.making = FlagCreation(app_state, runner, on_report)
        self.related = RelatedChanges(app_state, runner)

    # At once

    def switch(self, rows: Sequence[FlagRow]) -> None:
        """Turn flags on or off. Several go the way of the first, so that nothing is turned on by surprise."""
        if rows:
            self._switch("turn off" if rows[0].active else "turn on", rows)

    def delete(self, rows: Sequence[FlagRow]) -> None:
        """Soft-delete."""
        self._switch("delete", rows)

    def archive(self, rows: Sequence[FlagRow]) -> None:
        """Archive these flags, which also turns them off, or unarchive them if the first is archived."""
        if rows:
            self._switch("unarchive" if rows[0].archived else "archive", rows)

    def _switch(self, verb: str, rows: Sequence[FlagRow]) -> None:
        self._runner.start([switch(verb, row.id, row.version) for row in rows], self._on_report)

    # After a question

    async def rollout(self, rows: Sequence[FlagRow]) -> None:
        """Ask for a share in percent, for one condition or all."""
        readable, skipped = await read_flags(rows, self._app_state, self._runner)
        flags = [flag for flag in readable if not why_no_rollout(flag)]
        skipped += [Skipped(flag.id, flag.key, why) for flag in readable if (why := why_no_rollout(flag))]
        if len(rows) == 1 and skipped:
            self._runner.show_toast(
                Notice(f"{skipped[0].key}: {skipped[0].reason}", "warning", "not possible now")
            )
            return
        answer = await self._runner.ask(RolloutScreen(flags)) if flags else None
        if answer is None:
            if not flags:
                self._runner.start([], self._on_report, skipped)
            return
        share, place = answer
        intents = [
            set_all_rollouts(flag, share) if place is None else set_rollout(flag, place, share)
            for flag in flags
        ]
        self._runner.start(intents, self._on_report, skipped)

    async def tags(self, rows: Sequence[FlagRow]) -> None:
        """Add, remove or set, for one flag or many."""
        whose = rows[0].key if len(rows) == 1 else f"{len(rows):,} flags"
        earlier, completion = [[*row.tags] for row in rows], complete_flag_tags(self._app_state)
        with keeping_texts(self._runner, self._app_state, f"tags of {[row.id for row in rows]}"):
            tags = await ask_tags(self._runner, whose, "flag", earlier, completion)
        if tags is not None:
            self._runner.start(await off_loop(lambda: retag(rows, tags), earlier), self._on_report)

    async def as_json(self, rows: Sequence[FlagRow]) -> None:
        """Edit flags in the user's editor, one at a time."""
        flag = await read_flag(rows[0], self._app_state, self._runner)
        if flag is None:
            return
        record = flag_text(flag)
        edited = await edit_as_json(self._runner, record, self._app_state.session.state_folder / "drafts")
        intent = intent_of({**record.shown, **edited.changes}, flag) if edited is not None else None
        if edited is not None and intent is not None:
            await self._runner.change([intent], edited.on_report)
            edited.report_copy(self._runner)

    async def form(self, rows: Sequence[FlagRow]) -> None:
        """Edit flags in a form, one at a time."""
        flag = await read_flag(rows[0], self._app_state, self._runner)
        if flag is not None:
            copy = await off_loop(lambda: WorkingCopy.of(flag), flag.filters)
            await FormScreen(self._app_state, self._runner, copy).open()
