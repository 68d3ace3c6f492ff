"""Changes of this user from this machine: those that were made, and those that are staged."""
