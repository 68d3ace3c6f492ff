"""The current state: collections of rows, the search over them, and their snapshots on disk."""
