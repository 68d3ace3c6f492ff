"""The printed records of each command, field by field. Importing it loads no library."""
