"""Times as plain numbers."""

from datetime import UTC, datetime


def unix(moment: datetime | None) -> float | None:
    """Seconds since 1970; a time without a zone is UTC."""
    if moment is None:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
