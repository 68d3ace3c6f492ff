"""Runs of git. Imports no library: the first one starts before any is loaded."""

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_GIT = ("git", "--literal-pathspecs", "-c", "core.fsmonitor=false", "-c", "core.quotepath=false")
_TOP = ("rev-parse", "--show-toplevel")
_FILES = ("ls-files", "-z", "--full-name")


def run_git(folder: "str | os.PathLike[str]", *words: str) -> bytes | None:
    """Return the output of git; None where it fails, or is not installed."""
    # Loaded by the process that lists files, while the command loads what it needs.
    import subprocess

    try:
        done = subprocess.run([*_GIT, *words], cwd=folder, capture_output=True, check=False, env=_variables())
    except OSError:
        return None
    return done.stdout if done.returncode == 0 else None


def find_top(folder: "str | os.PathLike[str]") -> bytes | None:
    """Return the top of the repository around the folder; None where there is none."""
    return run_git(folder, *_TOP)


def list_tracked(root: "str | os.PathLike[str]", path: str) -> bytes | None:
    """Return the files below a path that git tracks, each with a NUL after it, relative to the root."""
    return run_git(root, *_FILES, "--", path)


class GitListing:
    """The top and the files of the current folder, which git prints while this process goes on. Linux."""

    def __init__(self) -> None:
        variables = _variables()
        self._runs = [_GitRun(words, variables) for words in (_TOP, _FILES)]
        self.top: bytes | None = None
        self.files: bytes | None = None
        """As of `find_top` and `list_tracked`, from `wait` on."""

    def wait(self) -> None:
        """Wait until git ended."""
        self.top, self.files = (run.output() for run in self._runs)


class _GitRun:
    """A run that the system starts without a library. It prints to memory: a pipe takes no long list."""

    def __init__(self, words: "tuple[str, ...]", variables: "Mapping[str, str]") -> None:
        self._printed = os.memfd_create("git")
        files = (
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_DUP2, self._printed, 1),
            (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
        )
        try:
            self._process = os.posix_spawnp(_GIT[0], (*_GIT, *words), variables, file_actions=files)
        except FileNotFoundError:
            # Git is not installed.
            self._process = 0

    def output(self) -> bytes | None:
        """Wait for the end of the run; return what it printed, None where it failed."""
        has_failed = self._process == 0 or os.waitpid(self._process, 0)[1] != 0
        with os.fdopen(self._printed, "rb") as printed:
            printed.seek(0)
            return None if has_failed else printed.read()


def _variables() -> dict[str, str]:
    """Return the variables for git."""
    # The key is not for git. With what git gives to a hook in a linked worktree, any folder is the top.
    omitted = ("FLAGTUI_",) if "GIT_WORK_TREE" in os.environ else ("FLAGTUI_", "GIT_DIR", "GIT_INDEX_FILE")
    return {name: value for name, value in os.environ.items() if not name.startswith(omitted)}
