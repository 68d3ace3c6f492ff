"""The table of commands: action, key, place, words."""
