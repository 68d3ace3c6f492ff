"""Textual's frames as patches for the encoder. What this needs of Textual's private parts is named here."""

import os
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any, Final

from rich.color import ColorSystem
from rich.console import Console
from textual.app import App

from flagtui.app.terminal.encoder import Encoder, Patch
from flagtui.app.terminal.screen_cells import Pens

try:
    from textual._compositor import ChopsUpdate, LayoutUpdate
except ImportError:  # A later Textual without them: frames are sent as Textual sends them.
    KNOWN_FRAMES: tuple[type, ...] = ()
else:
    KNOWN_FRAMES = (LayoutUpdate, ChopsUpdate)

SWITCH: Final = "FLAGTUI_PLAIN_DISPLAY"
"""Set to anything but 0: send frames as Textual does, for terminals the encoder does not suit."""

_PRIVATE_NAMES: Final = (
    "_display",
    "_batch_count",
    "_running",
    "_closed",
    "_driver",
    "_begin_update",
    "_end_update",
)

_SYSTEMS: Final = {
    "standard": ColorSystem.STANDARD,
    "256": ColorSystem.EIGHT_BIT,
    "truecolor": ColorSystem.TRUECOLOR,
    "windows": ColorSystem.WINDOWS,
}


def make_encoder(app: App[Any], environment: Mapping[str, str] = os.environ) -> Encoder | None:
    """An encoder for this app's terminal; None when switched off or when Textual is not the one we know."""
    is_known = KNOWN_FRAMES and all(hasattr(app, name) for name in _PRIVATE_NAMES)
    if not is_known or os.name == "nt" or environment.get(SWITCH, "0") not in {"", "0"}:
        return None
    # GNU screen, unlike every other, erases in the terminal's own background.
    return Encoder(Pens(_colours(app.console)), erases="STY" not in environment)


def patches_of(frame: object) -> Iterator[Patch]:
    """The pieces of a frame that were drawn again.

    Of a partial frame only the pieces its spans touch are true: elsewhere in those lines a widget outside of
    the frame is missing, and what lies beneath it was drawn in its place.
    """
    if isinstance(frame, LayoutUpdate):
        for y, strips in enumerate(frame.strips, frame.region.y):
            yield Patch(y, frame.region.x, chain.from_iterable(strips))
    elif isinstance(frame, ChopsUpdate):
        for y, start, stop in frame.spans:
            for end, (x, strip) in zip(frame.chop_ends[y], frame.chops[y].items(), strict=False):
                if strip is not None and x < stop and end > start:
                    yield Patch(y, x, strip)


def _colours(console: Console) -> ColorSystem:
    return _SYSTEMS.get(console.color_system or "truecolor", ColorSystem.TRUECOLOR)
