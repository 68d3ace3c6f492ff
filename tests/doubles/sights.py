"""What a step of a journey leads to: phrases on screen and in the last toast, the kind of screen in front."""

import re
from collections.abc import Iterable
from typing import Any, NamedTuple, TypedDict

from textual.app import App
from textual.screen import Screen

from flagtui.app.widgets.row_list import RowList

Phrases = str | tuple[str, ...]


class Sight(TypedDict, total=False):
    """What a person sees after a step; a phrase is found wherever it wraps."""

    shows: Phrases
    lacks: Phrases
    toast: Phrases
    """Of the last toast."""
    toasts: Phrases
    """Each of any toast that is still known."""
    front: type[Screen[Any]]
    """The kind of screen in front."""
    rows: int
    """How many the list in front shows."""
    sent: int
    """How many changes were sent so far."""


class Seen(NamedTuple):
    """What the program shows and has sent."""

    app: App[Any]
    drawn: str
    toasts: list[str]
    sent: list[str]


def phrases(given: Phrases) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else given


def find_missing(text: str, *expected: str) -> list[str]:
    """Return the phrases that a text lacks."""
    return [each for each in expected if each not in text]


def check_sight(seen: Seen, sight: Sight) -> None:
    """Raise AssertionError where the program shows something else, or has sent it."""
    app, drawn, toasts, sent = seen
    last = (toasts or [""])[-1]
    missing = find_missing(f"{drawn}\n{words(drawn)}", *phrases(sight.get("shows", ())))
    left = [each for each in phrases(sight.get("lacks", ())) if each in f"{drawn}\n{words(drawn)}"]
    not_last = find_missing(f"{last}\n{words(last)}", *phrases(sight.get("toast", ())))
    unknown = [each for each in phrases(sight.get("toasts", ())) if not any(each in text for text in toasts)]
    assert not missing, f"{missing} not on screen:\n{drawn}"
    assert not left, f"{left} on screen:\n{drawn}"
    assert not not_last, f"{not_last} not in the last toast: {last}"
    assert not unknown, f"{unknown} not in any toast: {toasts}"
    assert isinstance(app.screen, sight.get("front", Screen)), f"{app.screen} is in front:\n{drawn}"
    assert "rows" not in sight or app.screen.query_one(RowList).shown == sight["rows"], drawn
    assert len(sent) == sight.get("sent", len(sent)), sent


def screen_text(app: App[Any]) -> str:
    """The characters on screen, line by line, without the blanks at their ends."""
    strips: Iterable[Any] = app.screen._compositor.render_strips()
    lines = ["".join(segment.text for segment in strip).rstrip() for strip in strips]
    return "\n".join(lines).rstrip() + "\n"


def words(text: str) -> str:
    """Text on one line, single-spaced, for looking a sentence up wherever it wraps."""
    return re.sub(r"[\s│╭╮╰╯─▏▌]+", " ", text)
