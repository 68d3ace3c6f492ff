"""The last scan of each folder of code, by profile and project, for questions, pages and searches.

It has keys and places, and no line of code. Nothing here raises: a scan that cannot be written or read is
missing.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from flagtui.models.code_uses import MISSING, CodeUse, CodeUses, MissingKey, UseFinding
from flagtui.private_folders import is_foreign, place_sum, replace_private

_SUFFIX: Final = ".json"
_RESULTS: Final = ".files"
_SIZE_LIMIT: Final = 64 * 1024 * 1024
_VERSION: Final = 3


class CodeScan(msgspec.Struct, frozen=True):
    """The scan of a folder: every place that names a key."""

    profile: str
    folder: str
    """The folder that was searched."""
    root: str
    """The folder that paths start from."""
    taken_at: float
    """Unix seconds."""
    places: tuple[CodeUse, ...]
    project: str = ""
    """The project with whose flags the code was compared."""
    version: int = _VERSION

    def uses_of(self, key: str) -> CodeUses:
        places = self.places_of(key, "flag")
        uses = tuple(each for each in places if each.is_use)
        quoted = tuple(each for each in places if each.kind == "string")
        computed = sum(each.is_use for each in self.places_of("", "flag"))
        return CodeUses(uses, quoted, computed, self.folder, self.taken_at)

    def places_of(self, key: str, subject: str) -> list[CodeUse]:
        """Return the places that name a flag or an event: uses first, then by file and line."""
        places = [each for each in self.places if (each.key, each.subject) == (key, subject)]
        return sorted(places, key=lambda each: not each.is_use)

    def missing_keys(self) -> list[MissingKey]:
        """Return the keys that code uses and that have no record, with every use."""
        uses: defaultdict[tuple[str, str], list[CodeUse]] = defaultdict(list)
        reports: dict[tuple[str, str], UseFinding] = {}
        for place in self.places:
            missing = next((each for each in place.findings if each.rule in MISSING), None)
            if missing is not None:
                uses[place.subject, place.key].append(place)
                reports.setdefault((place.subject, place.key), missing)
        return [
            MissingKey(subject, key, report.rule, report.message, tuple(uses[subject, key]))
            for (subject, key), report in reports.items()
        ]


class CodeIndex:
    """The data of a scan about each key of a flag."""

    def __init__(self, scan: CodeScan) -> None:
        self._uses: Counter[str] = Counter()
        self._rules: defaultdict[str, set[str]] = defaultdict(set)
        self._kinds: defaultdict[str, set[str]] = defaultdict(set)
        for place in scan.places:
            if place.subject == "flag":
                self._uses[place.key] += place.is_use
                self._kinds[place.key].add(place.kind)
                self._rules[place.key].update(finding.rule for finding in place.findings)

    def uses(self, key: str) -> int:
        """Return how many places need the key."""
        return self._uses[key]

    def is_unused(self, key: str) -> bool:
        """Return whether no place is a use or may be one, as a quoted key."""
        return not self._uses[key] and "string" not in self._kinds.get(key, ())

    def rules(self, key: str) -> frozenset[str]:
        """Return the ids of the rules that report the key."""
        if not self.is_unused(key):
            return frozenset(self._rules[key])
        return frozenset(("comment-only" if "comment" in self._kinds.get(key, ()) else "unreferenced",))


class CodeScans:
    """The scans of one project of a profile."""

    def __init__(self, cache: Path | None, profile: str, project: str = "") -> None:
        self._folder = cache / "code" if cache else None
        self._profile = profile
        self._project = project

    def save(self, folder: Path, root: Path, places: Iterable[CodeUse], taken_at: float) -> CodeScan:
        """Replace the scan of the folder, where it can be stored, and return it."""
        resolved = folder.resolve()
        scan = CodeScan(self._profile, str(resolved), str(root), taken_at, tuple(places), self._project)
        if self._folder is None:
            return scan
        # A folder whose name is not UTF-8 is not stored either.
        with suppress(OSError, UnicodeEncodeError):
            replace_private(self._path(resolved), msgspec.json.encode(scan))
        return scan

    def load(self, folder: Path) -> CodeScan | None:
        """Return the last scan of the folder, or of the nearest folder above it."""
        resolved = folder.resolve()
        scans = (self._read(each) for each in (resolved, *resolved.parents))
        return next((scan for scan in scans if scan is not None), None)

    def results(self, folder: Path) -> Path | None:
        """Return the file for the results of a scan of the folder by file; None where nothing is stored."""
        return self._path(folder.resolve()).with_suffix(_RESULTS) if self._folder else None

    def _path(self, folder: Path) -> Path:
        assert self._folder is not None
        return self._folder / f"{place_sum(self._profile, self._project, str(folder))}{_SUFFIX}"

    def _read(self, folder: Path) -> CodeScan | None:
        if self._folder is None:
            return None
        path = self._path(folder)
        try:
            if not path.is_file() or path.stat().st_size > _SIZE_LIMIT or is_foreign(str(path)):
                return None
            scan = msgspec.json.decode(path.read_bytes(), type=CodeScan)
        except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
            return None
        own = (self._profile, self._project, str(folder), _VERSION)
        is_own = (scan.profile, scan.project, scan.folder, scan.version) == own
        return scan if is_own else None
