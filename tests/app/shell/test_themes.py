"""Which colours a terminal gets."""

import pytest

from flagtui.app.shell.themes import NIGHT, PLAIN, choose_theme


@pytest.mark.parametrize(
    ("environment", "theme"),
    [
        ({"TERM": "xterm-256color"}, NIGHT.name),
        ({"TERM": "xterm-256color", "NO_COLOR": ""}, PLAIN.name),
        ({"TERM": "linux"}, PLAIN.name),
        ({"TERM": "screen"}, PLAIN.name),
        ({"TERM": "screen", "COLORTERM": "truecolor"}, NIGHT.name),
        ({"TERM": "screen-256color"}, NIGHT.name),
    ],
)
def test_a_terminal_without_colours_gets_its_own_sixteen_or_none(
    environment: dict[str, str], theme: str
) -> None:
    assert choose_theme(NIGHT.name, environment) == theme
