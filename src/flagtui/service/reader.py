"""Connections that only read, and the values computed from what they read."""

import sqlite3
from collections.abc import Callable, Hashable
from typing import Any, Final, TypeVar

MemoT = TypeVar("MemoT")

MOST_REMEMBERED: Final = 256
MOST_LASTING: Final = 4
"""All people of a project are one of these values."""


class Reader(sqlite3.Connection):
    """A read-only connection, which caches computed values until the next write."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._known: dict[Hashable, Any] = {}
        self._known_at: int = -1
        self._lasting: dict[tuple[str, Hashable], tuple[int, Any]] = {}
        """By topic and question, the least recently used first: the revision of the topic, and the value."""

    def remember(self, question: Hashable, work_out: Callable[[], MemoT]) -> MemoT:
        """Return the result of `work_out`, cached for the same query until the next write."""
        moment = self.execute("PRAGMA data_version").fetchone()[0]
        if moment != self._known_at or len(self._known) > MOST_REMEMBERED:
            self._known.clear()
            self._known_at = moment
        if question not in self._known:
            self._known[question] = work_out()
        value: MemoT = self._known[question]
        return value

    def remember_while(self, topic: str, question: Hashable, work_out: Callable[[], MemoT]) -> MemoT:
        """Return what `work_out` gave for the question since the tables of the topic last changed."""
        revision = self.execute("SELECT number FROM revisions WHERE topic = ?", (topic,)).fetchone()[0]
        entry = self._lasting.pop((topic, question), None)
        if entry is None or entry[0] != revision:
            entry = (revision, work_out())
        self._lasting[topic, question] = entry
        while len(self._lasting) > MOST_LASTING:
            del self._lasting[next(iter(self._lasting))]
        value: MemoT = entry[1]
        return value


def remember(
    db: sqlite3.Connection, question: Hashable, work_out: Callable[[], MemoT], topic: str = ""
) -> MemoT:
    """Return `Reader.remember` of a reading connection; a writing one caches nothing."""
    if not isinstance(db, Reader):
        return work_out()
    return db.remember_while(topic, question, work_out) if topic else db.remember(question, work_out)
