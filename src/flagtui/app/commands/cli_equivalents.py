"""The command line that does the same as a command of the app: `flagtui flags disable new-nav`."""

import shlex
from collections.abc import Sequence
from typing import Any, Final

import msgspec

from flagtui.app.commands.command import Command
from flagtui.store.kinds import KINDS, RecordKind

_AT_CURSOR: Final = ("RECORD", *(kind.name.upper() for kind in KINDS.values()))
_MARKED: Final = tuple(name.upper() for name in KINDS)
_SERVERLESS: Final = ("profiles", "auth", "commands")
"""Commands that are about no server, or any."""
_MIRROR: Final = "mirror"
_PLACELESS: Final = (*_SERVERLESS, "journal", _MIRROR)
"""Commands that take no project."""


class Subject(msgspec.Struct, frozen=True):
    """The records and the profile that a command would apply to. Names are raw."""

    kind: str = ""
    """The plural of their kind; empty for a command without records."""
    record: Any = None
    """The record under the cursor."""
    many: Sequence[Any] = ()
    """The rows that are marked, or that record alone."""
    where: Sequence[str] = ()
    """The options that name profile and project."""
    embedded_in: str = ""
    """The command that has the server in its process, such as `demo`."""
    mirror: str = ""
    """The address of the open mirror; empty without one."""


def place_options(profile: str, project: str | int | None) -> list[str]:
    """Return the options that name the open profile and project; empty and None omit theirs."""
    named = ["--profile", shlex.quote(profile)] if profile else []
    return named if project is None else [*named, "--project", str(project)]


def cli_equivalent(command: Command, subject: Subject) -> str:
    """Return the command line of a command, its names quoted for a shell; empty for a command without one."""
    if not command.cli:
        return ""
    group, *rest = command.cli.replace("KIND", subject.kind or "flags").split()
    words = ["flagtui", group] if group in _SERVERLESS else ["flagtui", *subject.embedded_in.split(), group]
    for word in rest:
        if group == _MIRROR and subject.many and word.partition("=")[0] in _MARKED:
            words += (f"{shlex.quote(str(row.key))}={word.partition('=')[2]}" for row in subject.many)
        elif subject.record is None or group != subject.kind:
            words.append(word.partition("|")[0])
        elif "|" in word:
            words.append(command.verb_for(subject.many[0]))
        elif word in _AT_CURSOR:
            words.append(name_of(KINDS[subject.kind], subject.record))
        elif word in _MARKED:
            words += (name_of(KINDS[subject.kind], record) for record in subject.many)
        else:
            words.append(word)
    if group not in _PLACELESS:
        words += subject.where
    elif group == _MIRROR and subject.mirror:
        words += "--port", subject.mirror.rpartition(":")[2]
    return " ".join(words)


def name_of(kind: RecordKind, record: Any) -> str:
    """Return the record's name in quotes for the command line; its id where the name could be read otherwise.

    `record` is a row, or the link to one.
    """
    name = str(getattr(record, kind.label, None) or record.key) if kind.has_unique_names else ""
    return str(record.id) if not name or name.startswith("-") or ":" in name else shlex.quote(name)
