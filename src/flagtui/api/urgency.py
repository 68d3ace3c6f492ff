"""Which of several requests goes first."""

from enum import IntEnum


class Urgency(IntEnum):
    """Lower goes first."""

    PERSON = 0
    """The person waits for this request."""
    LOADING = 1
    """Part of a list that is on screen."""
    BACKGROUND = 2
    """No request waits."""
