"""The pipeline of changes from an intent to its outcome, for app and command line."""
