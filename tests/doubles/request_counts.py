"""How many requests the commands that read send, for a test and for the table in docs/command-line.md."""

from typing import Final, NamedTuple


class Count(NamedTuple):
    """Requests of one command: a fixed number, one for each selected record, and those of whole lists."""

    fixed: int = 0
    lists: int = 0
    """Whole lists, each with one request per page."""
    is_each: bool = False
    """Whether each selected record takes one request more."""

    def __str__(self) -> str:
        parts = [str(self.fixed)] if self.fixed else []
        parts += ["pages"] if self.lists else []
        return " + ".join([*parts, *["records"] * self.is_each])


COUNTS: Final = {
    "flags list": Count(lists=1),
    "flags list tag:web": Count(lists=1),
    "flags list by:me": Count(1, lists=1),
    "flags list --limit 5": Count(1),
    "flags get new-nav": Count(1),
    "flags get key:new-nav": Count(lists=1),
    "flags stale": Count(lists=1),
    "flags due": Count(1, lists=1),
    "flags due tag:web": Count(1, lists=1),
    "flags due new-nav": Count(2),
    "flags history new-nav": Count(2),
    "flags evaluate --for user-1": Count(1),
    "flags evaluate new-nav --for user-1": Count(5),
    "experiments list": Count(1),
    "experiments list --limit 5": Count(1),
    "events list": Count(lists=1),
    "events list --limit 5": Count(1),
    "events get is:verified": Count(lists=1),
    "activity": Count(1),
    "activity since:2h": Count(1),
}
"""By the words of a command; its project is named by an option or the environment."""


def request_table() -> str:
    """Return the table of the docs."""
    rows = (f"| `flagtui {line}` | {count} |" for line, count in COUNTS.items())
    return "\n".join(["| command | requests |", "|---|---|", *rows])
