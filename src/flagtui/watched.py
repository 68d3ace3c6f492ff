"""States whose observers hear of every change."""

from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(eq=False)
class Watched:
    """Calls its observers after every change."""

    _watchers: list[Callable[[], None]] = field(default_factory=list, init=False, repr=False)

    def watch(self, observer: Callable[[], None]) -> Callable[[], None]:
        """Call `observer` after every change; return a function that stops this."""
        self._watchers.append(observer)
        return lambda: self._watchers.remove(observer) if observer in self._watchers else None

    def notify_watchers(self) -> None:
        """Call every observer; one may stop watching meanwhile."""
        for observer in tuple(self._watchers):
            observer()
