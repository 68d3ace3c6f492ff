"""What the program remembers from run to run without being told: never a reason to fail."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from flagtui.config.files import replace_file

_FILE: Final = "remembered.json"
_SIZE_LIMIT: Final = 256 * 1024
HISTORY_LIMIT: Final = 50
LONGEST_LINE: Final = 1_000


@dataclass(frozen=True)
class LeftList:
    """How a list was left."""

    line: str = ""
    record: int | str | None = None
    """The one under the cursor."""


@dataclass(frozen=True)
class LeftLists:
    """How the lists of a profile were left."""

    tab: str = ""
    """The key of the one in front."""
    lists: Mapping[str, LeftList] = field(default_factory=dict)
    """By the key of their tab."""


@dataclass(frozen=True)
class Remembered:
    """How things stood at the end of the last run."""

    projects: Mapping[str, str] = field(default_factory=dict)
    """The last project by profile and host, see `place_of`."""
    preview: bool | None = None
    sorts: Mapping[str, str] = field(default_factory=dict)
    """Order by list; a minus in front turns it round."""
    history: tuple[str, ...] = ()
    """Search lines, newest first."""
    toured: bool = False
    """Whether the tour was taken or skipped."""
    left: Mapping[str, LeftLists] = field(default_factory=dict)
    """How the lists were left, by profile and host."""

    def with_project(self, profile: str, host: str, project: str) -> "Remembered":
        """The same with the project last opened there."""
        return replace(self, projects={**self.projects, place_of(profile, host): project})

    def with_line(self, line: str) -> "Remembered":
        """The same with the line in front of the history, unless it is blank."""
        line = line.strip()
        if not line or len(line) > LONGEST_LINE:
            return self
        others = [other for other in self.history if other != line]
        return replace(self, history=(line, *others)[:HISTORY_LIMIT])

    def with_left(self, profile: str, host: str, left: LeftLists) -> "Remembered":
        """The same with the lists of a profile as they are left now."""
        return replace(self, left={**self.left, place_of(profile, host): left})


def place_of(profile: str, host: str) -> str:
    """A project number means something at one host only."""
    return f"{profile} {host}"


def recall(folder: Path | None) -> Remembered:
    """What was remembered, as far as it can be read."""
    if folder is None:
        return Remembered()
    path = folder / _FILE
    try:
        # A pipe in its place would keep the start waiting.
        if not path.is_file() or path.stat().st_size > _SIZE_LIMIT:
            return Remembered()
        found = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return Remembered()
    if not isinstance(found, dict):
        return Remembered()
    preview = found.get("preview")
    return Remembered(
        projects=_texts(found.get("projects")),
        preview=preview if isinstance(preview, bool) else None,
        sorts=_texts(found.get("sorts")),
        history=_lines(found.get("history")),
        toured=found.get("toured") is True,
        left=_left(found.get("left")),
    )


def remember(folder: Path | None, remembered: Remembered) -> bool:
    """Writes it down; False when that is not possible, which is not worth a message."""
    if folder is None:
        return False
    try:
        replace_file(folder / _FILE, json.dumps(asdict(remembered), indent=1))
    except (OSError, UnicodeEncodeError):
        return False
    return True


def _texts(value: Any) -> dict[str, str]:
    if not isinstance(value, dict):
        return {}
    return {name: text for name, text in value.items() if isinstance(text, str)}


def _left(value: Any) -> dict[str, LeftLists]:
    if not isinstance(value, dict):
        return {}
    found = {}
    for place, left in value.items():
        if (
            isinstance(left, dict)
            and isinstance(left.get("tab"), str)
            and isinstance(left.get("lists"), dict)
        ):
            lists = {tab: _left_list(each) for tab, each in left["lists"].items() if isinstance(each, dict)}
            found[place] = LeftLists(left["tab"], lists)
    return found


def _left_list(value: dict[str, Any]) -> LeftList:
    line, record = value.get("line"), value.get("record")
    return LeftList(
        line if isinstance(line, str) and len(line) <= LONGEST_LINE else "",
        record if isinstance(record, int | str) and not isinstance(record, bool) else None,
    )


def _lines(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list):
        return ()
    return tuple(line for line in value if isinstance(line, str))[:HISTORY_LIMIT]
