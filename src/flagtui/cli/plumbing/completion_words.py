"""Keys, names and tags that completion offers: from the copies of lists on disk.

They are offered without loading the command line's parser, which takes longer, if it is not needed.
"""

import os
import re
from collections.abc import Container, Iterator
from pathlib import Path
from typing import Final

from flagtui.cli.plumbing.demo_places import DEMO_PROFILE
from flagtui.cli.plumbing.registry import command_index
from flagtui.config.locations import find_locations
from flagtui.store.snapshot_files import read_words

_FORMS: Final = {"bash_complete": "plain,{}", "zsh_complete": "plain\n{}\n_", "fish_complete": "plain,{}"}
"""How each shell reads a word."""
_DEMO: Final = f"{DEMO_PROFILE}-http-127.0.0.1-1-"
"""The start of the names of its copies; its records are on no server."""


def quick_words() -> list[str] | None:
    """Return the words for the shell; None where the command line has to be parsed."""
    shell = os.environ.get("_FLAGTUI_COMPLETE", "")
    line, place = os.environ.get("COMP_WORDS", ""), os.environ.get("COMP_CWORD", "")
    words = line.split("\n") if "\n" in line else line.split()
    if {"'", '"', "\\"} & {*line}:
        return None
    if shell == "fish_complete":
        # It gives the word itself, not which one it is.
        before, begun = words[1 : len(words) - bool(place)], place
    elif shell in ("bash_complete", "zsh_complete") and place.isdigit():
        before, begun = words[1 : int(place)], "".join(words[int(place) :][:1])
    else:
        return None
    command = command_index().get(" ".join(before[:2]))
    if command is None or not command.records:
        return None
    tag_options = command.tag_options
    # A query is completed with the vocabulary of its kind.
    if ":" in begun or begun.startswith("-") or any(_is_option(word, tag_options) for word in before):
        return None
    matches = known_words(command.records, "", "", begun, is_tag=before[-1] in tag_options)
    return [_FORMS[shell].format(word) for word in matches]


def _is_option(word: str, options: Container[str]) -> bool:
    return word.startswith("-") and word not in options


def known_words(kind: str, profile: str, project: str, begun: str = "", *, is_tag: bool = False) -> list[str]:
    """Return sorted names with this beginning from the newest cache; none where no cache can be read.

    Without a profile it is the newest of any server.
    """
    name = profile or os.environ.get("FLAGTUI_PROFILE", "")
    for path in sorted(_copies(kind, name, project), key=lambda path: -path.stat().st_mtime):
        if words := read_words(path, is_tag=is_tag):
            return sorted({word for word in words if word.startswith(begun)})
    return []


def cached_projects(profile: str) -> set[str]:
    """Return the ids of the projects of which a list is cached."""
    kinds = {command.records for command in command_index().values() if command.records}
    paths = (path for kind in kinds for path in _copies(kind, profile, ""))
    return {path.stem.split("-")[-3] for path in paths}


def _copies(kind: str, profile: str, project: str) -> Iterator[Path]:
    cache = find_locations().cache
    try:
        paths = [*(cache / "rows").glob("*.rows")] if cache is not None else []
    except OSError:
        # The folder of another user, such as root after sudo.
        return
    for path in paths:
        # profile-host-project-kind-sum.rows, as lists are named; other copies have a word before kind.
        parts = path.stem.split("-")
        if len(parts) < 4 or parts[-2] != kind or not parts[-3].isdecimal() or project not in ("", parts[-3]):
            continue
        is_of_it = path.name.startswith(_start_of(profile)) if profile else not path.name.startswith(_DEMO)
        if is_of_it:
            yield path


def _start_of(profile: str) -> str:
    """Return the start of the names of a profile's copies: the profile, then its host."""
    return f"{re.sub('[^a-z0-9.]+', '-', profile.lower())}-http"
