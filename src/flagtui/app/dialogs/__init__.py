"""What asks for one thing: picker, prompt, checklist, help, palette, the person's own editor."""
