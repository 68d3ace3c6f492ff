"""Format records as words and styled pieces, without a toolkit."""
