"""Evaluate flags: a flag and a person in, the value and the deciding condition out."""
