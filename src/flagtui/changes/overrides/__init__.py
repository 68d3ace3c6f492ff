"""Overrides of a mirror on this machine as changes: planned, journaled and undone like those of a server."""
