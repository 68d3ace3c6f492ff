"""The keys and settings that the result of a file depends on."""

import msgspec


class FileRules(msgspec.Struct, frozen=True):
    """The keys and settings of one scan. Patterns are those of `.gitignore`."""

    keys: tuple[str, ...]
    wrappers: tuple[str, ...] = ()
    constants: tuple[str, ...] = ()
    generated: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    """Languages to parse, by name; empty for all."""
    event_wrappers: tuple[str, ...] = ()
