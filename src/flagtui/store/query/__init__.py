"""The search language: from a typed line to a test of rows."""
