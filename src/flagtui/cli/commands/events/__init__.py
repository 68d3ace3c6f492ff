"""`flagtui events …`."""
