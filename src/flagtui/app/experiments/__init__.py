"""Experiments: list, screen, steps, edits."""
