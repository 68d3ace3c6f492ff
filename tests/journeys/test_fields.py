"""Every screen with something to type in: Tab goes through the fields, and letters are text until Escape."""

from dataclasses import dataclass
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.doubles import quiet
from tests.doubles.slices import one_in
from tests.doubles.whole_program import Program, Setting, running
from textual.events import Paste
from textual.widgets import Button

from flagtui.app.flags.flag_screen import FlagScreen
from flagtui.app.shell.footer import KeyLine
from flagtui.app.widgets.field import Field, is_stop
from flagtui.app.widgets.row_list import RowList
from flagtui.changes.guard import GuardRules, Level

GUARDED = GuardRules(Level.GUARDED, place="TEST")
STRICT = GuardRules(Level.STRICT, place="TEST")
REASON = GuardRules(Level.GUARDED, place="TEST", require_reason=True)
BOTH = GuardRules(Level.STRICT, place="TEST", require_reason=True)


@dataclass(frozen=True)
class Place:
    """A screen with fields, and the keys that lead there from the list of flags."""

    keys: tuple[str, ...]
    fields: int = 1
    letters: str = "beq"
    """Each is a command somewhere."""
    rules: GuardRules = GUARDED


PLACES = {
    "who": Place(("w",), 2),
    "search in JSON": Place(("enter", "shift+tab", "slash")),
    "ids": Place(("number_sign",)),
    "search of my flags": Place(("I", "slash")),
    "rollout": Place(("%",), letters="172"),
    "tags": Place(("T",)),
    "kind of a new flag": Place(("n",)),
    "key of a new flag": Place(("n", "enter")),
    "line of a form": Place(("e", "down", "enter")),
    "share in a form": Place(("down", "down", "e", *["down"] * 5, "%"), letters="172"),
    "schedule": Place(("at",)),
    "moment of a schedule": Place(("at", "enter")),
    "what changed since": Place(("equals_sign",)),
    "sign in": Place(("ctrl+l",)),
    "project": Place(("p",)),
    "profile": Place(("P",)),
    "copy menu": Place(("Y",)),
    "name of a search": Place(("f", "Q")),
    "name of an experiment": Place(("2", "n")),
    "description of an event": Place(("3", "e")),
    "tags of an event": Place(("3", "T")),
    "description in the inbox": Place(("3", "i", "e")),
    "search of flags": Place(("slash",)),
    "search of experiments": Place(("2", "slash")),
    "search of events": Place(("3", "slash")),
    "search of the activity": Place(("4", "slash")),
    "moment of the activity": Place(("4", "at")),
    "search of the journal": Place(("J", "slash")),
}
QUESTIONS = {
    "typed": Place(("down", "down", "space"), rules=STRICT),
    "for a reason": Place(("down", "down", "space"), rules=REASON),
    "typed and for a reason": Place(("down", "down", "space"), 2, rules=BOTH),
}
"""They come with other rules."""


def fields(program: Program) -> list[Field]:
    return [field for field in program.app.screen.query(Field) if field in program.app.screen.focus_chain]


@pytest.fixture(scope="module")
def shared_setting(few_people: Path, tmp_path_factory: pytest.TempPathFactory) -> Setting:
    return Setting(few_people, tmp_path_factory.mktemp("shared"), neighbours=("keyless",))


async def type_there(program: Program, place: Place) -> None:
    """Letters one by one, as they are pressed while nothing is awaited."""
    for letter in place.letters:
        await quiet.press(program.app, letter)
    await program.settle()


@pytest.mark.parametrize("name", one_in(4, PLACES))
async def test_a_field_names_its_keys_keeps_letters_and_follows_tab(name: str, shared: Program) -> None:
    """All three where one way leads: getting there is most of the time."""
    await hold_all(shared, PLACES[name])


async def test_fields_of_questions_do_the_same(program: Program) -> None:
    for place in QUESTIONS.values():
        program.app.app_state.session = replace(program.app.app_state.session, rules=place.rules)
        await hold_all(program, place)
        await program.press(*["escape"] * 3, "home")
        assert not program.app.screen.is_modal


