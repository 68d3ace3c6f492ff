"""What each command prints, field by field. Importing it loads no library."""
