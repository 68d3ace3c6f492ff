"""View and change event definitions.

EVENT is a name, an id, or a query such as 'is:unverified seen:<7d'; several at once, and - reads them
from standard input.
"""
