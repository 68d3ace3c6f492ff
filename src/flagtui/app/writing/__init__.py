"""From a request to its result on screen: the question, progress, results, conflicts, undo."""
