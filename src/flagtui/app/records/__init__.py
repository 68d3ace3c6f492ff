"""The screen of one record: its frame, its tabs, the way to another record."""
