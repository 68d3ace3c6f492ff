"""`flagtui flags types`: a file of types for source code."""

import difflib
import os
import shlex
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from flagtui.cli.plumbing.errors import EXIT_CODES, Trouble
from flagtui.cli.plumbing.offline_copies import OfflineCopies, never_read, require_project_id
from flagtui.cli.plumbing.option_rules import ruled_option
from flagtui.cli.plumbing.options import OFFLINE, WorkPlace
from flagtui.cli.plumbing.output.lines import progress, warn
from flagtui.cli.plumbing.project_session import ProjectSession, in_project, open_profile
from flagtui.cli.plumbing.record_command import command
from flagtui.cli.plumbing.selection import FLAGS, read_query
from flagtui.cli.plumbing.value_types import WrittenFile
from flagtui.cli.plumbing.word_types import query_argument
from flagtui.local_time import ago
from flagtui.private_folders import read_file
from flagtui.text.formats import count

if TYPE_CHECKING:
    from flagtui.code.flag_types import FlagType, TypeFile
    from flagtui.models.flag_shapes import FlagShape

LANGUAGES: Final = ("ts", "python", "go", "openfeature")
LARGEST: Final = 64
"""MiB of a file of types that are read."""
PART: Final = "shapes"


@command(
    "types",
    operations=("flags.list",),
    only_shows=True,
    examples=("--language ts", "--language python tag:web --out flag_types.py"),
)
@click.option(
    "--language", required=True, type=click.Choice(LANGUAGES), help="openfeature is a flag manifest."
)
@click.option("--out", type=WrittenFile(), help="Write to this file.")
@ruled_option(
    "--check",
    is_flag=True,
    help="Write nothing; exit with 7 if the file of --out differs.",
    requires=("--out",),
)
@OFFLINE
@query_argument("flags")
def types(
    place: WorkPlace, query: tuple[str, ...], language: str, out: Path | None, check: bool, offline: bool
) -> int:
    """Write the keys, variants and payload types of flags for code.

    Archived flags are omitted unless QUERY selects them; stale ones are marked as deprecated.
    """
    line = " ".join(query)
    shapes = (
        _shapes_on_disk(place, line) if offline else in_project(place, lambda session: _read(session, line))
    )
    from flagtui.code.flag_types import flag_types

    words = ("flagtui", "flags", "types", "--language", language, *query)
    file = _writer(language)(flag_types(shapes), shlex.join(words))
    for name, identifier in file.numbered.items():
        warn(f"{identifier} is used for {name}: another name makes the same identifier.")
    if out is None:
        sys.stdout.write(file.text)
        return 0
    before = _read_file(out)
    if check:
        return _compare(out, before, file.text)
    if before == file.text:
        progress(f"{out} is up to date.")
        return 0
    _write_file(out, file.text)
    progress(f"Wrote {count(len(shapes), 'flag')} to {out}.")
    return 0


def _writer(language: str) -> "Callable[[Sequence[FlagType], str], TypeFile]":
    # Each loads only what its language needs.
    if language == "ts":
        from flagtui.code.typescript_types import write_typescript as write
    elif language == "python":
        from flagtui.code.python_types import write_python as write
    elif language == "go":
        from flagtui.code.go_types import write_go as write
    else:
        from flagtui.code.flag_types import write_openfeature as write
    return write


async def _read(session: ProjectSession, line: str) -> "Sequence[FlagShape]":
    """Return the flags that the query selects; keep all of them for `--offline`. Raises Trouble, ApiError."""
    from flagtui.api.flag_shapes import FlagShapes
    from flagtui.models.flag_shapes import FlagShape

    _query, facts = await FLAGS.read_checked(session, line)
    source = FlagShapes(session.client.connection, session.client.project)
    shapes: list[FlagShape] = await FLAGS.every(session, has_archived=True, resource=source)
    OfflineCopies(session.opening).save(session.client.project, "flags", PART, shapes, FlagShape)
    return _select(shapes, line, facts)


def _shapes_on_disk(place: WorkPlace, line: str) -> "Sequence[FlagShape]":
    """Return the flags of the last run that the query selects. Raises Trouble."""
    from flagtui.models.flag_shapes import FlagShape

    opening = open_profile(place.profile, place.project)
    facts = FLAGS.check(read_query(line, FLAGS.kind.listing.vocabulary), opening, time.time())
    require_project_id(opening)
    copy = OfflineCopies(opening).load("flags", PART, FlagShape)
    if copy is None:
        raise never_read(opening)
    progress(f"Flags as read {ago(copy.taken_at, time.time())}.")
    return _select(copy.rows, line, facts)


def _select(shapes: "Sequence[FlagShape]", line: str, facts: object) -> "Sequence[FlagShape]":
    by_id: Mapping[int, FlagShape] = {shape.id: shape for shape in shapes}
    return [by_id[row.id] for row in FLAGS.search([shape.row for shape in by_id.values()], line, "", facts)]


def _read_file(path: Path) -> str:
    """Return the content of the file; empty if it does not exist. Raises Trouble."""
    try:
        return read_file(path, LARGEST).decode()
    except FileNotFoundError:
        return ""
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise Trouble(f"{path} cannot be read: {why}.", "Name another file.", code="failed") from None


def _compare(path: Path, before: str, after: str) -> int:
    """Print the difference; return the exit code."""
    if before == after:
        progress(f"{path} is up to date.")
        return 0
    lines = difflib.unified_diff(
        before.splitlines(keepends=True), after.splitlines(keepends=True), str(path), "as it would be"
    )
    sys.stdout.writelines(line if line.endswith("\n") else f"{line}\n" for line in map(_drawable, lines))
    state = "differs" if path.exists() else "does not exist"
    progress(f"{path} {state}; nothing was written. Without --check, the command writes it.")
    return EXIT_CODES["findings"]


def _drawable(line: str) -> str:
    return "".join(each if each.isprintable() or each in "\t\n" else "\ufffd" for each in line)


def _write_file(path: Path, text: str) -> None:
    """Replace the file at once: a failure leaves the previous one. Raises Trouble."""
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:40]}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
                file.write(text)
            mask = os.umask(0)
            os.umask(mask)
            Path(name).chmod(path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~mask)
            Path(name).replace(path)
        finally:
            with suppress(OSError):
                Path(name).unlink()
    except OSError as error:
        what = f"{path} was not written: {error.strerror}."
        raise Trouble(what, "Name a file in a folder that you may write to.") from None
