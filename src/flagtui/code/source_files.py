"""The files of a source tree: those that git tracks, else a walk; ignored and vendored ones are counted."""

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import msgspec

from flagtui.code.git import GitListing, find_top, list_tracked, run_git
from flagtui.code.path_patterns import IGNORE_FILE, SETTINGS_FILE, Matcher, match_patterns, never

VENDORED: Final = frozenset(
    (
        *("node_modules", "bower_components", "vendor", "third_party", "thirdparty", "Pods", "Carthage"),
        *("site-packages", ".venv", "venv", ".git", ".hg", ".svn", "__pycache__"),
    )
)
"""Folders of other people's code, and of version control."""
OWN_FOLDER: Final = ".flagtui"
"""The folder of proposals, which name flags and use none."""


class SourceError(Exception):
    """A folder or revision that cannot be used; the text names it and the reason."""


class SourceTree(msgspec.Struct):
    """The files to read, relative to `root`, with `/` between folders; sorted."""

    root: Path
    files: list[str]
    skipped: Counter[str] = msgspec.field(default_factory=Counter)
    """Files by the reason why they are not read."""
    problems: list[str] = []
    """A line for each folder that cannot be read, or in which git tracks nothing."""


def list_sources(folders: Sequence[Path], here: Path, listing: GitListing | None = None) -> SourceTree:
    """Return the files below the folders that the settings of their repository let a scan read.

    A listing is that of the current folder, the only one then.

    Raises:
        SourceError: a folder does not exist, or is not below the root.
        SettingsError: the settings have a mistake.
    """
    root = find_root(folders, here, listing)
    ignored: Matcher = never
    if os.path.lexists(root / SETTINGS_FILE):
        # Most repositories have none, and what reads it takes longer to load than git to list them.
        from flagtui.code.repository_settings import read_repository_settings

        ignored = match_patterns(read_repository_settings(root).ignore)
    return list_files(root, folders, ignored, listing)


def find_root(folders: Sequence[Path], here: Path, listing: GitListing | None = None) -> Path:
    """Return the folder that paths are relative to.

    It is the top of the repository, else the current folder, else the first of the folders.
    """
    top = listing.top if listing else find_top(folders[0])
    if top is not None:
        return Path(os.fsdecode(top.rstrip(b"\n")))
    is_below = all(folder.resolve().is_relative_to(here.resolve()) for folder in folders)
    return here.resolve() if is_below else folders[0].resolve()


def list_files(
    root: Path, folders: Sequence[Path], ignored: Matcher = never, listing: GitListing | None = None
) -> SourceTree:
    """Return the files below the folders.

    Raises:
        SourceError: a folder does not exist, or is not below the root.
    """
    names: dict[str, None] = {}
    tree = SourceTree(root, [])
    is_own = _read_patterns(IGNORE_FILE, tree)
    for folder in folders:
        if not folder.is_dir():
            raise SourceError(f"{folder} is not a folder.")
        try:
            prefix = folder.resolve().relative_to(root.resolve()).as_posix()
        except ValueError:
            raise SourceError(f"{folder} is not inside {root}; name folders of one repository.") from None
        listed = listing.files if listing else list_tracked(root, prefix)
        if listed is None:
            names |= dict.fromkeys(_walk(root, "" if prefix == "." else prefix, tree))
        else:
            if not listed:
                none = f"git tracks no file in {folder}, so none is read; new files need git add."
                tree.problems.append(none)
            # In the order of git, which is sorted in less time than a set.
            names |= dict.fromkeys(os.fsdecode(listed).split("\0")[:-1])
    matchers = [matches for matches in (ignored, is_own) if matches is not never]
    reasons: dict[str, str] = {}
    for name in sorted(names):
        folder_name = name.rpartition("/")[0]
        if folder_name not in reasons:
            reasons[folder_name] = _why_skipped(folder_name)
        if reason := reasons[folder_name]:
            tree.skipped[reason] += 1
        elif matchers and any(matches(name) for matches in matchers):
            tree.skipped["ignored"] += 1
        elif not is_utf8(name):
            # No report could name it.
            tree.skipped["unreadable"] += 1
            tree.problems.append(f"{name} is not read: its name is not UTF-8.")
        else:
            tree.files.append(name)
    return tree


