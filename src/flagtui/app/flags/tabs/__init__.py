"""The tabs of a flag's screen."""
