"""View and change experiments.

EXPERIMENT is a name, the key of its flag, an id, or a query such as 'is:running flag:checkout';
several at once, and - reads them from standard input.
"""
