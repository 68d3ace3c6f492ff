"""How a change happens: the one path from an intent to its outcome, for app and command line."""
