"""Shared state of the screens: app, session, preferences, permissions, ages."""
