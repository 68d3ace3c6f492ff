"""What the first rows do without: loaded behind them in pieces, so that a key waits for one of them at most.

Not in a thread: two threads that load parts of one package at the same time can stop each other.
"""

import asyncio
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Final

CLIENT: Final = ("flagtui.models.record", "flagtui.api.sending", "flagtui.api.client")
"""What asks the server."""
PANE: Final = ("flagtui.evaluate", "flagtui.changes.describing", "flagtui.app.widgets.flag_lines")
"""What the pane beside the list tells of a flag."""
REST: Final = (
    *PANE,
    "flagtui.changes.plan",
    "flagtui.changes.recovery",
    "flagtui.app.saving",
    "flagtui.app.planning",
    "flagtui.app.straight_path",
    "flagtui.app.screens.edit.form_lines",
    "flagtui.app.scheduling",
    "flagtui.app.editing",
    "flagtui.app.screens.flag",
    "flagtui.app.screens.help",
    "flagtui.app.experimenting",
    "flagtui.app.screens.journal",
    "flagtui.app.screens.since",
)
"""In the order in which a person is likely to need it, first of all the question before a change."""


async def load_behind(names: Sequence[str] = REST) -> None:
    """Returns when these modules are loaded. Whatever else is waiting takes its turn after each."""
    for name in names:
        if name not in sys.modules:
            import_module(name)
            await asyncio.sleep(0)
