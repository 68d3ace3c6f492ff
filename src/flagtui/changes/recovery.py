"""What became of changes that an earlier run left open, of every kind of record: read, and written down."""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from flagtui.changes.journal import Journal
from flagtui.changes.journal_entries import Signature

if TYPE_CHECKING:
    from flagtui.api import Client


class Recovered(Protocol):
    """What the server says today about one of them."""

    @property
    def words(self) -> str: ...
    @property
    def is_known(self) -> bool: ...


async def recover_all(journal: Journal, client: "Client", here: Signature) -> Sequence[Recovered]:
    """Reads what is open in this project and closes what can be told. Raises `JournalUnwritable`.

    Nothing is asked, and no rules of a kind are loaded, where nothing of that kind is open.
    """
    kinds = {
        entry.kind
        for entry in await asyncio.to_thread(journal.unresolved)
        if (entry.signature.host, entry.signature.project) == (here.host, here.project)
    }
    found: list[Recovered] = []
    if not kinds:
        return found
    if "event_definition" in kinds:
        from flagtui.changes.event_definitions.definition_recovery import recover as recover_definitions

        found += await recover_definitions(journal, client.event_definitions, here)
    if "experiment" in kinds:
        from flagtui.changes.experiments.step_recovery import recover_steps

        found += await recover_steps(
            journal, client.experiments, here, lambda project: client.for_project(project).experiments
        )
    if kinds - {"event_definition", "experiment"}:
        from flagtui.changes.flags.flag_recovery import recover as recover_flags
        from flagtui.changes.related.related_recovery import recover_related

        found += await recover_flags(journal, client.flags, here)
        found += await recover_related(journal, client, here)
    return found
