"""Where code uses a key, as the last scan of a folder saw it."""

from typing import Final

import msgspec

USES: Final = frozenset(("call", "constant", "wrapper"))
"""Kinds of references that are a use."""


class CodeUse(msgspec.Struct, frozen=True):
    """A place in code that names a key."""

    path: str
    line: int
    column: int
    kind: str
    key: str
    subject: str = "flag"
    """`flag` or `event`."""

    @property
    def place(self) -> str:
        """Return `src/app.ts:12:5`."""
        return f"{self.path}:{self.line}:{self.column}"


class CodeUses(msgspec.Struct, frozen=True):
    """The uses of one key."""

    uses: tuple[CodeUse, ...]
    folder: str
    """The folder that was searched."""
    taken_at: float
    """When it was searched, Unix seconds."""
