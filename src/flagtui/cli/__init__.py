"""The same by command line. Imports nothing heavy until a command needs it."""

import sys

__all__ = ["main"]


def main() -> None:
    """Show the last screen at once if the app is meant, then find out what was asked for."""
    from flagtui.app.terminal.first_frame import leave, paint

    paint(sys.argv[1:])
    from flagtui.cli.main import main as run

    try:
        run()
    finally:
        leave()
