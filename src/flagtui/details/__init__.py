"""What is known of single records and people beyond their rows: asked for when needed, then kept."""
