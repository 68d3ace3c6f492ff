"""What every command needs: its session, options, output, confirmation and errors."""
