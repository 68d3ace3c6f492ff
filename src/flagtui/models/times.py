"""Times as plain numbers."""

from datetime import datetime

from flagtui.local_time import aware


def as_moment(text: object) -> float | None:
    """Unix seconds of an ISO 8601 text; None for anything else."""
    try:
        return unix(datetime.fromisoformat(text)) if isinstance(text, str) else None
    except ValueError:
        return None


def unix(moment: datetime | None) -> float | None:
    """Seconds since 1970; a time without a zone is UTC."""
    if moment is None:
        return None
    return aware(moment).timestamp()
