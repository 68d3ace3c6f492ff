"""What it looks like: the only importer of textual."""
