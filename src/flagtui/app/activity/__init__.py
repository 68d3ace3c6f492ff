"""The activity of a project: timeline, search, entries."""
