"""A flag as a scan of code needs it: its row, and what libraries make of its conditions."""

from collections.abc import Iterable, Iterator, Mapping
from typing import ClassVar

import msgspec

from flagtui.models.rows import FlagRow

ServedValue = bool | str | None
"""The value that everyone gets; None where it depends on the user, or is unknown."""


class CodeFlag(msgspec.Struct, frozen=True, array_like=True):
    """A flag of the server, or one that was deleted."""

    row: FlagRow
    everyone: ServedValue = None
    not_local: str = ""
    """Why libraries on servers cannot evaluate it locally; empty where they can, or it is unknown."""
    has_value: bool = True
    """False for a flag from the list of the app, which has no conditions."""

    @property
    def id(self) -> int:
        return self.row.id

    @property
    def key(self) -> str:
        return self.row.key


class StoredFlag(msgspec.Struct, frozen=True, gc=False, array_like=True):
    """A flag in the cached copy."""

    INNER: ClassVar[tuple[type[msgspec.Struct], ...]] = (CodeFlag, FlagRow)
    """The types whose fields are in the bytes of the flag."""

    key: str
    flag: bytes

    @classmethod
    def of(cls, flag: CodeFlag) -> "StoredFlag":
        return cls(flag.key, msgspec.msgpack.encode(flag))


class StoredFlags(Mapping[str, CodeFlag]):
    """Flags by key. Each is read when it is looked up: code names few of ten thousand."""

    def __init__(self, rows: Iterable[StoredFlag]) -> None:
        """Read the first flag, which is of the same version as the others. Raises MsgspecError."""
        self._rows = {row.key: row.flag for row in rows}
        self._read = msgspec.msgpack.Decoder(CodeFlag).decode
        for key in self._rows:
            self[key]
            break

    def __getitem__(self, key: str) -> CodeFlag:
        return self._read(self._rows[key])

    def __contains__(self, key: object) -> bool:
        return key in self._rows

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)
