from dataclasses import dataclass

import pytest

from flagtui.config.keymap import UnknownKey, read_key, read_keymap
from flagtui.config.settings import SettingsError, parse_settings


@dataclass(frozen=True)
class Known:
    id: str
    keys: str

    @property
    def places(self) -> tuple[str, ...]:
        return (self.id.partition(".")[0],)


COMMANDS = (
    *(Known("everywhere.quit", "q"), Known("everywhere.help", "question_mark")),
    *(Known("lists.search", "slash"), Known("lists.sort", "s"), Known("lists.down", "down,j")),
    *(Known("flags.toggle", "space"), Known("flags.undo", "u"), Known("experiments.launch", "L")),
)


def keymap(toml: str) -> dict[str, str]:
    return read_keymap(parse_settings(f"[keys]\n{toml}"), COMMANDS)


@pytest.mark.parametrize(("written", "name"), [
    ("t", "t"), ("T", "T"), ("shift+t", "T"), ("ctrl+T", "ctrl+t"), ("Ctrl + t", "ctrl+t"),
    ("control+shift+f5", "ctrl+shift+f5"), ("shift+ctrl+f5", "ctrl+shift+f5"), ("f24", "f24"),
    ("/", "slash"), ("slash", "slash"), ("?", "question_mark"), ("%", "percent_sign"), ("-", "minus"),
    ("+", "plus"), ("ctrl++", "ctrl+plus"), (",", "comma"), ("esc", "escape"), ("PgUp", "pageup"),
    ("ctrl+i", "tab"), ("ctrl+m", "enter"), ("ctrl+[", "escape"), ("é", "é"), ("7", "7"),
])  # fmt: skip
def test_a_key_has_one_name_however_it_is_written(written: str, name: str) -> None:
    assert read_key(written) == name


@pytest.mark.parametrize(("written", "reason"), [
    ("entre", "did you mean enter?"), ("hyper+x", "modifiers are ctrl, alt, shift, super"),
    ("ctrl+ctrl+x", "modifiers are"), ("ctrl+c", "keeps its meaning"), ("ctrl+z", "keeps its meaning"),
    *((written, "is not a key") for written in ("f25", "ab", "\x1b", "latin_small_letter_a")),
])  # fmt: skip
def test_what_no_keyboard_sends_is_refused(written: str, reason: str) -> None:
    with pytest.raises(UnknownKey) as caught:
        read_key(written)
    assert reason in str(caught.value)


@pytest.mark.parametrize(("toml", "expected"), [
    ("", {}),
    ('flags.toggle = "t,ctrl+t"\n"lists.sort" = ["o", "."]',
     {"flags.toggle": "t,ctrl+t", "lists.sort": "o,full_stop"}),
    ('everywhere.quit = ""', {"everywhere.quit": ""}),
    ('everywhere.quit = ","', {"everywhere.quit": "comma"}),
    ('flags.toggle = "u"\nflags.undo = "space"', {"flags.toggle": "u", "flags.undo": "space"}),
    ('flags.toggle = "q"', {"flags.toggle": "q", "everywhere.quit": ""}),
    ('flags.toggle = "/, x"', {"flags.toggle": "slash,x", "lists.search": ""}),
    ('lists.sort = "L"', {"lists.sort": "L", "experiments.launch": ""}),
    ('flags.undo = "j"', {"flags.undo": "j", "lists.down": "down"}),
    ('experiments.launch = "u"', {"experiments.launch": "u"}),
])  # fmt: skip
def test_default_key_yields_to_the_key_of_the_user(toml: str, expected: dict[str, str]) -> None:
    assert keymap(toml) == expected


@pytest.mark.parametrize(("toml", "message"), [
    ('flags.togle = "t"', "settings:2: keys.flags.togle: there is no command flags.togle; did you mean"),
    ('zzz = "t"', "settings:2: keys.zzz: there is no command zzz; the help screen lists them all"),
    ('\nflags.toggle = "entre"', "keys.flags.toggle: 'entre' is not a key; did you mean enter?"),
    ('flags.toggle = "t"\nflags.undo = "T, t"', "t is taken by flags.undo already"),
    ('flags.toggle = "q"\neverywhere.quit = "q"', "settings:3: keys.everywhere.quit: q is taken by"),
])  # fmt: skip
def test_a_wrong_keymap_is_named_with_its_line(toml: str, message: str) -> None:
    with pytest.raises(SettingsError) as caught:
        keymap(toml)
    assert message in str(caught.value)
