"""The looks: style sheets and colours. Meaning is never carried by colour alone, so themes can be swapped."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path, PurePath
from typing import Final

from textual.theme import BUILTIN_THEMES, Theme


def _theme(name: str, colours: Mapping[str, str]) -> Theme:
    """Return a theme from the colours that differ between themes; every one names the same."""
    return Theme(
        name=name,
        primary=colours["primary"],
        secondary=colours["secondary"],
        accent=colours["primary"],
        success=colours["success"],
        warning=colours["warning"],
        error=colours["error"],
        foreground=colours["text"],
        background=colours["ground"],
        surface=colours["ground"],
        panel=colours["panel"],
        dark=not name.endswith("light"),
        variables={
            "text-muted": colours["muted"],
            "faint": colours["faint"],
            "line": colours["line"],
            "row-cursor": colours["cursor"],
            "cursor-text": colours["text"],
            "field": colours["track"],
            "chip": colours["track"],
            "chip-text": colours["text"],
            "track": colours["track"],
            "badge-text": colours["ground"],
            "neutral": colours["muted"],
            "input-cursor-background": colours["text"],
            "input-cursor-foreground": colours["ground"],
            "input-selection-background": f"{colours['primary']} 35%",
        },
    )


_ROWS: Final = """
theme     dark     light    high-contrast  high-contrast-light  colour-vision  colour-vision-light
primary   #58a6ff  #0969da  #8accff        #003c94              #c8ccff        #3b3b9a
secondary #d2a8ff  #8250df  #e3bcff        #551a8f              #d890c0        #7a3f8f
success   #7ee787  #1a7f37  #5ef85e        #00561c              #56b4f0        #0058b0
warning   #e3b341  #9a6700  #ffd83a        #5f4200              #f5e663        #7a6a00
error     #ff7b72  #cf222e  #ff9a94        #8c0018              #ff7f2a        #b5003c
text      #e6edf3  #1f2328  #ffffff        #000000              #e6edf3        #1f2328
ground    #0d1117  #ffffff  #000000        #ffffff              #0d1117        #ffffff
panel     #161b22  #f6f8fa  #101010        #f2f2f2              #161b22        #f6f8fa
muted     #8b949e  #59636e  #d4d9de        #2b3138              #a0a8b4        #4d565f
faint     #6e7681  #818b98  #b4bac0        #454c54              #828b96        #6a727b
line      #30363d  #d1d9e0  #8f959b        #6a7078              #30363d        #d1d9e0
cursor    #1f2a3a  #ddf4ff  #10355f        #cfe2fa              #1f2a3a        #ddf4ff
track     #21262d  #e6eaef  #4a4f54        #b5bbc2              #21262d        #e6eaef
"""
"""A theme in each column: its name, and below it its colours. Those `-light` are for a bright terminal."""


def _themes(rows: str) -> Iterator[Theme]:
    """Yield the themes of a table in the settings."""
    (_, *colours), *columns = zip(*(line.split() for line in rows.strip().splitlines()), strict=True)
    for name, *values in columns:
        yield _theme(name, dict(zip(colours, values, strict=True)))


DARK, LIGHT, *_OTHERS = _themes(_ROWS)
PLAIN: Final = replace(BUILTIN_THEMES["ansi-dark"], name="ansi-16", secondary="ansi_magenta")
"""The terminal's own sixteen colours, or none at all under NO_COLOR."""

THEMES: Final = (DARK, LIGHT, *_OTHERS, PLAIN)
AUTO: Final = "auto"
"""Light or dark, as the terminal is."""
CHOICES: Final[Mapping[str, str]] = {
    AUTO: "light or dark, as the terminal is",
    DARK.name: "bright on dark",
    LIGHT.name: "dark on bright",
    "high-contrast": "every text at 7:1 or more, on black",
    "high-contrast-light": "every text at 7:1 or more, on white",
    "colour-vision": "blue, yellow, orange instead of green and red",
    "colour-vision-light": "the same on white",
    PLAIN.name: "the terminal's own sixteen colours",
}
"""What a person can ask for, in words."""
MANY_COLOURS: Final = ("256color", "kitty")
"""Ends of TERM for which the library draws 256 colours; without COLORTERM it draws sixteen for any other."""


def why_plain(environment: Mapping[str, str]) -> str:
    """Return why this terminal has only its own colours; empty if it has others."""
    if environment.get("NO_COLOR"):
        return "NO_COLOR is set"
    term = environment.get("TERM", "")
    has_many = environment.get("COLORTERM") or not term or term.endswith(MANY_COLOURS)
    return "" if has_many else f"TERM={term} without COLORTERM=truecolor has sixteen colours"


def choose_theme(theme: str, environment: Mapping[str, str], *, is_light: bool | None = None) -> str:
    """Return the requested theme, unless the terminal cannot show it.

    `is_light` is the reported background of the terminal; without a report COLORFGBG decides, else dark.
    """
    if why_plain(environment):
        return PLAIN.name
    if theme != AUTO:
        return theme
    if is_light is None:
        is_light = environment.get("COLORFGBG", "").rpartition(";")[2] in ("7", "15")
    return LIGHT.name if is_light else DARK.name


VARIABLES: Final[dict[str, str]] = {
    "faint": "ansi_bright_black",
    "line": "ansi_bright_black",
    "row-cursor": "ansi_blue",
    "cursor-text": "ansi_bright_white",
    "field": "ansi_default",
    "chip": "ansi_white",
    "chip-text": "ansi_black",
    "track": "ansi_bright_black",
    "badge-text": "ansi_black",
    "neutral": "ansi_white",
}
"""What any other theme gets for the names that are ours alone."""


_INSTALLED: Final = Path(__file__).parents[2] / "styles"
_CHECKOUT: Final = Path(__file__).parents[4] / "styles"
STYLES: Final = _INSTALLED if _INSTALLED.is_dir() else _CHECKOUT


def stylesheets(*names: str) -> list[str | PurePath]:
    """Return the paths of the named sheets, without their ending."""
    return [str(STYLES / f"{name}.tcss") for name in names]
