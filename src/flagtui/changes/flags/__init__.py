"""The rules of changes to flags: plan, refusals, consequences, request, recovery, undo."""
