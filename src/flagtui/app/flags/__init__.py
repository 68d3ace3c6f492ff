"""Flags: list, screen, preview, edits."""
