"""Every screen and dialog lives at every size, and opens at every size, however little can be read there."""

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from msgspec.structs import replace
from tests.doubles import quiet
from tests.doubles.drawn_at_rest import draw
from tests.doubles.expected import require
from tests.doubles.setting import USUAL_SIZE
from tests.doubles.slices import FULL, one_in
from tests.doubles.source_trees import find_nodes
from tests.doubles.whole_program import WIDTH, Program
from textual.events import Resize
from textual.geometry import Size
from textual.screen import Screen

from flagtui.app.flags.form.payload import PayloadScreen
from flagtui.app.shell.footer import KeyLine
from flagtui.app.writing.results_screen import SKIPPED, Result, ResultsScreen
from flagtui.changes.guard import GuardRules, Level

SOURCE: Final = Path(__file__).parents[2] / "src" / "flagtui" / "app"
DEALT: Final = 60
"""Of so many screens each has other sizes; a full run has every size on every screen."""
ROOMY: Final = (WIDTH or USUAL_SIZE[0], USUAL_SIZE[1])
"""The size at which the shared program starts."""
TINY: Final = ((5, 3), (1, 1), (7, 24), (9, 12))
WIDTHS: Final = range(1, 61)
HEIGHTS: Final = range(1, 16)
GUARDED: Final = GuardRules(Level.GUARDED, place="TEST")
STRICT: Final = GuardRules(Level.STRICT, place="TEST", require_reason=True)


@dataclass(frozen=True)
class Way:
    """How a screen is opened from the list of flags."""

    screen: str
    keys: tuple[str, ...]
    rules: GuardRules = field(default=GUARDED)


WAYS: Final = (
    Way("FlagsScreen", ("home",)),
    Way("ExperimentsScreen", ("2",)),
    Way("EventsScreen", ("3",)),
    Way("ActivityScreen", ("4",)),
    Way("HelpScreen", ("question_mark",)),
    Way("PaletteScreen", ("colon",)),
    Way("PickerScreen", ("Y",)),
    Way("PromptScreen", ("number_sign",)),
    Way("CompletingPrompt", ("T",)),
    Way("RolloutScreen", ("down", "down", "percent_sign")),
    Way("EventScreen", ("3", "enter")),
    Way("InboxScreen", ("3", "i")),
    Way("ExperimentScreen", ("2", "enter")),
    Way("SeriesScreen", ("2", "enter", "enter")),
    Way("ExperimentForm", ("2", "n", "x", "enter", "enter", "enter")),
    Way("DeletedScreen", ("ctrl+r",)),
    Way("DueScreen", ("f7",)),
    Way("IdsScreen", ("number_sign", "1", "enter")),
    Way("MyFlagsScreen", ("I",)),
    Way("DefinitionsScreen", ("ctrl+g",)),
    *(Way("FlagScreen", ("down", "down", "enter", *["tab"] * tab)) for tab in (range(9) if FULL else (0, 3))),
    Way("FormScreen", ("down", "down", "e")),
    Way("JournalScreen", ("J",)),
    Way("CodeKeysScreen", ("f6",)),
    Way("StagedScreen", ("&",)),
    Way("ColumnsScreen", ("c",)),
    Way("SinceScreen", ("equals_sign",)),
    Way("SignInScreen", ("ctrl+l",)),
    Way("ConfirmScreen", ("down", "down", "space")),
    Way("ConfirmScreen", ("down", "down", "space"), STRICT),
    Way("ConfirmScreen", ("x", *["down"] * 8, "X", "d")),
)
PUSHED: Final[dict[str, Callable[[], Screen[Any]]]] = {
    "PayloadScreen": lambda: PayloadScreen("Payload of control", '{"a": 1}', "a note"),
    "ResultsScreen": lambda: ResultsScreen([Result(id, f"flag-{id}", SKIPPED, "why") for id in range(9)]),
}
"""Dialogs behind many keys."""
BASES: Final = {
    *("NarrowedList", "BrowseScreen", "MarkedRecords", "ListScreen", "WorkspaceList", "InspectedList"),
    "ReadList",
}
BASES_TOO: Final = {
    *("RecordScreen", "FramedScreen", "Dialog", "OwnedScreen", "LinesForm", "KeptForm", "LineKeys"),
    *("ActivityAroundMoment", "ActivityKeys", "WithReason"),
}
"""What the screens are built on."""
AFTER_CHANGES: Final = {"UndoChoice"}
"""Opened by the journeys of undo: it needs several changes."""
COVER: Final = "TooSmallScreen"
"""Lies over all others below 40 columns and 8 lines."""


