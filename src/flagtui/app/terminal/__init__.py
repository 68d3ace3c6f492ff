"""What goes to the terminal and how it gets its old state back."""
