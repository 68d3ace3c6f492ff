"""How a change happens: the pipeline from an intent to its outcome, for app and command line."""
