from dataclasses import dataclass

import pytest

from flagtui.config.keymap import UnknownKey, read_key, read_keymap
from flagtui.config.settings import SettingsError, parse_settings


@dataclass(frozen=True)
class Known:
    id: str
    keys: str
    places: tuple[str, ...]


COMMANDS = (
    Known("everywhere.quit", "q", ("everywhere",)),
    Known("everywhere.help", "question_mark", ("everywhere",)),
    Known("lists.search", "slash", ("lists",)),
    Known("lists.sort", "s", ("lists",)),
    Known("lists.down", "down,j", ("lists",)),
    Known("flags.toggle", "space", ("flags",)),
    Known("flags.undo", "u", ("flags",)),
    Known("experiments.launch", "L", ("experiments",)),
)


def keymap(toml: str) -> dict[str, str]:
    return read_keymap(parse_settings(f"[keys]\n{toml}"), COMMANDS)


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("t", "t"),
        ("T", "T"),
        ("shift+t", "T"),
        ("ctrl+T", "ctrl+t"),
        ("Ctrl + t", "ctrl+t"),
        ("control+shift+f5", "ctrl+shift+f5"),
        ("shift+ctrl+f5", "ctrl+shift+f5"),
        ("/", "slash"),
        ("slash", "slash"),
        ("?", "question_mark"),
        ("%", "percent_sign"),
        ("-", "minus"),
        ("+", "plus"),
        ("ctrl++", "ctrl+plus"),
        (",", "comma"),
        ("esc", "escape"),
        ("PgUp", "pageup"),
        ("ctrl+i", "tab"),
        ("ctrl+m", "enter"),
        ("ctrl+[", "escape"),
        ("f24", "f24"),
        ("é", "é"),
        ("7", "7"),
    ],
)
def test_a_key_has_one_name_however_it_is_written(written: str, name: str) -> None:
    assert read_key(written) == name


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        ("entre", "did you mean enter?"),
        ("f25", "is not a key"),
        ("hyper+x", "modifiers are ctrl, alt, shift, super"),
        ("ctrl+ctrl+x", "modifiers are"),
        ("ctrl+c", "keeps its meaning"),
        ("ctrl+z", "keeps its meaning"),
        ("ab", "is not a key"),
        ("\x1b", "is not a key"),
        ("latin_small_letter_a", "is not a key"),
    ],
)
def test_what_no_keyboard_sends_is_refused(written: str, reason: str) -> None:
    with pytest.raises(UnknownKey) as caught:
        read_key(written)
    assert reason in str(caught.value)


def test_other_keys_are_taken_swapped_and_shared() -> None:
    expected = {"flags.toggle": "t,ctrl+t", "lists.sort": "o,full_stop"}
    assert keymap('flags.toggle = "t,ctrl+t"\n"lists.sort" = ["o", "."]') == expected
    assert keymap('everywhere.quit = ""') == {"everywhere.quit": ""}
    assert keymap('everywhere.quit = ","') == {"everywhere.quit": "comma"}
    assert keymap("") == {}
    assert keymap('flags.toggle = "u"\nflags.undo = "space"') == {"flags.toggle": "u", "flags.undo": "space"}
    assert keymap('experiments.launch = "space"') == {"experiments.launch": "space"}


@pytest.mark.parametrize(
    ("toml", "yielded"),
    [
        ('flags.toggle = "q"', {"everywhere.quit": ""}),
        ('flags.toggle = "/, x"', {"lists.search": ""}),
        ('lists.sort = "L"', {"experiments.launch": ""}),
        ('flags.undo = "j"', {"lists.down": "down"}),
        ('experiments.launch = "u"', {}),
    ],
)
def test_default_key_yields_to_the_key_of_the_user(toml: str, yielded: dict[str, str]) -> None:
    chosen = toml.split(" = ")[0]
    assert {command: keys for command, keys in keymap(toml).items() if command != chosen} == yielded


@pytest.mark.parametrize(
    ("toml", "message"),
    [
        ('flags.togle = "t"', "settings:2: keys.flags.togle: there is no command flags.togle; did you mean"),
        ('zzz = "t"', "settings:2: keys.zzz: there is no command zzz; the help screen lists them all"),
        ('\nflags.toggle = "entre"', "keys.flags.toggle: 'entre' is not a key; did you mean enter?"),
        ('flags.toggle = "t"\nflags.undo = "T, t"', "t is taken by flags.undo already"),
        ('flags.toggle = "q"\neverywhere.quit = "q"', "settings:3: keys.everywhere.quit: q is taken by"),
    ],
)  # fmt: skip
def test_a_wrong_keymap_is_named_with_its_line(toml: str, message: str) -> None:
    with pytest.raises(SettingsError) as caught:
        keymap(toml)
    assert message in str(caught.value)
