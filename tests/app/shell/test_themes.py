"""Which colours a terminal gets, and that every theme can be read by everybody it is for."""

from itertools import combinations

import pytest
from textual.theme import Theme

from flagtui.app.shell.themes import AUTO, CHOICES, DARK, LIGHT, PLAIN, THEMES, choose_theme, why_plain

STATES = ("success", "warning", "error")
MANY = {"TERM": "xterm-256color"}
DRAWN = [theme for theme in THEMES if theme is not PLAIN]
VISION = {
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritanopia": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
    "usual": ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)),
}
"""What linear RGB becomes for each (Machado, Oliveira and Fernandes 2009, severity 1)."""

Linear = tuple[float, float, float]


def test_a_terminal_without_colours_gets_its_own_sixteen_or_none() -> None:
    for environment, theme in (
        (MANY, DARK),
        (MANY | {"NO_COLOR": "1"}, PLAIN),
        (MANY | {"NO_COLOR": ""}, DARK),
        ({"TERM": "linux"}, PLAIN),
        ({"TERM": "xterm"}, PLAIN),
        ({"TERM": "xterm-kitty"}, DARK),
        ({"TERM": "xterm", "COLORTERM": "truecolor"}, DARK),
        ({"TERM": "screen-256color"}, DARK),
    ):
        assert choose_theme(DARK.name, environment) == theme.name
        assert bool(why_plain(environment)) is (theme is PLAIN)


def test_auto_theme_follows_terminal_then_environment() -> None:
    for is_light, environment, theme in (
        (True, MANY, LIGHT),
        (False, MANY, DARK),
        (None, MANY, DARK),
        (None, MANY | {"COLORFGBG": "0;15"}, LIGHT),
        (None, MANY | {"COLORFGBG": "15;0"}, DARK),
        (False, MANY | {"COLORFGBG": "0;15"}, DARK),
        (True, {"TERM": "linux"}, PLAIN),
    ):
        assert choose_theme(AUTO, environment, is_light=is_light) == theme.name


def test_offered_themes_exist_and_usual_colours_need_them() -> None:
    assert set(CHOICES) - {AUTO} == {theme.name for theme in THEMES}
    assert difference(colour(DARK, "success"), colour(DARK, "error"), "deuteranopia") < 20


@pytest.mark.parametrize("theme", DRAWN, ids=lambda theme: theme.name)
def test_every_text_can_be_read_on_every_ground(theme: Theme) -> None:
    needed = 7.0 if "contrast" in theme.name else 4.5
    texts = ["foreground", "text-muted", "primary", "secondary", *STATES]
    assert [name for name in texts if contrast(theme, name, "background") < needed] == []
    # The line under the cursor is a tint of the ground.
    assert [name for name in texts if contrast(theme, name, "row-cursor") < 4.2] == []
    assert contrast(theme, "faint", "background") >= (7.0 if "contrast" in theme.name else 3.0)


@pytest.mark.parametrize("vision", VISION)
@pytest.mark.parametrize(
    "theme", [each for each in DRAWN if "vision" in each.name], ids=lambda theme: theme.name
)
def test_good_doubtful_and_bad_differ_for_every_vision(theme: Theme, vision: str) -> None:
    for first, second in combinations(STATES, 2):
        assert difference(colour(theme, first), colour(theme, second), vision) >= 20, (first, second)


def colour(theme: Theme, name: str) -> str:
    value = theme.variables.get(name) or getattr(theme, name)
    assert isinstance(value, str)
    return value


def contrast(theme: Theme, name: str, ground: str) -> float:
    """As WCAG 2 defines it, from 1 to 21."""
    light, dark = sorted((luminance(colour(theme, name)), luminance(colour(theme, ground))), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(text: str) -> float:
    red, green, blue = linear(text)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def linear(text: str) -> Linear:
    channels = (int(text[at : at + 2], 16) / 255 for at in (1, 3, 5))
    red, green, blue = (c / 12.92 if c <= 0.04045 else float(((c + 0.055) / 1.055) ** 2.4) for c in channels)
    return red, green, blue


def difference(first: str, second: str, vision: str) -> float:
    """Euclidean in CIE L*a*b*; about 2.3 is just noticeable."""
    seen = [lab(linear(text), vision) for text in (first, second)]
    return float(sum((a - b) ** 2 for a, b in zip(*seen, strict=True)) ** 0.5)


def lab(colour: Linear, vision: str) -> Linear:
    red, green, blue = (
        min(1.0, max(0.0, sum(a * b for a, b in zip(row, colour, strict=True)))) for row in VISION[vision]
    )
    x = (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.95047
    y = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    z = (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.08883
    fx, fy, fz = (float(t ** (1 / 3)) if t > 0.008856 else 7.787 * t + 16 / 116 for t in (x, y, z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)
