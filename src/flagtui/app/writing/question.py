"""The question before a change: before → after, affected users, dependents, the last editor."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final, Generic

from rich.cells import cell_len
from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.geometry import Size
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from flagtui.app.dialogs.picker import OptionLines
from flagtui.app.state.app_state import Session
from flagtui.app.widgets.dialog import AnswerButton
from flagtui.app.widgets.field import Field
from flagtui.app.widgets.line import cut, join_lines, styled
from flagtui.app.writing.typed_entry import REASON, Entry, Typed, WithReason, lines_apart
from flagtui.changes.guard import ARMS_AFTER, Approved, Confirmation, NotYet, Question
from flagtui.changes.proposal import P
from flagtui.changes.skipped import Skipped, refused_first
from flagtui.safe_text import safe_text
from flagtui.text.key_signs import key_sign
from flagtui.text.long_lists import are_longer, lay_out_long
from flagtui.text.outcomes import count_skipped
from flagtui.text.question_lines import question_lines
from flagtui.text.styled import Piece

SHORT: Final = 20
"""Below so many lines of screen there is no room for empty ones."""
TALLEST: Final = 96
"""Percent of the screen's height that the dialog may take, as the stylesheet has it."""


class ConfirmScreen(WithReason[Approved[P] | Skipped | None], Generic[P]):
    """Answers with the guard's approval, with a skipped record to open instead, or None.

    A key counts only after a moment in which nothing was pressed or pasted: the key that opened the
    dialog, a held key and type-ahead never confirm.
    """

    BINDINGS = [
        Binding("escape", "decline", "cancel", key_display="esc", priority=True),
        Binding("n", "answer_no", "cancel", show=False),
        Binding("y", "accept", "yes"),
        Binding("o", "overwrite", "overwrite"),
        Binding("down", "scroll(1)", "down", show=False),
        Binding("up", "scroll(-1)", "up", show=False),
        Binding("pagedown", "scroll_page(1)", "page down", show=False),
        Binding("pageup", "scroll_page(-1)", "page up", show=False),
        Binding("end", "scroll_page(1000)", "end", show=False),
        Binding("home", "scroll_page(-1000)", "begin", show=False),
    ]

    def __init__(self, question: Question[P], session: Session, *, is_partial: bool = False) -> None:
        super().__init__()
        self.is_partial = is_partial
        """Whether a fact of the question is still being requested."""
        self._question = question
        self._session = session
        self._last_key = session.clock.monotonic()
        self._told_at = float("-inf")
        self._was_quiet = False
        self._fitted = Size(0, 0)
        """The terminal's size that the text was laid out for."""
        self._is_cut = False
        """Whether the text is longer than the room for it."""

    def show(self, question: Question[P]) -> None:
        """Replace the question by a fuller one; keys pressed before it was shown do not confirm it."""
        self._question, self._told_at, self.is_partial = question, self._session.clock.monotonic(), False
        if self.is_mounted:
            self._fit()

    @property
    def asked(self) -> Question[P]:
        """The question that is confirmed."""
        return self._question

    def fact_lines(self, width: int) -> Iterator[list[Piece]]:
        """Return what the question is about."""
        return question_lines(self._question, width, self._session.now())

    def compose(self) -> ComposeResult:
        with Vertical(id="question", classes=f"-{self._session.colour}"):
            if self._question.planned.skipped:
                yield from self._skipped_lines()
            with VerticalScroll(id="consequences", can_focus=False):
                yield Static(id="facts")
            yield from self._entries()
            with Horizontal(id="answers"):
                yield AnswerButton("Cancel  esc", id="cancel")
                yield AnswerButton(self._accept_label(), id="accept")
            yield Static(styled((self._hint(), "$faint")), id="complaint")

    def key_words(self) -> Sequence[str]:
        words, _, key = self._accept_label().plain.rpartition("  ")
        answers = super().key_words() if self._has_fields else (f"{key} {words}", "esc cancel")
        return (*answers, *([self.down_words] if self.down_words else ()))

    @property
    def down_words(self) -> str:
        """The key `↓` with its effect; empty where it has none."""
        return "↓ scroll" if self._is_cut else ""

    def _skipped_lines(self) -> ComposeResult:
        skipped = refused_first(self._question.planned.skipped)
        yield Static(
            styled(
                (count_skipped(skipped), "bold $warning"),
                # Tab leads to the answers first, and Enter there would be one.
                ("  shift+tab ⏎ opens one", "$text-muted"),
            )
        )
        # Its letters are no commands: only Enter does something there.
        named = ((safe_text(skip.key, 48), f"  {safe_text(skip.why, 300)}") for skip in skipped)
        lines = (styled((key, "bold"), (why, "$text-muted")) for key, why in named)
        options = OptionLines(*map(Option, lines), id="left-out")
        options.add_class("-stop")
        yield options

    def typed_words(self) -> Content:
        """Return what to type, as the entry names it."""
        typed = safe_text(self.asked.type_this or "", 80)
        return styled(("to confirm, type ", f"${self._session.colour}"), (typed, "bold"))

    def typed_field(self, id: str) -> Typed:
        """Return the field for the text that confirms."""
        return Typed(id=id)

    def _entries(self) -> ComposeResult:
        if typed := self._question.type_this:
            yield Entry(self.typed_words(), self.typed_field("typed"), cell_len(typed))
        if self._question.reason_required:
            yield Entry(styled(("why, for the journal:", "$text-muted")), self.reason_field(), REASON)

    def _title(self, width: int) -> str:
        """Return the title with a visible place, however long the name of the record is."""
        title, place = safe_text(self.asked.title, 200), safe_text(self.asked.place, 40)
        place = f" in {place}" if place else ""
        return cut(title.removesuffix(place), width - cell_len(place)) + place

    @property
    def _has_fields(self) -> bool:
        """Letters are text then, wherever the focus is."""
        return bool(self.asked.type_this) or self.asked.reason_required

    def _accept_label(self) -> Content:
        question, purpose = self._question, self._question.planned.purpose
        if question.conflicts:
            whose = {"you": "mine", "others": "theirs"}.get(question.overwritten, "it")
            verb = "Stage over" if purpose is not None and purpose.name == "Stage" else "Overwrite"
            return styled(f"{verb} {whose}  {'tab ⏎' if self._has_fields else 'o'}")
        return styled(f"{safe_text(question.accept_words, 40)}  {'⏎' if self._has_fields else 'y'}")

    def _hint(self) -> str:
        words, purpose = self._question.undo_words, self._question.planned.purpose
        way = "redo" if purpose is not None and purpose.name == "Undo" else "undo"
        back = f": {safe_text(words, 60)}" if purpose is None else ""
        return f"{way} with {key_sign(f'app.{way}')}{back}" if words else ""

    async def on_event(self, event: events.Event) -> None:
        """Notice every key before anything acts on it, to know how quiet it was before."""
        if isinstance(event, events.Key):
            now = self._session.clock.monotonic()
            self._was_quiet, self._last_key = now - self._last_key >= ARMS_AFTER, now
        elif isinstance(event, events.Paste):
            self._last_key = self._session.clock.monotonic()
        await super().on_event(event)

    @on(OptionList.OptionSelected)
    def _on_skipped_opened(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        self.dismiss(refused_first(self._question.planned.skipped)[event.option_index])

    @on(AnswerButton.Pressed, "#accept")
    def _on_accepted(self) -> None:
        now = self._session.clock.monotonic()
        self._was_quiet = self._was_quiet or now - self._last_key >= ARMS_AFTER
        self._settle(overwrite=bool(self._question.conflicts))

    @on(Input.Submitted)
    def _on_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self._was_quiet = self._was_quiet or event.value != self.recalled
        reason = next(iter(self.query("#reason").results(Field)), None)
        is_typed = event.input.id == "typed" and event.value == self.asked.type_this
        if is_typed and reason is not None and not reason.value.strip():
            reason.focus()
        else:
            self._settle(overwrite=False)

    def action_decline(self) -> None:
        self.dismiss(None)

    @on(AnswerButton.Pressed, "#cancel")
    def action_answer_no(self) -> None:
        self.action_decline()

    def action_accept(self) -> None:
        self._settle(overwrite=False)

    def action_overwrite(self) -> None:
        self._settle(overwrite=True)

    def on_resize(self) -> None:
        if self.app.size != self._fitted:
            self._fit()

    def redraw_ages(self) -> None:
        """Redraw every age; called once a minute."""
        self._fit()

    def _fit(self) -> None:
        """Keep the answers visible, however little room the question has."""
        if not self.query("#facts"):
            # Its parts go before it does, and a late fact or a new minute can come in between.
            return
        self._fitted = self.app.size
        # In few cells a question lies below a cover, and still has to be laid out.
        width = max(1, min(88, self.app.size.width - 8))
        box = self.query_one("#question")
        box.border_title = styled(
            (f" {self._title(min(88, self.app.size.width - 10))} ", f"bold ${self._session.colour}")
        )
        box.border_subtitle = "tab next · ⏎ confirm · esc cancel" if self._has_fields else ""
        entries, is_short = self.query(Entry), self.app.size.height < SHORT
        box.set_class(is_short, "-short")
        # On a narrow screen a complaint takes two lines.
        frame = (4 if is_short else 6) + (self.app.size.width < 80)
        room = self.app.size.height * TALLEST // 100 - frame
        if entries:
            with_space = room - lines_apart(len(entries))
            is_close = is_short or are_longer(self.fact_lines, with_space, width)
            close = sum(entry.fit(width, is_close=is_close) for entry in entries)
            room = room - close if is_close else with_space
            box.set_class(not is_close, "-apart")
        if skipped := self.query("#left-out"):
            # What can be done comes first where there is not much room.
            lines = min(len(self._question.planned.skipped) * 2, max(2, (room - 1) // 3))
            skipped.first().styles.max_height = lines
            room -= lines + (1 if is_short else 2)
        self.query_one("#consequences").styles.max_height = room = max(3, room)
        # The box takes its border and padding, and the scroll bar of a long text a cell.
        beside_bar = min(96, self.app.size.width * 98 // 100) - (4 if is_short else 6) - 1
        rest = self.fact_lines(width)
        facts = [*islice(rest, room + 1)]
        if len(facts) > room:
            facts, rest = lay_out_long(self.fact_lines, room, width, beside_bar, is_short=is_short), iter(())
        facts.extend(rest)
        text = join_lines(facts, width).rstrip()
        # One empty line is above the answers: theirs, or one of the facts unless those fill the room.
        ends_empty = len(facts) != room and (is_short or bool(entries))
        self.query_one("#facts", Static).update(text + "\n" if ends_empty else text)
        if self._is_cut != (len(facts) > room):
            self._is_cut = not self._is_cut
            self._redraw_keys()

    def on_mount(self) -> None:
        # An earlier toast would cover the question.
        self.app.clear_notifications()
        self._fit()
        self.query(Typed).first().focus() if self._has_fields else self.query_one("#cancel").focus()

    def action_scroll(self, lines: int) -> None:
        self.query_one("#consequences", VerticalScroll).scroll_relative(y=lines, animate=False)

    def action_scroll_page(self, pages: int) -> None:
        consequences = self.query_one("#consequences", VerticalScroll)
        consequences.scroll_relative(y=pages * max(1, consequences.size.height - 1), animate=False)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        has_conflicts = bool(self._question.conflicts)
        allowed = {"answer_no": True, "overwrite": has_conflicts, "accept": not has_conflicts}
        return allowed[action] and not self._has_fields if action in allowed else True

    def _settle(self, *, overwrite: bool) -> None:
        if not self.is_current:
            return
        typed = {field.id: field.value for field in self.query(Typed)}
        answer = Confirmation(
            yes=True,
            typed=typed.get("typed", ""),
            reason=typed.get("reason", ""),
            overwrite=overwrite,
            without_journal=bool(self._question.planned.without_journal),
            is_key_repeat=not self._was_quiet,
            is_to_less=self._session.clock.monotonic() - self._told_at < ARMS_AFTER,
        )
        match self.asked.settle(answer):
            case NotYet(why):
                complaint = styled((f"{why}; nothing was sent", "$warning"))
                self.query_one("#complaint", Static).update(complaint)
            case approved:
                self.dismiss(approved)
