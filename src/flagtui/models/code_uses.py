"""Uses of a key in code, as of the last scan of a folder."""

from typing import Final, Literal, get_args

import msgspec

USES: Final = frozenset(("call", "constant", "wrapper"))
"""Kinds of references that are a use."""


RuleId = Literal[
    "unknown-key",
    "deleted-key",
    "archived",
    "not-local",
    "rolled-out",
    "never-on",
    "off",
    "stale",
    "unreferenced",
    "comment-only",
    "dynamic-key",
    "default-differs",
    "missing-required",
]
MISSING: Final[frozenset[RuleId]] = frozenset(("unknown-key", "deleted-key"))
"""Rules about keys that have no record."""
RULE_IDS: Final[tuple[RuleId, ...]] = get_args(RuleId)


class UseFinding(msgspec.Struct, frozen=True):
    """A finding of a rule about a place."""

    rule: str
    message: str


class CodeUse(msgspec.Struct, frozen=True):
    """A place in code that names a key."""

    path: str
    line: int
    column: int
    kind: str
    key: str
    """Empty for a call that computes it."""
    subject: str = "flag"
    """`flag` or `event`."""
    language: str = ""
    """The name of the language that was parsed; empty for other text."""
    becomes: str = ""
    """The code without the flag; empty if that is unknown, or if the place is no use."""
    findings: tuple[UseFinding, ...] = ()

    @property
    def is_use(self) -> bool:
        """Return whether the code needs the key here."""
        return self.kind in USES

    @property
    def place(self) -> str:
        """Return `src/app.ts:12:5`."""
        return f"{self.path}:{self.line}:{self.column}"


class MissingKey(msgspec.Struct, frozen=True):
    """A key that code uses and that has no record."""

    subject: str
    key: str
    rule: str
    """`unknown-key` or `deleted-key`."""
    message: str
    places: tuple[CodeUse, ...]

    @property
    def id(self) -> str:
        """Return what identifies it in a list."""
        return f"{self.subject}:{self.key}"


class CodeUses(msgspec.Struct, frozen=True):
    """The uses of one key."""

    uses: tuple[CodeUse, ...]
    quoted: tuple[CodeUse, ...]
    """Places outside of comments and tests that have the key in quotes: each may be a use."""
    computed: int
    """Calls that compute the key of a flag: each may be a use, too."""
    folder: str
    """The folder that was searched."""
    taken_at: float
    """When it was searched, Unix seconds."""
