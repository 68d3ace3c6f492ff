"""A form whose draft outlives the program: stored when that ends, offered when the form is opened again."""

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final, Generic

from textual.screen import Screen

from flagtui.app.dialogs.picker import Choice, PickerScreen
from flagtui.app.forms.form_lines import FormLine
from flagtui.app.forms.line_keys import CopyT, LineKeys, QuestionsT
from flagtui.app.shell.kept_texts import find_shelf
from flagtui.app.widgets.dialog import Dialog
from flagtui.changes.draft import Draft
from flagtui.changes.kept_drafts import KeptDraft, OpenQuestion
from flagtui.local_time import ago
from flagtui.text.styled import Notice

DISCARD: Final = -1
"""The choice of none; the others are places."""


class KeptForm(LineKeys[CopyT, QuestionsT], Generic[CopyT, QuestionsT]):
    """Stores its draft, and the text of an open question about one of its lines."""

    _asked: FormLine | None = None
    """The line that a question is open about."""
    _unanswered: OpenQuestion | None = None
    """The question about a line that an earlier run left open, until it is asked again."""

    @property
    @abstractmethod
    def draft_id(self) -> str:
        """The record among those of its kind; the same for all new ones."""

    @property
    @abstractmethod
    def record_name(self) -> str:
        """The key or name of the record as it is entered, raw."""

    @abstractmethod
    async def ask_about(self, line: FormLine) -> None:
        """Ask for a new value of the line. Only within `ChangeRunner.run`."""

    def keep_edits(self, above: Sequence[Screen[Any]]) -> str:
        shelf, unanswered = find_shelf(self._app_state), self._find_unanswered(above)
        if shelf is None or self._copy.is_secret or not (self.has_edits or unanswered):
            return ""
        now = self._app_state.session.clock.time()
        kept = KeptDraft(self.record_name, now, self._copy.state(), unanswered)
        shelf.keep(kept, self._copy.noun, self.draft_id)
        return self.record_name

    def _find_unanswered(self, above: Sequence[Screen[Any]]) -> OpenQuestion | None:
        dialogs = (screen for screen in above if isinstance(screen, Dialog))
        entered = ((dialog.question, dialog.entered) for dialog in dialogs)
        texts = {str(question): text for question, text in entered if isinstance(text, str)}
        return OpenQuestion(str(self._asked.id), texts) if self._asked is not None and texts else None

    @contextmanager
    def asking(self, line: FormLine) -> Iterator[Mapping[str, str]]:
        """Remember the line that is asked about; yield the texts that an earlier run left in it."""
        unanswered, self._unanswered = self._unanswered, None
        self._asked = line
        try:
            yield unanswered.texts if unanswered is not None and unanswered.line == str(line.id) else {}
        finally:
            self._asked = None

    async def open(self) -> None:
        """Open the form, with what the end of an earlier run left unsaved if the user wants it.

        Only within `ChangeRunner.run`.
        """
        shelf = find_shelf(self._app_state)
        kept = [] if shelf is None else shelf.find(self._copy, self.draft_id)
        if kept and not await self._offer(kept):
            return
        await self._runner.app.push_screen(self)
        unanswered = self._unanswered
        line = next((line for line in self._lines if unanswered and str(line.id) == unanswered.line), None)
        if line is not None:
            self._stand_on(line.id)
            self._runner.run(self.while_living(self.ask_about(line)))

    async def _offer(self, kept: Sequence[KeptDraft]) -> bool:
        """Ask whether to restore one of the drafts, or none; they stay if the question is left."""
        draft, now = self._copy, self._app_state.session.clock.time()
        choices = [
            Choice(place, f"restore {each.name}" if draft.is_new else "restore", _explain(each, draft, now))
            for place, each in enumerate(kept)
        ]
        choices.append(Choice(DISCARD, "discard", "the form begins without it"))
        chosen = await self._runner.ask(PickerScreen("Open when flagtui ended", choices))
        if chosen is None:
            return False
        for each in kept if chosen == DISCARD else [kept[chosen]]:
            each.discard()
        if chosen != DISCARD:
            self._restore(kept[chosen])
        return True

    def _restore(self, kept: KeptDraft) -> None:
        if lost := kept.compare(self._copy).lost:
            names = ", ".join(map(self._copy.fields.words, lost))
            self._runner.show_toast(Notice(f"no longer editable: {names}", "warning", "not restored"))
        self._copy.resume(kept.state)
        self._unanswered = kept.unanswered


def _explain(kept: KeptDraft, draft: Draft, now: float) -> str:
    """Return the age of a draft, its fields, and what was saved since: another version, other values."""
    compared, version, latest = kept.compare(draft), kept.state.get("version"), draft.state().get("version")
    words = [ago(kept.kept_at, now)]
    if version != latest:
        words.append(f"of v{version}, now v{latest}")
    if compared.changed:
        words.append(f"changed since: {', '.join(map(draft.fields.words, compared.changed))}")
    elif not draft.is_new:
        words.append(", ".join(map(draft.fields.words, compared.editable)))
    return "; ".join(filter(None, words))
