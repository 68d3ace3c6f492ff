"""What the first rows do without: loaded behind them, in a thread, so that keys go on being heard."""

import threading
from collections.abc import Sequence
from importlib import import_module
from typing import Final

from flagtui.config.daemon import await_call

PANE: Final = ("flagtui.app.widgets.flag_lines",)
"""What the pane beside the list tells of a flag."""
REST: Final = (
    *PANE,
    "flagtui.app.straight_path",
    "flagtui.app.editing",
    "flagtui.app.screens.flag",
    "flagtui.app.screens.picker",
    "flagtui.app.screens.help",
    "flagtui.app.screens.journal",
    "flagtui.app.screens.since",
)
"""In the order in which a person is likely to need it: first of all the question before a change."""

_one_at_a_time: Final = threading.Lock()
_loaded: Final[set[str]] = set()


async def load_behind(names: Sequence[str] = REST) -> None:
    """Returns when these modules are loaded. Leaving the program does not wait for that."""
    if not _loaded.issuperset(names):
        await await_call(lambda: _load(names))


def _load(names: Sequence[str]) -> None:
    for name in names:
        with _one_at_a_time:
            import_module(name)
        _loaded.add(name)
