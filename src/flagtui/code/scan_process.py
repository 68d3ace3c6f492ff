"""A scan in a separate process, for the app: it does not delay the screen and can be ended.

It reads a job from standard input and writes lines of JSON to standard output: progress, then the result.
"""

import os
import sys
from contextlib import suppress
from pathlib import Path

import msgspec

from flagtui.code.flag_facts import CodeFacts
from flagtui.code.repository_settings import read_repository_settings
from flagtui.code.scan_request import ScanRequest
from flagtui.code.source_files import SourceError, list_sources
from flagtui.code.stored_places import stored_places
from flagtui.code.tree_scan import scan_tree
from flagtui.config.toml_source import SettingsError
from flagtui.models.code_uses import CodeUse


class ScanJob(msgspec.Struct, frozen=True):
    folder: str
    facts: CodeFacts
    store: str = ""
    """The file for the results by file; empty for none."""


class ScanLine(msgspec.Struct, frozen=True, omit_defaults=True):
    """One line of the output: progress, the failure, or the result."""

    files: int = 0
    """Files that were read so far, about."""
    total: int = 0
    failure: str = ""
    """Why there is no result."""
    result: msgspec.Raw = msgspec.Raw(b"")


class ScannedCode(msgspec.Struct, frozen=True):
    root: str
    places: tuple[CodeUse, ...] = ()
    files: int = 0
    problems: int = 0
    """Files that are not understood in full."""


def scan_folder(job: ScanJob) -> ScannedCode:
    """Return the places in the folder. Raises SourceError, SettingsError."""
    folder = Path(job.folder)
    tree = list_sources([folder], folder)
    settings = read_repository_settings(tree.root)
    store = Path(job.store) if job.store else None
    scan = scan_tree(tree, ScanRequest(job.facts.flags, settings, report=_report, store=store))
    if not scan.files:
        # Every flag would be unused.
        raise SourceError(next(iter(scan.problems), f"{folder} has no source file."))
    places = tuple(stored_places(scan.references, job.facts))
    return ScannedCode(str(tree.root), places, scan.files, len(scan.problems))


def _report(files: int, total: int) -> None:
    _write(ScanLine(files, total))


def _write(line: ScanLine) -> None:
    sys.stdout.buffer.write(msgspec.json.encode(line) + b"\n")
    sys.stdout.flush()


def main() -> int:
    """Carry out the job of standard input; return the exit code."""
    with suppress(OSError):
        os.nice(5)
    job = msgspec.msgpack.decode(sys.stdin.buffer.read(), type=ScanJob)
    try:
        scanned = scan_folder(job)
    except (SourceError, SettingsError) as error:
        _write(ScanLine(failure=str(error)))
        return 1
    _write(ScanLine(result=msgspec.Raw(msgspec.json.encode(scanned))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
