"""The rollout dialog: a number, or a step of the ramp, for one condition or for all."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding
from textual.widgets import Input, OptionList, Static

from flagtui.app.dialogs.picker import HungLines
from flagtui.app.widgets.dialog import Dialog
from flagtui.app.widgets.field import Field
from flagtui.app.widgets.line import styled
from flagtui.changes.flags.flag_intent import RAMP, ramp_step
from flagtui.models.filters import Condition, Filters
from flagtui.models.flag import Flag
from flagtui.models.json_value import format_number
from flagtui.safe_text import safe_text
from flagtui.text.flag_sentences import condition_lines
from flagtui.text.formats import percent, share_bar, share_of
from flagtui.text.styled import Piece

BAR: Final = 28
BESIDE_BAR: Final = 24
"""Cells of the screen beside the bar: the frame, and the shares."""
MOST: Final = 200
"""Conditions to choose from; beyond that a flag is edited as JSON."""
CLAUSES: Final = 20
"""Properties of a condition that its line has room for."""


RolloutAnswer = tuple[float, int | None]
"""A share in percent for one condition, by its place, or for all of them."""


class RolloutScreen(Dialog[RolloutAnswer | None]):
    """Digits are typed; + and - go along the ramp; arrows choose the condition."""

    BINDINGS = [
        Binding("escape", "leave", "leave", key_display="esc", priority=True),
        Binding("plus", "step(True)", "next step", priority=True),
        Binding("minus", "step(False)", "step back", priority=True),
        Binding("down", "move(1)", "down", show=False, priority=True),
        Binding("up", "move(-1)", "up", show=False, priority=True),
        # Each condition has a share of its own.
        Binding("tab", "circle(1)", "next condition", show=False, priority=True),
        Binding("shift+tab", "circle(-1)", "condition before", show=False, priority=True),
    ]
    AUTO_FOCUS = "Input"
    around = (9, 5)

    def __init__(self, flags: Sequence[Flag]) -> None:
        super().__init__()
        self._flags = flags
        self._choices = list(choices_of(flags))
        self._started_from = -1
        """The place whose share was put into the field last."""

    def compose(self) -> ComposeResult:
        name = self._flags[0].key if len(self._flags) == 1 else f"{len(self._flags):,} flags"
        walk = " · tab next" if len(self._choices) > 1 else ""
        if (total := len(self._flags[0].targeting.conditions)) > MOST and len(self._flags) == 1:
            name = f"{MOST} of {total:,} conditions of {name}"
        keys = f"0–100 · + - ramp{walk} · ⏎ accept · esc leave"
        with self.make_box("rollout", f"Rollout of {safe_text(name, 50)}", keys):
            options = HungLines([pieces for _, _, pieces in self._choices])
            options.can_focus = False
            yield options
            yield Field(restrict=r"[0-9]{0,3}([.][0-9]{0,4})?", max_length=8)
            yield Static(id="reading")

    def on_mount(self) -> None:
        self.query_one(OptionList).highlighted = 0
        self._start_from(0)

    def on_resize(self) -> None:
        lines = self.query_one(HungLines)
        self.fit_list(lines.hang(min(76, self.app.size.width * 98 // 100) - 9))
        self._show(self.query_one(Field).value)

    @property
    def _place(self) -> int:
        return self.query_one(OptionList).highlighted or 0

    def _start_from(self, place: int) -> None:
        self._started_from = place
        number = self.query_one(Field)
        number.value = format_number(self._choices[place][1])
        number.select_all()
        self._show(number.value)

    @on(OptionList.OptionHighlighted)
    def _on_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        # What was typed since a key went there is kept.
        if event.option_index != self._started_from:
            self._start_from(event.option_index)

    @on(Input.Changed)
    def _on_typed(self, event: Input.Changed) -> None:
        event.stop()
        self._show(event.value)

    def _show(self, text: str) -> None:
        self.query_one("#reading", Static).update(
            styled(*_reading(self._choices[self._place][1], text, self.app.size.width - BESIDE_BAR))
        )

    @on(Input.Submitted)
    def _on_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        share = share_of(event.value)
        if share is not None:
            self.dismiss((share, self._choices[self._place][0]))

    def on_click(self, event: events.Click) -> None:
        """Use the clicked step of the ramp, which is drawn below the bar."""
        within = self.query_one("#reading").content_region
        at = event.screen_x - within.x
        for step in RAMP:
            if 0 <= at < len(str(step)) and event.screen_y == within.y + 1:
                self.query_one(Field).value = str(step)
            at -= len(_step(step))

    def action_step(self, forward: bool) -> None:
        number = self.query_one(Field)
        share = share_of(number.value)
        number.value = str(ramp_step(self._choices[self._place][1] if share is None else share, forward))
        number.select_all()

    def action_move(self, step: int) -> None:
        """Go to the next condition; the ends are ends."""
        self._go_to(max(0, min(len(self._choices) - 1, self._place + step)))

    def action_circle(self, step: int) -> None:
        """Go to the next condition, and from the last one to the first."""
        self._go_to((self._place + step) % len(self._choices))

    def _go_to(self, place: int) -> None:
        """Go there at once: a digit of the same packet belongs to it."""
        if place != self._place:
            self.query_one(OptionList).highlighted = place
            self._start_from(place)


Choice = tuple[int | None, float, list[Piece]]
"""Place of the condition, its share now, and its line."""


def choices_of(flags: Sequence[Flag]) -> Iterator[Choice]:
    """Yield each condition, and all of them together where there are several."""
    filters = flags[0].targeting
    places = (place for place, raw in enumerate(filters.stored_conditions) if isinstance(raw, dict))
    if len(flags) == 1:
        for place, condition in islice(zip(places, filters.conditions, strict=True), MOST):
            yield place, condition.rollout, _condition(place, condition, filters)
    if len(flags) > 1 or len(filters.conditions) > 1:
        highest = max((flag.targeting.rollout for flag in flags), default=0.0)
        yield None, highest, [("   ", ""), ("every condition", "bold")]


def _condition(place: int, condition: Condition, filters: Filters) -> list[Piece]:
    """Return a condition as one line, however many properties it has."""
    head, *rest = condition_lines(place + 1, condition, filters, most=CLAUSES)
    pieces: list[Piece] = [*head]
    for line in rest:
        (opening, style), *others = line
        pieces += [(f" {opening.strip()} " if opening.strip() else " ", style), *others]
    return pieces


def _reading(before: float, text: str, room: int) -> list[Piece]:
    share = share_of(text)
    if share is None:
        return [("a number from 0 to 100", "$warning" if text else "$text-muted"), ("\n", ""), *_ramp(None)]
    style = "$success" if share >= before else "$warning"
    return [
        *share_bar(share / 100, max(1, min(BAR, room)), style),
        (f"  {percent(before)} → ", "$text-muted"),
        (percent(share), f"bold {style}"),
        ("\n", ""),
        *_ramp(share),
    ]


def _ramp(share: float | None) -> list[Piece]:
    """Return the steps of the ramp, with the current one in bold."""
    return [(_step(step), "bold $primary" if step == share else "$faint") for step in RAMP]


def _step(step: int) -> str:
    return f"{step}  "
