"""The table of commands: what a person can do, its key, its place, its words."""