def _why_skipped(folder: str) -> str:
    """Return why the files directly in the folder are not read; empty for one that is."""
    names = folder.split("/")
    return "vendored" if not VENDORED.isdisjoint(names) else "ignored" if OWN_FOLDER in names else ""


def is_utf8(name: str) -> bool:
    """Return whether a path of this system has a name in UTF-8."""
    return name.isascii() or not any("\ud800" <= character <= "\udfff" for character in name)


def list_changed(root: Path, revision: str) -> frozenset[str]:
    """Return the files that differ from where this branch left the revision. Raises SourceError."""
    commit = run_git(root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    if commit is None and run_git(root, "rev-parse") is None:
        raise SourceError(f"{root} is in no git repository, or git is not installed.")
    if commit is None:
        raise SourceError(f"git has no revision {revision!r} in {root}; a shallow clone has to fetch it.")
    # What others changed since on their branch is no change of this one. A shallow clone may lack the base.
    base = run_git(root, "merge-base", commit.strip().decode(), "HEAD") or commit
    changed = run_git(root, "diff", "--no-ext-diff", "--name-only", "-z", base.strip().decode(), "--")
    if changed is None:
        raise SourceError(f"git cannot compare {root} with {revision!r}.")
    return frozenset(os.fsdecode(name) for name in changed.split(b"\0") if name)


def _read_patterns(name: str, tree: SourceTree) -> Matcher:
    """Return a test of paths for the patterns in the file; malformed ones are reported and match nothing."""
    try:
        lines = (tree.root / name).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return never
    try:
        return match_patterns(lines)
    except ValueError:
        return match_patterns(
            [line for number, line in enumerate(lines, 1) if _is_pattern(line, name, number, tree)]
        )


def _is_pattern(line: str, name: str, number: int, tree: SourceTree) -> bool:
    try:
        match_patterns([line])
    except ValueError:
        tree.problems.append(f"{name}:{number}: {line!r} is no pattern; it matches nothing.")
        return False
    return True


def _rules_of(folder: str, tree: SourceTree) -> tuple[tuple[str, Matcher], ...]:
    """Return the start of the paths below the folder and the patterns of its `.gitignore`, if any."""
    start = f"{folder}/" if folder else ""
    own = _read_patterns(f"{start}.gitignore", tree)
    return () if own is never else ((start, own),)


def _walk(root: Path, prefix: str, tree: SourceTree) -> Iterator[str]:
    """Yield the files below a folder that no `.gitignore` names; links are not followed."""
    parts = prefix.split("/") if prefix else []
    above: tuple[tuple[str, Matcher], ...] = ()
    for depth in range(len(parts)):
        above += _rules_of("/".join(parts[:depth]), tree)
    folders = [(prefix, above)]
    while folders:
        folder, rules = folders.pop()
        rules += _rules_of(folder, tree)
        try:
            entries = sorted(os.scandir(root / folder), key=lambda entry: entry.name)
        except OSError as error:
            tree.problems.append(f"{folder or '.'} cannot be read: {error.strerror}.")
            continue
        for entry in entries:
            name = f"{folder}/{entry.name}" if folder else entry.name
            is_folder = entry.is_dir(follow_symlinks=False)
            path = f"{name}/" if is_folder else name
            if any(matches(path.removeprefix(start)) for start, matches in rules):
                if not is_folder:
                    tree.skipped["ignored"] += 1
            elif is_folder and entry.name not in VENDORED:
                folders.append((name, rules))
            elif entry.is_file(follow_symlinks=False):
                yield name
            elif entry.is_symlink():
                tree.skipped["links"] += 1
