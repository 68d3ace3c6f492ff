"""The rules of changes to flags: plan, refusals, consequences, what is sent, recovery, undo."""
