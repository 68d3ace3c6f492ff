"""`flagtui experiments …`."""
