"""`flagtui flags …`: `flag_group` declares the commands, the others do the work when one is called."""
