"""What screens are made of; widgets know models and safe text, never the workspace."""
