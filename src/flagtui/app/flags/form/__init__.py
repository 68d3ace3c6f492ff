"""The form of a flag and its fields."""
