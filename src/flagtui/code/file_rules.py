"""What the result of a file depends on, apart from the file."""

import msgspec


class FileRules(msgspec.Struct, frozen=True):
    """Keys and settings of a scan. Patterns are those of `.gitignore`."""

    keys: tuple[str, ...]
    wrappers: tuple[str, ...] = ()
    constants: tuple[str, ...] = ()
    generated: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    """Languages to parse, by name; empty for all."""
