"""Keys that arrive before the first screen can take them: kept, in order, and given back."""

from textual import events


class EarlyKeys:
    """A person who knows the program types at once, and a slow link delivers it all in one packet."""

    def __init__(self) -> None:
        self._kept: list[events.Event] | None = []

    def keep(self, event: events.Event) -> bool:
        """Keep the event when it is too early for it; false when it can be handled now."""
        if self._kept is None or not isinstance(event, events.Key | events.Paste):
            return False
        self._kept.append(event)
        return True

    def release(self) -> list[events.Event]:
        """Everything kept so far. From now on nothing is kept."""
        kept, self._kept = self._kept or [], None
        return kept
