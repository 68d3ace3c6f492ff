"""Event definitions: list, screen, edits, the inbox that triages them."""
