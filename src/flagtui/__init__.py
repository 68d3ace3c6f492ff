"""Feature flags, experiments and event definitions in a terminal."""

__version__ = "0.3.0"