async def hold_all(program: Program, place: Place) -> None:
    await program.press(*place.keys)
    has_named_keys(program, place)
    await nothing_but_escape_takes_the_letters_away(program)
    await tab_goes_through_the_fields_and_letters_stay_text(program, place)


def has_named_keys(program: Program, place: Place) -> None:
    screen, field = program.app.screen, program.app.focused
    assert isinstance(field, Field)
    if screen.query(KeyLine):
        shown = program.screen.rstrip("\n").split("\n")[-1]
        assert shown.split()[:2] == ["⏎", next(words for _, words in field.key_words()).split()[0]]
    else:
        shown = "".join(str(each.border_subtitle or "") for each in screen.query("*"))
    assert "⏎" in shown
    assert "esc" in shown
    assert place.fields == 1 or "tab" in shown


async def nothing_but_escape_takes_the_letters_away(program: Program) -> None:
    screen, field = program.app.screen, program.app.focused
    others = [each for each in screen.focus_chain if not is_stop(each) and not isinstance(each, RowList)]
    for other in others:
        screen.set_focus(other)
        await program.settle()
        assert program.app.focused is field


async def tab_goes_through_the_fields_and_letters_stay_text(program: Program, place: Place) -> None:
    screen, sent = program.app.screen, program.wire.writes()
    assert isinstance(program.app.focused, Field)
    assert len(fields(program)) == place.fields
    for key in ("tab", "shift+tab", "shift+tab", "tab", "tab"):
        focused = program.app.focused
        assert isinstance(focused, Field | Button)
        await type_there(program, place)
        assert program.app.screen is screen
        assert program.app.focused is focused
        if isinstance(focused, Field) and not focused.restrict:
            assert focused.value.endswith(place.letters)
        await program.press(key)
        assert is_stop(program.app.focused)
    assert program.app.screen is screen
    assert program.wire.writes() == sent


async def test_person_is_evaluated_and_the_next_typed_at_once(shared: Program) -> None:
    await shared.go_to("new-nav", "w", *"anna")
    # Over a slow link all of it arrives together.
    for key in ("enter", "tab", *"ben@acme.com", "enter"):
        await quiet.press(shared.app, key)
    await shared.settle()
    screen = shared.front(FlagScreen)
    assert [field.value for field in fields(shared)] == ["anna", "ben@acme.com"]
    assert "ben@acme.com" in shared.screen.split("WHO")[1]
    assert isinstance(shared.app.focused, Field)
    # Escape leaves the field and then the screen.
    await shared.press("escape")
    assert shared.app.screen is screen
    assert not isinstance(shared.app.focused, Field)
    await shared.press("tab")
    assert shared.app.screen is screen
    assert not screen.query_one("#tab-who").display
    await shared.press("escape")
    assert not isinstance(shared.app.screen, FlagScreen)


PREFILLED = {
    "search that is there": ("f", "slash"),
    "line of a form": ("e", "enter"),
    "rollout": ("%",),
    "what changed since": ("equals_sign",),
}


async def test_prefilled_fields_open_with_their_text_selected(shared: Program) -> None:
    for place, keys in PREFILLED.items():
        await shared.press(*keys)
        field = shared.app.screen.query_one(Field)
        assert field.value, place
        assert field.selected_text == field.value, place
        await shared.press(*["escape"] * 3)


@pytest.mark.parametrize(("keys", "text", "why"), [
    (("w",), "x" * 5_000, "the text has 5,000 characters; 2,000 fit here"),
    (("slash",), "x" * 5_000, "the text has 5,000 characters; 500 fit here"),
    (("%",), "a third", "the text is not valid here"),
    (("space",), "billing-usage-alerts", "a confirmation has to be typed"),
])  # fmt: skip
async def test_pasted_text_is_refused_with_the_reason(
    setting: Setting, keys: tuple[str, ...], text: str, why: str
) -> None:
    async with running(replace(setting, rules=STRICT)) as program:
        await program.press(*keys)
        program.app.post_message(Paste(text))
        await program.settle(toast=f"not pasted: {why}")
        field = program.app.focused
        assert isinstance(field, Field)
        before = field.value
        program.app.post_message(Paste(" \n"))
        await program.settle()
        assert (field.value, len(program.notices)) == (before, 1)
