"""Keys, names and tags that completion offers: from the copies of lists on disk.

They are offered without loading what reads the command line, which takes longer, where that is not needed.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, Literal

from flagtui.config.locations import find_locations
from flagtui.store.snapshot_files import read_words

Kind = Literal["flags", "experiments", "events"]

NAMED: Final[Mapping[str, Sequence[str]]] = {
    "flags": (
        *("get", "history", "diff", "evaluate", "explain", "due", "status", "payload", "enable", "disable"),
        *("archive", "unarchive", "delete", "restore", "rollout", "tag", "edit", "copy", "schedule"),
        *("cohort", "dashboard"),
    ),
    "experiments": (
        *("get", "results", "timeseries", "history", "launch", "pause", "resume", "end", "ship", "archive"),
        *("unarchive", "reset", "duplicate", "copy", "delete", "restore", "cohort", "edit"),
    ),
    "events": (
        *("get", "verify", "unverify", "hide", "show", "delete", "tag", "describe", "owner", "property"),
        "enforce",
    ),
}
"""The commands whose first words name records."""
TAGGED: Final = ("--add", "--remove", "--set")
"""The options of `tag` that take a tag of such records."""

_FORMS: Final = {"bash_complete": "plain,{}", "zsh_complete": "plain\n{}\n_", "fish_complete": "plain,{}"}
"""How each shell reads a word."""


def quick_words() -> list[str] | None:
    """What to print for the shell; None where the command line has to be read."""
    shell = os.environ.get("_FLAGTUI_COMPLETE", "")
    line, place = os.environ.get("COMP_WORDS", ""), os.environ.get("COMP_CWORD", "")
    words = line.split("\n") if "\n" in line else line.split()
    if shell == "fish_complete" and not {"'", '"', "\\"} & {*line}:
        # It gives the word itself, not which one it is.
        before, begun = words[1 : len(words) - bool(place)], place
    elif shell in ("bash_complete", "zsh_complete") and place.isdigit():
        before, begun = words[1 : int(place)], "".join(words[int(place) :][:1])
    else:
        return None
    if len(before) < 2 or before[1] not in NAMED.get(before[0], ()):
        return None
    known = TAGGED if before[1] == "tag" else ()
    if begun.startswith("-") or any(word.startswith("-") and word not in known for word in before):
        return None
    kind: Kind = before[0]  # type: ignore[assignment]  # one of the keys of NAMED
    found = known_words(kind, "", "", begun, is_tag=before[-1] in known)
    return [_FORMS[shell].format(word) for word in found]


def known_words(
    kind: Kind, profile: str, project: str, begun: str = "", *, is_tag: bool = False
) -> list[str]:
    """Of the profile's newest copy those that begin so, sorted; none where no copy can be read."""
    name = profile or os.environ.get("FLAGTUI_PROFILE", "")
    for path in sorted(_copies(kind, name, project), key=lambda path: -path.stat().st_mtime):
        if found := read_words(path, is_tag=is_tag):
            return sorted({word for word in found if word.startswith(begun)})
    return []


def _copies(kind: Kind, profile: str, project: str) -> Iterator[Path]:
    cache = find_locations().cache
    folder = cache / "rows" if cache is not None else None
    if folder is None or not folder.is_dir():
        return
    for path in folder.glob("*.rows"):
        # profile-host-project-kind-sum.rows, as the copies are named.
        parts = path.stem.split("-")
        if len(parts) < 4 or parts[-2] != kind or (project and parts[-3] != project):
            continue
        if not profile or path.name.startswith(f"{profile.lower()}-"):
            yield path
