"""What a flag's own screen shows, a file for each of its tabs."""
