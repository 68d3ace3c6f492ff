"""What the screens share: the state of the app, the session, preferences, permissions, ages."""
