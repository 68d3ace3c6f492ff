"""The looks: style sheets and colours. Meaning is never carried by colour alone, so themes can be swapped."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path, PurePath
from typing import Final

from textual.theme import BUILTIN_THEMES, Theme

Colours = Mapping[str, str]


def _theme(name: str, colours: Colours, *, dark: bool) -> Theme:
    """A theme from the colours that differ between themes; every one names the same."""
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
        dark=dark,
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


_DARK: Final = {
    "primary": "#58a6ff",
    "secondary": "#d2a8ff",
    "success": "#7ee787",
    "warning": "#e3b341",
    "error": "#ff7b72",
    "text": "#e6edf3",
    "ground": "#0d1117",
    "panel": "#161b22",
    "muted": "#8b949e",
    "faint": "#6e7681",
    "line": "#30363d",
    "cursor": "#1f2a3a",
    "track": "#21262d",
}
_LIGHT: Final = {
    "primary": "#0969da",
    "secondary": "#8250df",
    "success": "#1a7f37",
    "warning": "#9a6700",
    "error": "#cf222e",
    "text": "#1f2328",
    "ground": "#ffffff",
    "panel": "#f6f8fa",
    "muted": "#59636e",
    "faint": "#818b98",
    "line": "#d1d9e0",
    "cursor": "#ddf4ff",
    "track": "#e6eaef",
}
_CONTRAST: Final = {
    "primary": "#8accff",
    "secondary": "#e3bcff",
    "success": "#5ef85e",
    "warning": "#ffd83a",
    "error": "#ff9a94",
    "text": "#ffffff",
    "ground": "#000000",
    "panel": "#101010",
    "muted": "#d4d9de",
    "faint": "#b4bac0",
    "line": "#8f959b",
    "cursor": "#10355f",
    "track": "#4a4f54",
}
_CONTRAST_LIGHT: Final = {
    "primary": "#003c94",
    "secondary": "#551a8f",
    "success": "#00561c",
    "warning": "#5f4200",
    "error": "#8c0018",
    "text": "#000000",
    "ground": "#ffffff",
    "panel": "#f2f2f2",
    "muted": "#2b3138",
    "faint": "#454c54",
    "line": "#6a7078",
    "cursor": "#cfe2fa",
    "track": "#b5bbc2",
}
_VISION: Final = _DARK | {
    "primary": "#c8ccff",
    "secondary": "#d890c0",
    "success": "#56b4f0",
    "warning": "#f5e663",
    "error": "#ff7f2a",
    "muted": "#a0a8b4",
    "faint": "#828b96",
}
_VISION_LIGHT: Final = _LIGHT | {
    "primary": "#3b3b9a",
    "secondary": "#7a3f8f",
    "success": "#0058b0",
    "warning": "#7a6a00",
    "error": "#b5003c",
    "muted": "#4d565f",
    "faint": "#6a727b",
}

DARK: Final = _theme("dark", _DARK, dark=True)
LIGHT: Final = _theme("light", _LIGHT, dark=False)
PLAIN: Final = replace(BUILTIN_THEMES["ansi-dark"], name="ansi-16", secondary="ansi_magenta")
"""The terminal's own sixteen colours, or none at all under NO_COLOR."""

THEMES: Final = (
    DARK,
    LIGHT,
    _theme("high-contrast", _CONTRAST, dark=True),
    _theme("high-contrast-light", _CONTRAST_LIGHT, dark=False),
    _theme("colour-vision", _VISION, dark=True),
    _theme("colour-vision-light", _VISION_LIGHT, dark=False),
    PLAIN,
)
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
FEW_COLOURS: Final = ("linux", "vt100", "vt102", "vt220", "ansi", "xterm-mono", "screen")
"""Values of TERM that promise no more than sixteen colours."""


def why_plain(environment: Mapping[str, str]) -> str:
    """What keeps this terminal from other colours than its own; empty when nothing does."""
    if "NO_COLOR" in environment:
        return "NO_COLOR is set"
    term = environment.get("TERM", "")
    has_many = environment.get("COLORTERM") or term not in FEW_COLOURS
    return "" if has_many else f"TERM={term} promises no more than sixteen colours"


def choose_theme(wanted: str, environment: Mapping[str, str], *, is_light: bool | None = None) -> str:
    """The theme that was asked for, unless the terminal could not show it.

    `is_light` is what the terminal said of its background; where it said nothing, COLORFGBG does, else dark.
    """
    if why_plain(environment):
        return PLAIN.name
    if wanted != AUTO:
        return wanted
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
    """The paths of the named sheets, without their ending."""
    return [str(STYLES / f"{name}.tcss") for name in names]
