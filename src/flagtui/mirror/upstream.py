"""The source of definitions: a server that is only read, or a file."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final, Protocol

from flagtui.api import Client
from flagtui.api.errors import ApiError, may_pass
from flagtui.models.json_value import JSON, as_dict, as_list, as_text, read_json
from flagtui.private_folders import read_file

LARGEST: Final = 256
"""MiB of a file of definitions that are read."""
WRITE: Final = "flagtui flags definitions --json"
"""The command that writes definitions; the command line adds the profile and the project to it."""


class UpstreamError(Exception):
    """The definitions cannot be fetched; the message is a sentence, `advice` what to do."""

    def __init__(
        self, what: str, advice: str = "", *, is_passing: bool = False, response: ApiError | None = None
    ) -> None:
        super().__init__(what)
        self.what = what
        self.advice = advice
        self.is_passing = is_passing
        """Whether the connection or the server fails, rather than the key or the file."""
        self.response = response
        """The error of the server; None for one of a file."""


class Upstream(Protocol):
    """A source of definitions."""

    name: str
    """For a line: `production (https://eu.posthog.com, project 1)`."""
    is_polled: bool
    as_of: float | None
    """When the definitions were written, in Unix seconds; None when they are as current as the fetch."""

    async def fetch(self) -> Mapping[str, JSON] | None:
        """Return the definitions; None when they are unchanged since the last time. Raises UpstreamError."""

    async def time_zone(self) -> str:
        """Return the project's time zone; UTC where it is not known."""

    async def close(self) -> None:
        """Close connections; a later fetch opens them again."""


class ServerUpstream:
    """A project on a server, read through a client whose connection refuses every write."""

    is_polled = True
    as_of: float | None = None

    def __init__(self, client: Client, name: str) -> None:
        assert client.connection.is_read_only
        self.name = name
        self._client = client
        self._etag = ""

    async def fetch(self) -> Mapping[str, JSON] | None:
        """Request the definitions, by ETag after the first time."""
        try:
            document = await self._client.evaluation.local_evaluation(etag=self._etag)
        except ApiError as error:
            passing = may_pass(error)
            raise UpstreamError(error.what, error.next, is_passing=passing, response=error) from None
        if document is None:
            return None
        # A mirror does not serve a list that is empty all at once; "unchanged" would confirm what it serves.
        self._etag = as_text(document.raw.get("etag")) if document.flags else ""
        return document.raw

    async def time_zone(self) -> str:
        """Request the project; a key that may not read it leaves UTC."""
        try:
            return (await self._client.projects.get(self._client.project)).timezone
        except ApiError:
            return "UTC"

    async def close(self) -> None:
        """Close the connection; a later fetch opens it again."""
        await self._client.close()


class DocumentUpstream:
    """Definitions that are given."""

    is_polled = False
    as_of: float | None = None

    def __init__(self, name: str, document: Mapping[str, JSON]) -> None:
        self.name = name
        self._document = document

    async def fetch(self) -> Mapping[str, JSON] | None:
        return self._document

    async def time_zone(self) -> str:
        return "UTC"

    async def close(self) -> None:
        """Close nothing."""


class FileUpstream(DocumentUpstream):
    """A definitions document, or the list of flags that `flagtui flags definitions --json` prints."""

    def __init__(self, path: Path) -> None:
        super().__init__(str(path), {})
        self._path = path

    async def fetch(self) -> Mapping[str, JSON] | None:
        try:
            body = read_file(self._path, LARGEST)
            document = read_json(body.decode(json.detect_encoding(body)).encode())
            self.as_of = self._path.stat().st_mtime
        except OSError as fault:
            raise UpstreamError(f"{self._path} cannot be read: {fault.strerror}.") from None
        except ValueError:
            raise UpstreamError(f"{self._path} is not JSON.", f"Write them with: {WRITE}") from None
        definitions = _definitions_of(document)
        flags = definitions.get("flags")
        if not isinstance(flags, list) or not all(
            isinstance(flag, dict) and flag.get("key") for flag in flags
        ):
            raise UpstreamError(f"{self._path} holds no definitions of flags.", f"Write them with: {WRITE}")
        return definitions


def _definitions_of(document: JSON) -> dict[str, JSON]:
    """Return the document of a server, a list of flags, or the output of a command as one document."""
    if isinstance(document, list):
        return {"flags": document}
    values = as_dict(document)
    if "records" not in values:
        return values
    records = [as_dict(record) for record in as_list(values["records"])]
    definitions: dict[str, JSON] = {"flags": [record.get("definition") for record in records]}
    for name, member in (("cohorts", "cohorts"), ("group_type_mapping", "group_types")):
        members = (as_dict(record.get(member)) for record in records)
        definitions[name] = {key: value for each in members for key, value in each.items()}
    return definitions
