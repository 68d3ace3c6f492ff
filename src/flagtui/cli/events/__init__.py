"""`flagtui events …`: `event_group` declares the commands, the others do the work."""
