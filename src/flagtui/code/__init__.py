"""Flags in source code."""
