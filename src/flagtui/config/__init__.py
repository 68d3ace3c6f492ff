"""Configuration by the user: folders, profiles, keys and appearance."""
