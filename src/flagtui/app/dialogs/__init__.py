"""What asks for one thing: picker, prompt, help, palette."""
