"""Serve a project's flags on this machine, with overrides of your own.

Without a command it starts a mirror: see flagtui mirror run --help
"""
