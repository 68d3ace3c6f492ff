"""Choose one of a few: a project, a profile. Type to narrow, enter chooses, escape leaves things be."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from rich.cells import cell_len
from textual.content import Content

from flagtui.app.dialogs.narrowed_list import ListedChoice, NarrowedList
from flagtui.app.widgets.line import cut, styled
from flagtui.safe_text import safe_text

V = TypeVar("V")

MOST_SHOWN: Final = 200
"""Choices drawn at once; typing brings the others."""


@dataclass(frozen=True)
class Choice(Generic[V]):
    """Something to choose. `name` and `about` are raw."""

    value: V
    name: str
    about: str = ""
    current: bool = False
    stays: bool = False
    """Offered whatever is typed: the way out when nothing listed is meant."""


class PickerScreen(NarrowedList[V], Generic[V]):
    """Answers with the value chosen, or None."""

    def __init__(self, title: str, choices: Sequence[Choice[V]]) -> None:
        super().__init__(title)
        self._choices = choices

    def lines(self, typed: str, width: int) -> Iterator[ListedChoice[V]]:
        wanted = typed.casefold().split()
        found = [
            choice
            for choice in self._choices
            if all(word in f"{choice.name} {choice.about}".casefold() for word in wanted)
        ]
        # What begins with the words is more likely meant than what has them somewhere.
        found.sort(key=lambda choice: not choice.name.casefold().startswith(typed.strip().casefold()))
        more = max(0, len(found) - MOST_SHOWN)
        found = found[:MOST_SHOWN]
        found += [choice for choice in self._choices if choice.stays and choice not in found]
        for choice in found:
            yield ListedChoice(_drawn(choice, width), choice.value, is_current=choice.current and not wanted)
        if more:
            words = styled((f"  and {more:,} more; type to narrow", "$faint"))
            yield ListedChoice(words, is_passed=True)


def _drawn(choice: Choice[V], width: int) -> Content:
    mark = ("● ", "$success") if choice.current else ("  ", "")
    name = cut(safe_text(choice.name, 60), width - 2)
    about = cut(safe_text(choice.about, 60), max(0, width - 4 - cell_len(name)))
    return styled(mark, (name, "bold"), (f"  {about}", "$text-muted"))
