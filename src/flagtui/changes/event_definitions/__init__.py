"""Changes of event definitions: few rules, no versions, and a deletion that cannot be undone."""
