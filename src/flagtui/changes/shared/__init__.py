"""Holdouts and shared metrics, which several experiments use."""
