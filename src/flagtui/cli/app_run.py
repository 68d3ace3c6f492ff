"""Runs the app on this terminal, and says the last word when the screen is gone."""

import sys
from typing import TYPE_CHECKING

from flagtui.safe_text import safe_text

if TYPE_CHECKING:
    from flagtui.app.app import FlagTui


def run_app(app: "FlagTui", *, mouse: bool = True) -> int:
    """The exit code. Faults of the program leave one sentence and the path of a report."""
    app.run(mouse=mouse)
    app.has_left = True
    if app.last_words:
        print(f"flagtui: {safe_text(app.last_words, 1_000)}", file=sys.stderr)
    return app.return_code or 0
