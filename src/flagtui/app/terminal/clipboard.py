"""Text to the terminal's clipboard (OSC 52), also from inside tmux and GNU screen."""

from base64 import b64encode
from collections.abc import Mapping
from typing import Final

LONGEST: Final = 74_994
"""Bytes of text: terminals drop sequences of more than 100,000 bytes, of which base64 takes a third."""
SCREEN_CHUNK: Final = 240
"""Characters of one string of GNU screen, which cuts off longer ones (768 in older versions)."""
_WITHOUT: Final = ("linux", "vt100", "vt102", "vt220")


def is_in_tmux(environment: Mapping[str, str]) -> bool:
    """Return whether tmux is between the program and the terminal, on this host or before ssh."""
    return "TMUX" in environment or environment.get("TERM", "").startswith("tmux")


def why_not_copied(text: str, environment: Mapping[str, str]) -> str:
    """Return why the text cannot be copied; empty when it can be sent, which may still not arrive."""
    if environment.get("TERM", "") in _WITHOUT:
        return "this terminal has no clipboard"
    size = len(text.encode())
    if size > LONGEST:
        return f"too long for a terminal's clipboard: {size:,} bytes of at most {LONGEST:,}"
    return ""


def copied_hint(environment: Mapping[str, str]) -> str:
    """Return which setting lets the copy arrive; empty where nothing is between."""
    if is_in_tmux(environment):
        return "if it does not arrive: tmux set -g set-clipboard on"
    return "if it does not arrive: screen 5 or a terminal without screen" if "STY" in environment else ""


def clipboard_sequence(text: str, environment: Mapping[str, str]) -> str:
    """Return the sequence that copies a text on the terminal."""
    plain = f"\x1b]52;c;{b64encode(text.encode()).decode()}\x07"
    if is_in_tmux(environment):
        # tmux takes the first itself with set-clipboard, and hands the second on with allow-passthrough.
        doubled = plain.replace("\x1b", "\x1b\x1b")
        return f"{plain}\x1bPtmux;{doubled}\x1b\\"
    if "STY" in environment:
        chunks = (plain[at : at + SCREEN_CHUNK] for at in range(0, len(plain), SCREEN_CHUNK))
        return "".join(f"\x1bP{chunk}\x1b\\" for chunk in chunks)
    return plain
