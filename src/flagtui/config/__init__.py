"""What the person chose: places, profiles, keys, and how the program looks."""
