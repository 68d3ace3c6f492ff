"""The form of an experiment and its metrics."""
