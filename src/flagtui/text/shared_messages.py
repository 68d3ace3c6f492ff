"""Messages that the app and the command line share."""

from flagtui.safe_text import safe_text


def lacking_scope(ability: str, scope: str) -> str:
    """Return `change flags: the key lacks feature_flag:write`."""
    return f"{ability}: the key lacks {scope}"


def requested_recalculation(status: str) -> str:
    """Report that the server recalculates a metric's days; `status` is the server's and can be empty."""
    return f"requested a recalculation of all days: {safe_text(status, 40) or 'accepted'}"
