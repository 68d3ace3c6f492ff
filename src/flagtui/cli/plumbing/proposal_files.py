"""Proposals: the change sets in the folder of this repository, or of this user."""

import os
from itertools import count
from pathlib import Path
from typing import Final

import msgspec

from flagtui.changes.sets.change_set import ChangeSet, ChangeSetError
from flagtui.changes.sets.set_files import SetFile
from flagtui.cli.plumbing.errors import Trouble
from flagtui.config.locations import find_locations
from flagtui.safe_text import safe_text

SHORT: Final = 8
"""Characters of an id that are shown; commands take as many as make it unique."""
STAGED: Final = "staged"
"""The word for the staged set where a proposal or a file can be named too."""


def proposals_folder() -> Path:
    """Return the folder of proposals: of the repository around this folder, else of this user.

    Raises Trouble when there is no folder for the data of this user.
    """
    here = Path.cwd()
    for folder in (here, *here.parents):
        if (folder / ".git").exists():
            return folder / ".flagtui" / "proposals"
    data = find_locations().data
    if data is None:
        raise Trouble("there is no home folder, so there are no proposals.", "Set HOME.")
    return data / "proposals"


def new_proposal(name: str) -> Path:
    """Return a free path for a proposal: `name`, with a number where it is in use. Raises Trouble."""
    folder = proposals_folder()
    names = (f"{name}{f'-{number}' * (number > 1)}.json" for number in count(1))
    return next(path for path in map(folder.joinpath, names) if not os.path.lexists(path))


class ProposedSet(msgspec.Struct, frozen=True):
    """A file in the folder of proposals; it may be no change set."""

    file: SetFile
    change_set: ChangeSet | None
    problem: str = ""
    """Why it cannot be read."""

    @property
    def id(self) -> str:
        return self.change_set.id[:SHORT] if self.change_set else ""

    def read(self) -> ChangeSet:
        """Return the set. Raises ChangeSetError."""
        return self.change_set or self.file.read()

    @property
    def words(self) -> str:
        """The reason, else the records, in one line."""
        if self.change_set is None:
            return self.problem
        keys = ", ".join(change.key for change in self.change_set.changes)
        return safe_text(self.change_set.reason or keys, 80)


def read_proposals() -> list[ProposedSet]:
    """Return all proposals, unreadable ones and then the oldest first. Raises Trouble without access."""
    folder = proposals_folder()
    try:
        paths = sorted(path for path in folder.iterdir() if path.suffix == ".json") if folder.exists() else []
    except OSError as fault:
        raise Trouble(f"{folder} cannot be read: {fault.strerror}.") from None
    proposals = [_read(SetFile(path)) for path in paths]
    return sorted(proposals, key=lambda each: each.change_set.made_at if each.change_set else "")


def _read(file: SetFile) -> ProposedSet:
    try:
        return ProposedSet(file, file.read())
    except ChangeSetError as error:
        return ProposedSet(file, None, error.what)
