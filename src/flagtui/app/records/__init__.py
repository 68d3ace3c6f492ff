"""The page of one record of whatever kind: frame, tabs, watching, scrolling, the way back."""
