"""Text for Markdown timelines; text of a server is escaped, so that nothing in it is markup."""

from typing import Final

from flagtui import local_time
from flagtui.safe_text import safe_text

_SPECIAL: Final = str.maketrans({character: f"\\{character}" for character in "\\`*_{}[]<>#|~"})


def plain(text: str) -> str:
    """As running text on one line."""
    return safe_text(text, 500).translate(_SPECIAL)


def code(text: str) -> str:
    """As code on one line."""
    return f"`{safe_text(text, 200).replace('`', 'ˋ')}`"


def day_heading(at: float) -> str:
    """`2026-03-01 (Europe/Berlin)`: the day on the person's calendar."""
    return f"{local_time.day(at)} ({local_time.zone_name() or local_time.label(at)})"


def clock_words(at: float) -> str:
    """`**15:03:12 CET** (14:03:12 UTC)` below such a heading; `**14:03:12**` where the zone is UTC."""
    zone = "" if local_time.is_utc(at) else f" {local_time.label(at)}"
    clock = f"{local_time.clock(at, seconds=True)}{zone}"
    return f"**{clock}**{local_time.beside(at, seconds=True)}"
