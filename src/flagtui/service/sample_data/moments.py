"""Times in the sample are ages: seen from now, whenever the sample is made."""

from dataclasses import dataclass
from datetime import datetime, timedelta


@dataclass(frozen=True, slots=True)
class Moments:
    """Turns ages into times, a few seconds past the round number so that it reads the same for a while."""

    now: datetime

    def ago(self, days: float = 0, hours: float = 0, minutes: float = 0) -> datetime:
        moment = self.now - timedelta(days=days, hours=hours, minutes=minutes, seconds=5)
        return moment.replace(microsecond=(moment.second * 16_807 + moment.minute * 4_099) % 1_000_000)
