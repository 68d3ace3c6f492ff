"""`flagtui flags …`."""
