"""Hostile records are drawn without any byte that the terminal obeys.

FLAGTUI_RENDERS=100000 pytest tests/prove/test_hostile_renders.py draws that many; FLAGTUI_SEED chooses them.
"""

import os
import re
from random import Random
from typing import Final

from rich.color import ColorSystem
from rich.segment import Segment
from tests.doubles.slices import SEED
from textual.color import Color

from flagtui.app.events.event_list import EVENT_COLUMNS, MORE_EVENT_COLUMNS
from flagtui.app.flags.flag_columns import FLAG_COLUMNS, MORE_FLAG_COLUMNS
from flagtui.app.terminal.encoder import Encoder, Patch
from flagtui.app.terminal.output import ControlFence
from flagtui.app.terminal.screen_cells import Pens
from flagtui.app.widgets.column_layout import Slot, fit
from flagtui.app.widgets.glyphs import ASCII, UNICODE
from flagtui.models.rows import EventDefinitionRow, FlagRow
from flagtui.safe_text import safe_lines
from flagtui.service.sample_data.nasty import CONTROLS, MARKUP, SCRIPTS

RENDERS: Final = int(os.environ.get("FLAGTUI_RENDERS", "500"))
WIDTH: Final = 132
CELLS: Final = 16
"""Of each column."""
NOW: Final = 1_800_000_000.0
OURS: Final = re.compile(r"\x1b\[[0-9;:]*[HGCDABKXmSTr]|\r|\n")
"""What the encoder says to the terminal by itself: to move, to erase, to scroll, to colour."""
OBEYED: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def hostile(random: Random) -> str:
    """A few texts that try to harm, one behind the other, with characters between that do."""
    parts = random.choices((*CONTROLS, *MARKUP, *SCRIPTS), k=random.randint(1, 3))
    between = (chr(random.choice((random.randrange(0x20), random.randrange(0x7F, 0xA0), 0x202E))), "x")
    return random.choice(between).join(parts)[: random.randint(1, 300)]


def draw(random: Random, slot: Slot) -> list[Segment]:
    """One record, as a list or a page of it shows it."""
    text, other, tag = hostile(random), hostile(random), hostile(random)
    flag = FlagRow(1, text, name=other, tags=(tag, text), creator=other, runtime=tag, status=text)
    event = EventDefinitionRow(id=text, name=other, tags=(tag,), description=text, owner=tag)
    cells = (
        *(column.draw(flag, slot) for column in (*FLAG_COLUMNS, *MORE_FLAG_COLUMNS)),
        *(column.draw(event, slot) for column in (*EVENT_COLUMNS, *MORE_EVENT_COLUMNS)),
    )
    fitted = [piece for cell in cells for piece in fit(cell, CELLS, "left", "…")]
    return [Segment(words) for words, _ in fitted] + [Segment(line) for line in safe_lines(text)]


def render(seed: int, times: int) -> tuple[int, int]:
    """How many characters were sent, and how many the fence before the terminal had to take out."""
    random, fence = Random(seed), ControlFence()
    encoder = Encoder(Pens(ColorSystem.TRUECOLOR))
    sent = 0
    for number in range(times):
        slot = Slot(CELLS, random.choice((ASCII, UNICODE)), NOW)
        segments = fence.apply(draw(random, slot), Color(0, 0, 0))
        lines = [Patch(0, 0, segments[:1]), Patch(1 + number % 3, 0, segments[1:])]
        encoded = encoder.encode(WIDTH * 10, 5, lines)
        assert OBEYED.search(OURS.sub("", encoded)) is None, encoded
        sent += len(encoded)
    return sent, fence.removed


def test_terminal_obeys_no_byte_of_a_hostile_record() -> None:
    sent, removed = render(SEED, RENDERS)
    assert sent > RENDERS * 100
    # The fence is the second one: nothing may get as far as that.
    assert removed == 0
