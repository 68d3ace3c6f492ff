"""What an experiment's screens are made of: its numbers, what is known of it, and how that is drawn."""
