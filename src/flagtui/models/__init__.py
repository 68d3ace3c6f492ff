"""What the API talks about: frozen records that keep what they do not know."""
