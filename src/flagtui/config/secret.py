"""An API key between its storage and the client, never shown by accident."""

import re
from typing import Any, Final, NoReturn

_FORM: Final = re.compile(r"[\x21-\x7e]{3,512}")
_HIDDEN: Final = "••••"


class KeyMalformed(ValueError):
    """The text cannot be a key. The message never contains it."""


class Secret:
    """A key. Printing, logging, comparing in a failed test or pickling does not reveal it."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        value = value.strip()
        if not _FORM.fullmatch(value):
            raise KeyMalformed("A key is 3 to 512 plain characters without spaces.")
        self._value = value

    def get_secret_value(self) -> str:
        """Return the key, for the client's requests and for storing it."""
        return self._value

    @property
    def mask(self) -> str:
        """Return the kind and the last four characters: enough to distinguish keys."""
        kind = self._value[:4] if self._value[3:4] == "_" else ""
        return f"{kind}{_HIDDEN}{self._value[-4:]}" if len(self._value) >= 20 else f"{kind}{_HIDDEN}"

    def redact(self, text: str) -> str:
        """Return the text with every occurrence of the key removed."""
        return text.replace(self._value, _HIDDEN)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and self._value == other._value

    def __hash__(self) -> int:
        return hash(self._value)

    def __repr__(self) -> str:
        return f"Secret({_HIDDEN})"

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise TypeError("a key is not written anywhere by accident")
