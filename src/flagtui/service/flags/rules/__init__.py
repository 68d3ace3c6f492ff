"""Flags of configuration version 2 ("rules"): their documents, server-assigned names, and writes."""