def screens_in_the_source() -> set[str]:
    """Every class that is a screen."""
    bases = {
        node.name: [ast.unparse(base).partition("[")[0] for base in node.bases]
        for path in SOURCE.rglob("*.py")
        for node in find_nodes(path, ast.ClassDef)
    }

    def is_screen(name: str) -> bool:
        return name in ("Screen", "ModalScreen") or any(map(is_screen, bases.get(name, ())))

    return {name for name in bases if is_screen(name)}


def sizes_for(place: int, screen: str) -> Iterator[tuple[int, int]]:
    """The sizes for the screen at this place; questions more, since they answer for a change."""
    if FULL:
        yield from ((width, height) for width in WIDTHS for height in HEIGHTS)
        return
    every = 12 if screen == "ConfirmScreen" else DEALT
    yield from ((width, 3 + width % 7) for width in reversed(WIDTHS) if (width + place) % every == 0)
    yield from ((width, height) for width in (7, 41) for height in HEIGHTS if (height + place) % DEALT == 0)


async def resize(program: Program, size: tuple[int, int]) -> None:
    """Give the terminal another size, and look at what is drawn then."""
    await resize_at_once(program, size)
    await quiet.settle(program.app, rests=False)
    assert program.app.size == Size(*size)
    draw(program.app)
    assert program.app._exception is None, size


async def resize_at_once(program: Program, size: tuple[int, int]) -> None:
    driver = require(program.app._driver)
    driver._size = size
    program.app.post_message(Resize(Size(*size), Size(*size)))


async def leave(program: Program) -> None:
    """Back to the list of flags, as it is first seen."""
    await resize_at_once(program, ROOMY)
    program.app.uncover_list()
    program.app.tabs.open("1")
    await program.settle()
    await program.press("home")


def test_every_screen_of_the_source_is_opened() -> None:
    opened = {way.screen for way in WAYS} | PUSHED.keys() | BASES | BASES_TOO | AFTER_CHANGES | {COVER}
    assert screens_in_the_source() == opened


async def test_screens_live_at_every_size_with_their_keys(shared: Program) -> None:
    for place, way in enumerate(WAYS):
        shared.app.app_state.session = replace(shared.app.app_state.session, rules=way.rules)
        await shared.press(*way.keys)
        assert type(shared.app.screen).__name__ == way.screen, way
        await live(shared, way.screen, place)
    for place, (name, make) in enumerate(PUSHED.items()):
        shared.app.push_screen(make())
        await shared.settle()
        await live(shared, name, place)


async def live(program: Program, name: str, place: int) -> None:
    """Look at the screen in front and its last line at some sizes, and leave it."""
    check_last_lines(program, name)
    for size in sizes_for(place, name):
        await resize(program, size)
    await leave(program)


def check_last_lines(program: Program, name: str) -> None:
    """Check the keys that the screen in front shows at every width."""
    line = next(line for screen in reversed(program.app.screen_stack) for line in screen.query(KeyLine))
    wide = {sign for (sign, _), _ in line.keys_in(1_000)}
    for width in range(20, 81):
        keys = line.keys_in(width)
        signs = [sign for (sign, _), _ in keys]
        case = (name, width, signs)
        assert sum(len(sign) + len(words) for (sign, _), (words, _) in keys) <= width - 2, case
        kept = [sign for sign in line._kept if sign in wide]
        assert signs, case
        assert {*kept[:2]} <= {*signs}, case
        assert {*kept[:3]} <= {*signs} or width < 44, case
        assert {*kept} <= {*signs} or width < 60, case
        assert "esc" in signs or "esc" not in wide, case
        assert name not in ("FormScreen", "ExperimentForm") or "^s" in signs, case
        # What is less needed never takes the room of what is more.
        assert width < 44 or "?" in signs or "?" not in wide, case


async def test_screens_open_at_tiny_sizes(shared: Program) -> None:
    for place, way in enumerate(one_in(4, WAYS)):
        shared.app.app_state.session = replace(shared.app.app_state.session, rules=way.rules)
        for size in TINY if FULL else (TINY[place % len(TINY)],):
            await shared.press(*way.keys[:-1])
            await quiet.press(shared.app, way.keys[-1])
            await resize_at_once(shared, size)
            await shared.settle()
            draw(shared.app)
            assert shared.app._exception is None, (way, size)
            await leave(shared)
