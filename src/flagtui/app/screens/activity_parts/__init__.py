"""The pane, the words and the reading behind the activity of a project."""
