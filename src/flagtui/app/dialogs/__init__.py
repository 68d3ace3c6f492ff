"""Dialogs: picker, prompt, help, palette."""
