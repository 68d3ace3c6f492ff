"""Starts the app. Nothing else of the command line imports it."""
