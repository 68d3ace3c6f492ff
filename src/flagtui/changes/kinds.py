"""Every kind of record that the journal tells of."""

from typing import Final

from flagtui.changes.entry_kind import EntryKind
from flagtui.changes.event_definitions.definition_entries import DefinitionEntries
from flagtui.changes.event_definitions.definition_intent import KIND as EVENT
from flagtui.changes.experiments.step_entries import StepEntries
from flagtui.changes.flags.flag_entries import FlagEntries
from flagtui.changes.related.related_entries import RELATED, LastingEntries

KINDS: Final[dict[str, EntryKind]] = {
    "flag": FlagEntries(),
    "experiment": StepEntries(),
    EVENT: DefinitionEntries(),
    **RELATED,
}
_UNKNOWN: Final = LastingEntries("this program does not know what it was", "")


def kind_of(entry_kind: str) -> EntryKind:
    """What is peculiar to entries of this kind; of one that a newer program wrote nothing can be told."""
    return KINDS.get(entry_kind, _UNKNOWN)
