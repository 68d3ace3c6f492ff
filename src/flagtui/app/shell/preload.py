"""Modules the first rows do without: imported afterwards one by one, so that a key waits for one at most.

Not in a thread: two threads that load parts of one package at the same time can stop each other.
"""

import asyncio
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
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


LAYERS: Final = ("app", "details", "changes", "text", "config", "store", "api", "models", "evaluate")
"""The packages of which a running app can need a module."""


@cache
def every_module() -> tuple[str, ...]:
    """Return the modules of the layers: once the files are upgraded, those of two versions do not fit."""
    root = Path(__file__).parents[2]
    files = (file for layer in LAYERS for file in sorted((root / layer).rglob("*.py")))
    return tuple(
        ".".join(file.relative_to(root.parent).with_suffix("").parts).removesuffix(".__init__")
        for file in files
    )


async def load_in_background(names: Sequence[str] = REST) -> None:
    """Load these modules; other tasks take their turn after each."""
    for name in names:
        if name not in sys.modules:
            import_module(name)
            await asyncio.sleep(0)


async def load_every_module() -> None:
    """Load the other modules of the layers too, except those that need another system."""
    for name in every_module():
        with suppress(ModuleNotFoundError):
            await load_in_background([name])
