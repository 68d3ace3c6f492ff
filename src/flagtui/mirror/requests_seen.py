"""Requests of programs to the mirror: key, value, reason, caller and count, also as NDJSON in a file."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from flagtui.config.files import replace_file
from flagtui.models.json_value import JSON
from flagtui.models.mirror_state import ELSEWHERE, MISSING
from flagtui.service.sdk.sdk_call import Noted

MOST: Final = 10_000
"""Different requests that are counted; a program that invents keys could fill the memory."""
LONGEST: Final = 400
"""Characters of a key and of a caller."""


RequestSeen = tuple[str, str, str, str]
"""Key, value as JSON text, reason and caller."""


def requests_of(caller: str, noted: Noted) -> Iterator[RequestSeen]:
    """Yield the counts of a response."""
    for result in noted.results:
        yield result.record.key, _value_text(result.value), result.code, caller[:LONGEST]
    for reason, keys in ((MISSING, noted.missing), (ELSEWHERE, noted.outside)):
        for key in keys:
            yield key[:LONGEST], "null", reason, caller[:LONGEST]


class RequestsSeen(msgspec.Struct):
    """Counts since the start of the mirror."""

    events: int = 0
    """Events that were accepted and dropped."""
    counts: "Counter[RequestSeen]" = msgspec.field(default_factory=Counter)

    def count(self, requests: Sequence[Any]) -> None:
        """Count the requests of one response, new ones unless there are too many different ones."""
        is_full = len(self.counts) >= MOST
        self.counts.update((each for each in requests if each in self.counts) if is_full else requests)

    @property
    def total(self) -> int:
        """Return the number of counted flags."""
        return self.counts.total()

    def describe(self) -> list[JSON]:
        """Return each different request with its count, in the order of the first."""
        return [
            {"key": key, "value": json.loads(value), "reason": reason, "caller": caller, "count": count}
            for (key, value, reason, caller), count in self.counts.items()
        ]

    def lines(self) -> Iterator[str]:
        """Yield them as lines of JSON."""
        return (json.dumps(line, ensure_ascii=True) for line in self.describe())


def _value_text(value: Any) -> str:
    return _TEXTS[value] if value is None or isinstance(value, bool) else json.dumps(value)


_TEXTS: Final = {None: "null", False: "false", True: "true"}


class RecordFile(msgspec.Struct):
    """The file of `--record`, replaced as a whole when something was requested since the last time."""

    path: Path
    trouble: str = ""
    """Why the file could not be written; empty when it was."""
    _written: int = -1

    def write(self, seen: RequestsSeen) -> None:
        """Write the counts if there are others than in the file."""
        if seen.total == self._written:
            return
        try:
            replace_file(self.path, "".join(f"{line}\n" for line in seen.lines()))
        except OSError as fault:
            self.trouble = f"the record {self.path} cannot be written: {fault.strerror}"
            return
        self.trouble, self._written = "", seen.total
