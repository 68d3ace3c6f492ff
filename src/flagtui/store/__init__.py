"""What we believe now: collections of rows, the search over them, and their copies on disk."""
