"""Output to the terminal, and restoring its previous state."""
