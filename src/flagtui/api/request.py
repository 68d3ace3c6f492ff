"""A question as it goes out and the answer as it came back."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from flagtui.api.errors import ErrorFacts, Invalid, TooLarge, Unreadable
from flagtui.api.operations import Operation
from flagtui.api.urgency import Urgency
from flagtui.models.json_value import JSON, NotJson, read_json

Query: TypeAlias = Mapping[str, JSON]
"""Query parameters: None is left out, booleans are lower case, a tuple is repeated, a list is JSON."""

BODY_LIMIT: Final = 20 * 1024 * 1024
"""Bytes the server takes in one request."""


@dataclass(frozen=True, slots=True)
class Question:
    """One request to be."""

    operation: Operation
    path: str
    query: tuple[tuple[str, str], ...] = ()
    body: JSON = None
    urgency: Urgency = Urgency.PERSON
    etag: str = ""
    """What we have already; the server may answer 304 instead of sending it again."""

    def facts(self, status: int | None = None) -> ErrorFacts:
        """What an error says about this question."""
        return ErrorFacts(self.operation.method, self.operation.is_write, self.path, status)

    def encoded(self) -> bytes | None:
        """The body as JSON; raises before anything is sent when it cannot be."""
        if self.body is None:
            return None
        try:
            # ASCII, because half a surrogate pair has no UTF-8.
            text = json.dumps(self.body, allow_nan=False, separators=(",", ":")).encode("ascii")
        except (ValueError, TypeError, RecursionError):
            raise Invalid("This cannot be written as JSON, so it was not sent.", facts=self.facts()) from None
        if len(text) > BODY_LIMIT:
            raise TooLarge("This is more than a server takes at once; it was not sent.", facts=self.facts())
        return text


@dataclass(frozen=True, slots=True)
class Answer:
    """A whole answer: every byte of it has arrived."""

    status: int
    headers: Mapping[str, str]
    """Names in lower case."""
    body: bytes = field(repr=False)
    question: Question
    server_time: float | None = None
    elapsed: float = 0.0

    def json(self) -> JSON:
        """The body as JSON; raises `Unreadable`."""
        try:
            return read_json(self.body)
        except NotJson as fault:
            raise self.unreadable(str(fault)) from None

    def record(self, *needed: str) -> dict[str, JSON]:
        """The body as one JSON object that has these keys; raises `Unreadable`."""
        value = self.json()
        if not isinstance(value, dict):
            raise self.unreadable("it is not one record")
        missing = [name for name in needed if name not in value]
        if missing:
            raise self.unreadable(f"{missing[0]} is missing from it")
        return value

    def items(self) -> list[JSON]:
        """The body as a list of objects, anything else in it left out; raises `Unreadable`."""
        value = self.json()
        if not isinstance(value, list):
            raise self.unreadable("it is not a list")
        found = [item for item in value if isinstance(item, dict)]
        if value and not found:
            raise self.unreadable("it is a list of something else")
        return found

    def expect_nothing(self) -> None:
        """For answers without content; raises `Unreadable` for a web page that says 200 to everything."""
        if self.body:
            self.json()

    def unreadable(self, reason: str) -> Unreadable:
        """The error for a body that is not what was asked for."""
        if not self.body:
            reason = "it is empty"
        elif self.body.lstrip()[:1] == b"<":
            reason = "it is a web page"
        what = f"The server's answer cannot be read: {reason}."
        return Unreadable(what, facts=self.question.facts(self.status))
