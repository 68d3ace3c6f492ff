"""Shared parts of commands: session, options, output, confirmation and errors."""
