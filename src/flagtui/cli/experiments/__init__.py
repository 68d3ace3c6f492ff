"""`flagtui experiments …`: `experiment_group` declares the commands, the others do the work."""
