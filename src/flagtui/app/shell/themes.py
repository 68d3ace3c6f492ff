"""The colours. Meaning is never carried by colour alone, so every theme may be swapped for any other."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from textual.theme import BUILTIN_THEMES, Theme

NIGHT: Final = Theme(
    name="flagtui-night",
    primary="#58a6ff",
    secondary="#d2a8ff",
    accent="#58a6ff",
    success="#7ee787",
    warning="#e3b341",
    error="#ff7b72",
    foreground="#e6edf3",
    background="#0d1117",
    surface="#0d1117",
    panel="#161b22",
    dark=True,
    variables={
        "text-muted": "#8b949e",
        "faint": "#6e7681",
        "line": "#30363d",
        "row-cursor": "#1f2a3a",
        "track": "#21262d",
        "badge-text": "#0d1117",
        "neutral": "#8b949e",
        "input-cursor-background": "#e6edf3",
        "input-cursor-foreground": "#0d1117",
        "input-selection-background": "#58a6ff 35%",
    },
)

DAY: Final = Theme(
    name="flagtui-day",
    primary="#0969da",
    secondary="#8250df",
    accent="#0969da",
    success="#1a7f37",
    warning="#9a6700",
    error="#cf222e",
    foreground="#1f2328",
    background="#ffffff",
    surface="#ffffff",
    panel="#f6f8fa",
    dark=False,
    variables={
        "text-muted": "#59636e",
        "faint": "#818b98",
        "line": "#d1d9e0",
        "row-cursor": "#ddf4ff",
        "track": "#e6eaef",
        "badge-text": "#ffffff",
        "neutral": "#59636e",
    },
)

PLAIN: Final = replace(BUILTIN_THEMES["ansi-dark"], name="flagtui-plain", secondary="ansi_magenta")
"""The terminal's own sixteen colours, or none at all under NO_COLOR."""

THEMES: Final = (NIGHT, DAY, PLAIN)
FEW_COLOURS: Final = ("linux", "vt100", "vt102", "vt220", "ansi", "xterm-mono", "screen")
"""Values of TERM that promise no more than sixteen colours."""


def choose_theme(wanted: str, environment: Mapping[str, str]) -> str:
    """The theme that was asked for, unless the terminal could not show it."""
    has_many = environment.get("COLORTERM") or environment.get("TERM") not in FEW_COLOURS
    if "NO_COLOR" in environment or not has_many:
        return PLAIN.name
    return wanted


VARIABLES: Final[dict[str, str]] = {
    "faint": "ansi_bright_black",
    "line": "ansi_bright_black",
    "row-cursor": "ansi_blue",
    "track": "ansi_bright_black",
    "badge-text": "ansi_black",
    "neutral": "ansi_white",
}
"""What any other theme gets for the names that are ours alone."""
