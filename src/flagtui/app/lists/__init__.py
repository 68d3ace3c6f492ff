"""The list screen and its parts: search line, rows, marks, order, preview, empty states."""
