"""Sign in, see who you are, sign out."""
