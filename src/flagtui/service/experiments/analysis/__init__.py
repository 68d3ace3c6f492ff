"""The arithmetic of experiments: pure functions over exposures and events, without a database."""
