"""Everything needed to evaluate flags here, as the server hands it out: read when asked for, then kept."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from flagtui.api.errors import ApiError
from flagtui.evaluate import Definitions
from flagtui.models.json_value import JSON
from flagtui.models.local_evaluation import LocalEvaluation

if TYPE_CHECKING:
    from flagtui.api import Client


class LocalDefinitions:
    """The document of one project. `trouble` says why there is none, or why it is not the newest."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._turn = asyncio.Lock()
        self.document: LocalEvaluation | None = None
        self.trouble: ApiError | None = None

    @property
    def is_read(self) -> bool:
        """Whether the server was asked already, with whatever success."""
        return self.document is not None or self.trouble is not None

    @property
    def group_names(self) -> Mapping[int, str]:
        """Group types by index; empty while nobody asked."""
        found = self.document.group_type_mapping if self.document else {}
        return {int(index): name for index, name in found.items() if index.isascii() and index.isdigit()}

    async def read(self) -> LocalEvaluation | None:
        """The newest document; one that did not change is not sent again."""
        async with self._turn:
            try:
                found = await self._client.flags.local_evaluation(
                    etag=self.document.etag if self.document else ""
                )
            except ApiError as error:
                self.trouble = error
                return self.document
            self.trouble = None
            self.document = found or self.document
            return self.document

    async def definitions(self, also: Sequence[Mapping[str, JSON]] = ()) -> Definitions | None:
        """What the evaluator works with, with these flags as they were read; None without a document."""
        document = await self.read()
        if document is None:
            return Definitions.of([dict(raw) for raw in also]) if also else None
        return await asyncio.to_thread(_definitions, document.raw, also)


def _definitions(raw: Mapping[str, Any], also: Sequence[Mapping[str, JSON]]) -> Definitions:
    flags = [flag for flag in raw.get("flags") or () if isinstance(flag, dict)]
    # Read on their own they are newer, and name cohorts as people do.
    newer = {flag.get("key"): dict(flag) for flag in also}
    kept = [flag for flag in flags if flag.get("key") not in newer]
    return Definitions.of_document({**raw, "flags": [*kept, *newer.values()]})
