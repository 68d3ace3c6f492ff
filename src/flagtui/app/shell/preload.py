"""Modules the first rows do without: imported afterwards one by one, so that a key waits for one at most.

Not in a thread: two threads that load parts of one package at the same time can stop each other.
"""

import asyncio
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Final

CLIENT: Final = ("flagtui.models.record", "flagtui.api.connection", "flagtui.api.client", "flagtui.api.flags")
"""What asks the server."""
SERVER: Final = (*CLIENT, "flagtui.app.shell.server_connection")
"""What brings the app and its server together."""
PANE: Final = (
    "flagtui.evaluate.flags",
    "flagtui.changes.flags.flag_words",
    "flagtui.app.flags.flag_preview_lines",
)
"""The details of a flag in the pane beside the list."""
REST: Final = (
    *PANE,
    "flagtui.changes.flags.flag_plan",
    "flagtui.changes.flags.flag_entries",
    "flagtui.changes.pipeline",
    "flagtui.changes.flags.flag_planner",
    "flagtui.app.writing.write_path",
    "flagtui.app.flags.form.flag_fields",
    "flagtui.app.flags.related_changes",
    "flagtui.app.flags.flag_edits",
    "flagtui.app.flags.flag_screen",
    "flagtui.app.dialogs.help",
    "flagtui.app.experiments.experiment_steps",
    "flagtui.app.journal.journal_screen",
    "flagtui.app.lists.since",
    "flagtui.app.experiments.experiment_list",
    "flagtui.app.events.event_list",
)
"""In the order in which a person is likely to need it, first of all the question before a change."""


async def load_in_background(names: Sequence[str] = REST) -> None:
    """Load these modules; other tasks take their turn after each."""
    for name in names:
        if name not in sys.modules:
            import_module(name)
            await asyncio.sleep(0)
