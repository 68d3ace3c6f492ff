"""What the operations around event definitions answer."""

from typing import Annotated

from pydantic import BeforeValidator

from flagtui.models.flag_answers import BulkError
from flagtui.models.record import Record, Whole, only_objects


class VerifiedNow(Record):
    """A definition after a bulk verification."""

    id: str = ""
    verified: bool = False


class BulkVerified(Record):
    """What a bulk verification did; those already in that state are in neither list."""

    updated: Annotated[tuple[VerifiedNow, ...], BeforeValidator(only_objects)] = ()
    skipped: Annotated[tuple[BulkError, ...], BeforeValidator(only_objects)] = ()


class GeneratedCode(Record):
    """Source text that declares every event."""

    content: str = ""
    event_count: Whole = 0
    schema_hash: str = ""
    generator_version: str = ""
