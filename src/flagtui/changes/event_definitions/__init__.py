"""The written path for event definitions: few rules, no versions, and a deletion nobody can take back."""
