"""Detect a light or dark terminal: query it once, and load the program meanwhile.

OSC 11 queries the background colour. Every terminal answers the request for device attributes after it,
so a terminal without OSC 11 costs no wait. No wait of a start exceeds PATIENCE, and a later
answer is removed from the input.
"""

import os
import re
import select
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from flagtui.app.terminal.first_frame import is_terminal, quieten

PATIENCE: Final = 0.1
"""Seconds from the question on."""
FAILED_PATIENCE: Final = 1.0
"""The same where the start failed: no app removes a later answer, and the shell would print it as typed."""
ASK: Final = b"\x1b]11;?\x1b\\\x1b[c"
SILENT: Final = ("dumb", "linux", "")
"""Values of TERM whose terminals do not answer the query, or print it."""
_COLOUR: Final = re.compile(
    rb"\x1b\]11;rgba?:([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})[^\x07\x1b]{0,8}(?:\x07|\x1b\\)"
)
_ATTRIBUTES: Final = re.compile(rb"\x1b\[\?[\d;]*c")
_UNFINISHED: Final = re.compile(rb"\x1b(?:\]1[^\x07\x1b]{0,40}\x1b?|\[\?[\d;]{0,40})$")
_UNFINISHED_ATTRIBUTES: Final = re.compile(rb"\x1b(?:\[(?:\?[\d;]{0,40})?)?$")
"""They follow the colour at once, so even a lone Escape at the end of a packet is theirs then."""


class TerminalAnswers:
    """Removes the terminal's answers from its input; everything else is typed."""

    def __init__(self) -> None:
        self.is_light: bool | None = None
        self.is_done = True
        """Whether no answer is awaited."""
        self.was_asked = False
        self._rest = b""
        self.typed = b""
        """Keys that were pressed before the app could read them."""

    def expect(self) -> None:
        """Expect a response to the question that was just sent."""
        self.is_done, self.was_asked = False, True

    def sift(self, data: bytes) -> bytes:
        """Return the data without responses. The beginning of one is kept until the rest arrives."""
        if self.is_done:
            return data
        data, self._rest = self._rest + data, b""
        if (match := _COLOUR.search(data)) is not None:
            self.is_light = _is_light(*match.groups())
            data = data.replace(match[0], b"")
        if (match := _ATTRIBUTES.search(data)) is not None:
            self.is_done = True
            return data.replace(match[0], b"")
        unfinished = _UNFINISHED if self.is_light is None else _UNFINISHED_ATTRIBUTES
        if (match := unfinished.search(data)) is not None:
            data, self._rest = data[: match.start()], match[0]
        return data


ANSWERS: Final = TerminalAnswers()
"""Of this process's terminal."""


@contextmanager
def asked_background(answers: TerminalAnswers = ANSWERS, *, keys: int = 0, screen: int = 2) -> Iterator[None]:
    """Query the terminal's background while other modules load; `answers` know more at the end."""
    begun = time.monotonic()
    # The answer must neither be shown nor wait for a line to end, and the app takes over much later.
    cannot = answers.was_asked or os.environ.get("TERM", "") in SILENT
    if cannot or not is_terminal() or not quieten():
        yield
        return
    answers.expect()
    os.write(screen, ASK)
    patience = FAILED_PATIENCE
    try:
        yield
        patience = PATIENCE
    finally:
        answers.typed += _listen(answers, keys, begun + patience)


def _listen(answers: TerminalAnswers, keys: int, until: float) -> bytes:
    """Return the bytes typed until the responses arrived or the time was up; both may be long ago."""
    typed = b""
    while not answers.is_done:
        if not select.select([keys], [], [], max(0.0, until - time.monotonic()))[0]:
            break
        data = os.read(keys, 4_096)
        if not data:
            break
        typed += answers.sift(data)
    return typed


def _is_light(*channels: bytes) -> bool:
    """Return whether a colour is light by its luminance; each channel is a hexadecimal fraction."""
    red, green, blue = (int(channel, 16) / float(16 ** len(channel) - 1) for channel in channels)
    light: float = 0.299 * red + 0.587 * green + 0.114 * blue
    return light > 0.5
