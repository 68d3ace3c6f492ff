"""Building blocks of screens; widgets know models and safe text, never the workspace."""
