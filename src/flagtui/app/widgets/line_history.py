"""Lines used before, newest last, and a walk through them that gives back what was being typed."""

KEPT_LINES = 50


class LineHistory:
    """Each line once; using it again makes it the newest."""

    def __init__(self, lines: tuple[str, ...] = ()) -> None:
        self.lines: list[str] = list(lines[-KEPT_LINES:])
        self._at: int | None = None
        self._typed = ""

    def keep(self, line: str) -> None:
        """Add a line that was used, and end the walk."""
        self._at = None
        if line.strip():
            self.lines = [*(kept for kept in self.lines if kept != line), line][-KEPT_LINES:]

    def earlier(self, typed: str) -> str | None:
        """The line before; the walk begins at the newest that is not what stands there already."""
        if self._at is None:
            self._typed = typed
            self._at = len(self.lines)
        at = self._at - 1
        if at == len(self.lines) - 1 and at >= 0 and self.lines[at] == typed:
            at -= 1
        if at < 0:
            return None
        self._at = at
        return self.lines[at]

    def later(self) -> str | None:
        """The line after, at the end what was being typed; None when no walk is under way."""
        if self._at is None:
            return None
        self._at += 1
        if self._at < len(self.lines):
            return self.lines[self._at]
        self._at = None
        return self._typed
