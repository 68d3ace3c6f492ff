"""Places in source code that name a flag or an event."""

from collections.abc import Container
from typing import Final, Literal

import msgspec

from flagtui.code.sdk_functions import Subject
from flagtui.models.code_uses import USES

Kind = Literal["call", "constant", "wrapper", "string", "comment", "test", "generated"]
Fallback = bool | str | None
SELF_NAMES: Final = frozenset(("self", "this", "Self", "static", "cls", "$this"))
"""What precedes the names of the type around a call."""


class Reference(msgspec.Struct, frozen=True):
    """A place that names a key, or a call whose key is computed."""

    path: str
    """Relative to the root of the tree, with `/` between folders."""
    line: int
    column: int
    """Both count from 1; columns count characters."""
    kind: Kind
    key: str
    """Empty for a key that is computed."""
    subject: Subject = "flag"
    function: str = ""
    """The function that receives the key; empty where none does."""
    expression: str = ""
    """How the call names the key, where it is no literal."""
    fallback: Fallback = None
    """The value in the call for when there is no server; None for none, or a computed one."""
    is_server: bool = False
    """Whether the call runs on a server, where flags can be evaluated locally."""
    accepted: str = ""
    """The reason in the marker `flagtui: ok`; findings about this place are not reported."""
    declared: str = ""
    """The file in which the name of the key is declared; empty for a literal."""

    @property
    def is_use(self) -> bool:
        """Return whether the code needs the flag here."""
        return self.kind in USES

    def is_in(self, paths: Container[str]) -> bool:
        """Return whether these files have the place or the key."""
        return self.path in paths or self.declared in paths

    @property
    def place(self) -> str:
        """Return `src/app.ts:12:5`."""
        return f"{self.path}:{self.line}:{self.column}"


class NamedKey(msgspec.Struct, frozen=True):
    """A name that has a text in one file."""

    path: str
    name: str
    key: str
    scopes: tuple[str, ...]
    """Names that may precede it elsewhere: its class or object, the file, the package."""
    position: tuple[int, int]
    """Line and column of the text."""
    is_member: bool = False
    """Whether it is a member of an object: a key of a flag only if a call names it."""


class NamedCall(msgspec.Struct, frozen=True):
    """A call that names its key by a name, which another file may declare."""

    reference: Reference
    name: str
    scope: str
    """What precedes the name, such as `Flags`; empty for a bare name."""
    member: str
    """What follows it, as in `Flags.NAV.key`: the name of an object that has the key. Empty for nothing."""
    is_imported: bool
    """Whether the file imports the name, or what precedes it."""
    module: str = ""
    """The file that the name, or what precedes it, is imported from."""
    is_module: bool = False
    """Whether what precedes the name is that whole file."""

    @property
    def is_elsewhere(self) -> bool:
        """Return whether another file may declare the name: a type in capitals needs no import."""
        return bool(self.name) and (self.is_imported or self.scope[:1].isupper())


class FileReferences(msgspec.Struct, frozen=True):
    """All references of one file."""

    path: str
    references: tuple[Reference, ...] = ()
    names: tuple[NamedKey, ...] = ()
    calls: tuple[NamedCall, ...] = ()
    problems: tuple[str, ...] = ()
    """A line for each part of the file that is not understood."""
