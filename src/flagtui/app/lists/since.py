"""Compare the rows of a list with its cached copy from an earlier moment."""

import asyncio
from collections.abc import Iterator, Sequence
from typing import ClassVar, Final

from msgspec import Struct
from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.widgets import Input, Static

from flagtui import local_time
from flagtui.app.state.app_state import AppState
from flagtui.app.widgets.dialog import Dialog
from flagtui.app.widgets.field import Field, at_once
from flagtui.app.widgets.line import join_lines
from flagtui.safe_text import safe_text
from flagtui.store.activity_listing import invalid_moment, read_moment
from flagtui.store.kinds import BY_ROW, Kind
from flagtui.store.list_differences import Changed, Comparison, compare
from flagtui.store.query.vocabulary import WrongValue
from flagtui.store.snapshots import Snapshot
from flagtui.text.formats import moment
from flagtui.text.styled import Piece

KEYS: Final = "⏎ compare · esc close"
USUAL: Final = "yesterday 18:00"
MOST: Final = 300
"""Records listed one by one."""
NAMES: Final = {"active": "on", "runtime": "runs on", "seen_at": "last seen"}


class SinceScreen(Dialog[None]):
    """Prompts for a moment and shows the difference; sends no request."""

    BINDINGS: ClassVar[list[BindingType]] = at_once(
        Binding("escape", "leave", "close", key_display="esc"),
        Binding("down", "scroll(1)", "down", show=False),
        Binding("up", "scroll(-1)", "up", show=False),
        Binding("pagedown", "scroll(12)", "page down", show=False),
        Binding("pageup", "scroll(-12)", "page up", show=False),
    )
    AUTO_FOCUS = "Input"

    def __init__(self, app_state: AppState, kind: Kind = "flags") -> None:
        super().__init__()
        self._app_state = app_state
        self._kind = kind

    def compose(self) -> ComposeResult:
        title = f"Changes in the {self._kind} since"
        with self.make_box("since", title, KEYS):
            zone = local_time.label(self._app_state.session.clock.time())
            hint = f"2h, 14:05, today, yesterday 18:00, 2026-11-21T09:00; in {zone}"
            yield Field(USUAL, placeholder=hint)
            with VerticalScroll(can_focus=False):
                yield Static(id="difference")

    def on_mount(self) -> None:
        self.query_one(Field).select_all()
        self._compare(USUAL)

    @on(Input.Submitted)
    def _on_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self._compare(event.value)

    @work(exclusive=True, group="inspect", description="compare")
    async def _compare(self, text: str) -> None:
        workspace = self._app_state.workspace
        if workspace is None:
            self._show([[("There is nothing to compare yet.", "$warning")]])
            return
        try:
            then = read_moment(text, self._app_state.session.clock.time())
        except WrongValue:
            words = invalid_moment(text, self._app_state.session.clock.time())
            self._show([[(words, "$warning")]])
            return
        copy: Snapshot[Struct] | None = await asyncio.to_thread(workspace.as_of, then, self._kind)
        if copy is None:
            oldest = next(iter(workspace.copies(self._kind)), None)
            oldest_words = f"The oldest copy of this list is from {moment(oldest)}." if oldest else ""
            self._show([[("No copy of this list is that old. ", "$warning"), (oldest_words, "")]])
            return
        comparison = await asyncio.to_thread(compare, copy.rows, workspace.collection(self._kind).server_rows)
        self._show([*difference_lines(comparison, copy.taken_at)])

    def _show(self, lines: Sequence[Sequence[Piece]]) -> None:
        self.query_one("#difference", Static).update(join_lines(lines))
        self.call_after_refresh(self._show_keys)

    def on_resize(self) -> None:
        self.call_after_refresh(self._show_keys)

    def _show_keys(self) -> None:
        """Name the key that scrolls where it does."""
        scrolls = self.query_one(VerticalScroll).max_scroll_y > 0
        self.query_one("#since").border_subtitle = KEYS.replace(" · ", " · ↓ more · ", 1) if scrolls else KEYS
        self._redraw_keys()

    def action_scroll(self, lines: int) -> None:
        self.query_one(VerticalScroll).scroll_relative(y=lines, animate=False)


def difference_lines(comparison: Comparison[Struct], taken_at: float) -> Iterator[list[Piece]]:
    """Yield each added, removed or changed record, in words."""
    yield [(f"compared with the copy of {moment(taken_at)}", "$text-muted")]
    yield []
    if comparison.is_empty:
        yield [("No changes.", "")]
        return
    lines = [*_lines(comparison)]
    yield from lines[:MOST]
    if len(lines) > MOST:
        yield [(f"… and {len(lines) - MOST:,} more", "$text-muted")]


def _lines(comparison: Comparison[Struct]) -> Iterator[list[Piece]]:
    came, went = ("+ ", "bold $success"), ("− ", "bold $error")
    for sign, rows, words in ((came, comparison.added, "  is new"), (went, comparison.gone, "  is gone")):
        for row in rows:
            yield [sign, (_name_of(row), "bold"), (words, "$text-muted")]
    for changed in comparison.changed:
        words = ", ".join(_words(changed)) or "changed in a way the list does not show"
        yield [("~ ", "bold $warning"), (_name_of(changed.after), "bold"), (f"  {words}", "")]


def _words(changed: Changed[Struct]) -> Iterator[str]:
    for field in changed.fields:
        before, after = (_value(field, getattr(row, field)) for row in (changed.before, changed.after))
        # Where a key names the record, its name is a description.
        is_text = field == "name" and _label(changed.after) != "name"
        name = "description" if is_text else NAMES.get(field, field.removesuffix("_at").replace("_", " "))
        yield f"{name} {before} → {after}"


def _name_of(row: Struct) -> str:
    """Return the name by which users know the record."""
    return safe_text(getattr(row, _label(row)), 80)


def _label(row: Struct) -> str:
    return BY_ROW[type(row)].label


def _value(field: str, value: object) -> str:
    if field.endswith("_at") and isinstance(value, float):
        return moment(value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple | list):
        return safe_text(" ".join(map(str, value)), 60) or "none"
    return safe_text("none" if value in (None, "") else value, 60)
