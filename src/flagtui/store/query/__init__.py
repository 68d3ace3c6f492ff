"""The search language: a line typed by a person in, a test for rows out."""
