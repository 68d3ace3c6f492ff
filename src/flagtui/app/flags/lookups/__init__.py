"""Flags found by other means than the list: by id, mine, local evaluation definitions."""
