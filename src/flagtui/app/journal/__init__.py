"""Changes made from this machine: list and undo."""
