"""Words and styled pieces, without a toolkit: formats, sentences, differences, outcomes, empty states."""
