"""View and change feature flags.

FLAG is a key, an id, or a query such as 'is:stale tag:web'; several at once, and - reads them from
standard input.
"""
