"""Opens the app. Nothing else of the command line imports the app."""

from flagtui.app.terminal.first_frame import leave, paint

__all__ = ["leave", "paint"]
