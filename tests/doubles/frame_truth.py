"""Compare the frame of the screen in front with the model: arrow, counts, marks, keys, undo, dot."""

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, Final

from textual.screen import Screen

from flagtui.app.app import FlagTui
from flagtui.app.lists.list_screen import ListScreen
from flagtui.app.shell.footer import KeyLine
from flagtui.app.shell.header import Header
from flagtui.app.shell.status_line import FramedScreen
from flagtui.app.state.go_to import TABS
from flagtui.app.widgets.dialog import Dialog
from flagtui.app.writing.question import ConfirmScreen
from flagtui.changes.guard import Question

COMPARED: Final = Counter[str]()
"""Compared steps, and how often each part of the frame was compared."""
ACTIVITY: Final = TABS["activity"]
MOST_ROWS: Final = 400
"""Rows of a list up to which their order is compared."""


class FrameUntrue(AssertionError):
    """The frame shows something else than the model."""


def compare_frame(app: FlagTui) -> None:
    """Raise FrameUntrue for a part of the frame that is not true now."""
    screen, workspace = app.screen, app.app_state.workspace
    unresolved = workspace.unresolved if workspace is not None else 0
    COMPARED["steps"] += 1
    for name, shown, true in _facts(screen, unresolved):
        COMPARED[name] += 1
        if shown != true:
            raise FrameUntrue(f"{name} of {type(screen).__name__}: {shown!r} is shown, {true!r} is true")


def _facts(screen: Screen[Any], unresolved: int) -> Iterator[tuple[str, object, object]]:
    """Yield the name of a part of the frame, what is shown there, and what is true."""
    if isinstance(screen, ConfirmScreen):
        promised = screen._hint().removeprefix(f"{_way(screen, 'undo')}: ")
        yield "undo", promised, _undo_of(screen, screen._question)
    if isinstance(screen, Dialog):
        below = screen.app.screen_stack[screen.app.screen_stack.index(screen) - 1]
        if below.query(KeyLine) and screen.key_words() != [""]:
            shown = {pair[0][0] for pair in below.query_one(KeyLine)._shown}
            yield "keys of a dialog", shown, {words.partition(" ")[0] for words in screen.key_words()}
    if isinstance(screen, FramedScreen) and screen.query(Header):
        is_named = "not known" in screen.query_one(Header)._right.plain
        yield "dot", is_named, bool(unresolved)
    if isinstance(screen, ListScreen) and screen.rows.columns:
        yield from _list_facts(screen)


def _list_facts(screen: ListScreen[Any]) -> Iterator[tuple[str, object, object]]:
    rows, finder = screen.rows, screen._finder
    chips = screen.query_one("#chips")._right.plain  # type: ignore[attr-defined]  # it is a line
    marked = len(rows.marks)
    yield "marks", f"{marked:,} marked" in chips, marked > 0
    texts = [pair[1][0] for line in screen.query(KeyLine) for pair in line._shown]
    cursor_keys = [text for text in texts if text.strip().endswith("at cursor")]
    if not marked:
        yield "keys at the cursor", cursor_keys, []
    order = [*rows._order]
    if rows._sort is not None and len(order) <= MOST_ROWS:
        ordering = finder._listing.orders[finder.ranking.sort.name]
        keys = [
            (
                ordering.rank(
                    row, is_reversed=finder.ranking.sort.is_reversed, outside=finder.ranking.outside
                ),
                (ordering.label or finder._listing.label)(row),
            )
            for row in (rows._rows[at] for at in order)
        ]
        if not ordering.has_value and finder.ranking.sort.is_reversed:
            keys.reverse()
        yield "arrow", all(left <= right for left, right in pairwise(keys)), True
    # The activity counts entries that were not read yet.
    if not screen.search.value and not screen.missing() and screen.tab != ACTIVITY:
        apart = sum(finder.apart(order).values())
        numbers = [word for word in chips.split() if word.replace(",", "").replace("/", "").isdigit()]
        position = f"{screen.rows.position:,}/" if order and not apart else ""
        yield "count", numbers[-1:], [f"{position}{len(order) - apart:,}"] if finder.total else []


def _way(screen: ConfirmScreen[Any], way: str) -> str:
    """Return the first key of the user for undo or redo, in words."""
    key = screen.app._keymap.get(f"app.{way}", {"undo": "u", "redo": "U"}[way])
    return f"{way} with {key.partition(',')[0]}"


def _undo_of(screen: ConfirmScreen[Any], question: Question[Any]) -> str:
    """Return what `u`, or `U` after an undo, does once the question is confirmed."""
    plans, purpose = question.plans, question.planned.purpose
    if question.planned.without_journal or not all(plan.verb.undo for plan in plans):
        return ""
    if purpose is not None:
        return _way(screen, "redo" if purpose.name == "Undo" else "undo")
    words = {plan.verb.undo_of(len(plans)) for plan in plans}
    return words.pop() if len(words) == 1 else f"undo the {len(plans):,} changes"
