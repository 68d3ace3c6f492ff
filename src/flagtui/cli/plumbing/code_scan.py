"""Shared parts of `refs` and `check`: folders, settings of the repository, the scan and its report."""

import time
from collections.abc import Collection, Sequence
from pathlib import Path

import msgspec

from flagtui.cli.plumbing.errors import Trouble
from flagtui.cli.plumbing.offline_copies import code_scans, current_folder, project_names
from flagtui.cli.plumbing.output.lines import progress, warn
from flagtui.cli.plumbing.profile_choice import Opening
from flagtui.code.early_start import take_reader
from flagtui.code.file_content import keeps_results
from flagtui.code.flag_facts import CodeFacts
from flagtui.code.reference_records import Reference
from flagtui.code.repository_settings import read_repository_settings
from flagtui.code.scan_request import ScanRequest
from flagtui.code.source_files import SourceError, list_changed, list_sources
from flagtui.code.stored_places import stored_places
from flagtui.code.syntax import PARSER
from flagtui.code.tree_scan import Scan, scan_tree
from flagtui.config.toml_source import SettingsError
from flagtui.text.formats import count

PROBLEM_LIMIT = 20
"""Files with a problem that are named one by one."""


class ScanPlace(msgspec.Struct, frozen=True):
    """The files to search, and which of their references to report."""

    folders: Sequence[Path]
    languages: Collection[str] = ()
    changed_since: str = ""
    """A revision of git; empty reports every file."""

    @property
    def is_whole(self) -> bool:
        """Return whether every language of one folder is read."""
        return not self.languages and len(self.folders) < 2

    @property
    def folder(self) -> Path:
        """Return the first folder; the current one unless given."""
        return self.folders[0] if self.folders else current_folder()


class ScanResult(msgspec.Struct, frozen=True):
    """The references of a tree."""

    scan: Scan
    shown: Sequence[Reference]
    """Those in the files to report."""


def scan_code(
    opening: Opening, place: ScanPlace, facts: CodeFacts, names: Collection[str] = ()
) -> ScanResult:
    """Search the folders for the flags and other names; report skipped files on standard error.

    The places are stored for the app and for questions. Raises Trouble.
    """
    folders = [folder.absolute() for folder in place.folders] or [current_folder()]
    missing = next((folder for folder in folders if not folder.is_dir()), None)
    if missing is not None:
        raise Trouble(f"{missing} is not a folder.", "Name a folder with source code.", code="usage")
    ahead = take_reader(folders)
    try:
        tree = (ahead.sources() if ahead else None) or list_sources(folders, current_folder())
        settings = read_repository_settings(tree.root)
        changed = list_changed(tree.root, place.changed_since) if place.changed_since else None
    except (SourceError, SettingsError) as error:
        raise Trouble(f"{error}", code="usage") from None
    # In the order of the list, which the marks of stored results depend on.
    keys = [*dict.fromkeys((*facts.flags, *names))]
    is_usual = place.is_whole and len(keys) == len(facts.flags) and keeps_results()
    store = code_scans(opening, facts.project).results(place.folder) if is_usual else None
    scan = scan_tree(tree, ScanRequest(keys, settings, place.languages, store=store), ahead)
    _report(scan)
    _save(opening, place, tree.root, scan, facts)
    shown = [each for each in scan.references if changed is None or each.is_in(changed)]
    return ScanResult(scan, shown)


def _save(opening: Opening, place: ScanPlace, root: Path, scan: Scan, facts: CodeFacts) -> None:
    if not scan.is_parsed or not place.is_whole or not scan.files:
        return
    places = [*stored_places(scan.references, facts)]
    for project in project_names(opening, facts.project):
        code_scans(opening, project).save(place.folder, root, places, time.time())


def _report(scan: Scan) -> None:
    if not scan.is_parsed:
        progress(f"Only quoted words were searched: install {PARSER} beside flagtui to recognise calls.")
    for problem in scan.problems[:PROBLEM_LIMIT]:
        warn(problem)
    if len(scan.problems) > PROBLEM_LIMIT:
        warn(f"{count(len(scan.problems) - PROBLEM_LIMIT, 'more problem')}.")
    skipped = ", ".join(f"{number:,} {reason}" for reason, number in sorted(scan.skipped.items()))
    progress(f"Searched {count(scan.files, 'file')}{f'; skipped {skipped}' if skipped else ''}.")
