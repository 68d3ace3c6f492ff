"""Print the flags of list_app.py as the list draws them, for programs that show lines. usage: COUNT"""

import sys

from list_app import NOW, make_flags

from flagtui.app.flags.flag_columns import FLAG_COLUMNS
from flagtui.app.widgets.column_layout import Slot, fit, lay_out
from flagtui.app.widgets.glyphs import UNICODE

WIDTH = 114
"""What fzf leaves of 120 columns for a line."""

LAYOUT = lay_out(FLAG_COLUMNS, WIDTH)

for flag in make_flags(int(sys.argv[1])):
    cells = (
        " " * placed.column.gap
        + "".join(
            text
            for text, _ in fit(
                placed.column.draw(flag, Slot(placed.width, UNICODE, NOW)),
                placed.width,
                placed.column.align,
                UNICODE.ellipsis,
            )
        )
        for placed in LAYOUT
    )
    print("".join(cells))
