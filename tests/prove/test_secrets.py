"""A key is looked for in all that flagtui and the service start, write, show and keep."""

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.doubles.slices import long
from tests.doubles.templates import sample_database
from tests.doubles.terminal import FOLDERS, Terminal, usual_environment

from flagtui.service import NewKey, create_key

CRASHING = [sys.executable, "-m", "tests.doubles.changed_demo", "crashing"]
WITH_PAGES = [sys.executable, "-m", "tests.doubles.changed_demo", "paged", "demo", "--flags", "12"]
RECORDER = """#!/bin/sh
{ echo "$0 $*"; env; cat /proc/[0-9]*/cmdline; } >> "$RECORDS/$(basename "$0")" 2>/dev/null
exit 0
"""
"""Writes down what a program that flagtui starts is told, and the process list, whose processes may end."""


@dataclass(frozen=True)
class Served:
    """A service in a process of its own."""

    folder: Path
    address: str
    key: str


@dataclass(frozen=True)
class Surroundings:
    """A person's home, a service they can reach, and a key that nothing but requests may carry."""

    folder: Path
    service: Path
    key: str
    variables: dict[str, str]

    def has_seen(self, program: str) -> bool:
        """Whether flagtui has started this one, and it has written down what it was told."""
        path = self.folder / "records" / program
        return path.exists() and b"flagtui" in path.read_bytes()

    def places_of_key(self, output: bytes | bytearray) -> list[str]:
        """Every file of the home, the service and the recorders that holds the key, or the output."""
        shown = ["the output"] if self.key.encode() in output else []
        paths = [*self.folder.rglob("*"), *self.service.rglob("*")]
        files = [path for path in paths if path.is_file() and not path.is_symlink()]
        return shown + [str(path) for path in files if self.key.encode() in path.read_bytes()]


def variables_of(home: Path) -> dict[str, str]:
    return {
        **usual_environment(),
        **dict.fromkeys(FOLDERS, str(home)),
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        "FLAGTUI_NO_FIRST_FRAME": "",
        "PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring",
    }


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One service for all tests: they read, and the last one turns a flag off."""
    folder = tmp_path_factory.mktemp("service")
    database = folder / "service.db"
    shutil.copy(sample_database(tmp_path_factory, one_in=16), database)
    key = create_key(database, NewKey("of the tests", ("*",)))
    with (
        (folder / "service.log").open("w") as log,
        subprocess.Popen(
            [sys.executable, "-m", "flagtui", "serve", "--port", "0", "--db", str(database)],
            env=variables_of(folder),
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        ) as service,
    ):
        assert service.stdout is not None
        address = service.stdout.readline().partition(" on ")[2].partition(",")[0]
        yield Served(folder, address, key)
        service.terminate()


@pytest.fixture
def surroundings(tmp_path: Path, served: Served) -> Surroundings:
    (tmp_path / "records").mkdir()
    (tmp_path / "home").mkdir()
    for name in ("editor", "browser", "program"):
        recorder = tmp_path / name
        recorder.write_text(RECORDER)
        recorder.chmod(0o700)
    named = {
        "RECORDS": str(tmp_path / "records"),
        "FLAGTUI_HOST": served.address,
        "FLAGTUI_API_KEY": served.key,
        "FLAGTUI_PROJECT": "1",
        "FLAGTUI_LOG": str(tmp_path / "requests.log"),
        "EDITOR": str(tmp_path / "editor"),
        "BROWSER": f"{tmp_path / 'browser'} %s",
    }
    variables = {**variables_of(tmp_path / "home"), **named}
    return Surroundings(tmp_path, served.folder, served.key, variables)


def wait_until_it_has_the_terminal_again(terminal: Terminal) -> None:
    # Asked for once keys come as they are pressed: before that the system keeps ctrl+q for itself.
    terminal.wait_until(lambda: terminal.sent.count(b"\x1b[?1004h") > 1, "the app after the editor")


def test_app_leaks_its_key_nowhere_even_when_it_fails(surroundings: Surroundings) -> None:
    with Terminal(CRASHING, size=(132, 40), environment=surroundings.variables, is_cold=True) as terminal:
        terminal.wait_for("synced")
        terminal.press("E")
        terminal.wait_until(lambda: surroundings.has_seen("editor"), "the editor")
        wait_until_it_has_the_terminal_again(terminal)
        terminal.press("y")
        terminal.wait_for_bytes(b"\x1b]52;")
        assert terminal.press_to_end("\x1b[20~\x1b[20~") == 1
    reports = [path.read_text() for path in surroundings.folder.rglob("crash-*.txt")]
    assert any("asked to fail" in report for report in reports)
    assert "/feature_flags/" in (surroundings.folder / "requests.log").read_text()
    assert surroundings.places_of_key(terminal.sent) == []


@long
def test_demo_passes_no_key_to_child_processes(surroundings: Surroundings) -> None:
    with Terminal(WITH_PAGES, size=(132, 40), environment=surroundings.variables, is_cold=True) as terminal:
        terminal.wait_for("synced")
        terminal.press("o")
        terminal.wait_until(lambda: surroundings.has_seen("browser"), "the browser")
        terminal.press("E")
        terminal.wait_until(lambda: surroundings.has_seen("editor"), "the editor")
        wait_until_it_has_the_terminal_again(terminal)
        assert terminal.press_to_end("\x11") == 0
    assert surroundings.places_of_key(terminal.sent) == []


def test_a_command_gives_its_key_to_none_that_it_starts(surroundings: Surroundings) -> None:
    program = shlex.quote(str(surroundings.folder / "program"))
    command = [sys.executable, "-m", "flagtui", "watch", "--since", "30d", "--count", "1", "--exec", program]
    watch = subprocess.run(command, env=surroundings.variables, capture_output=True, timeout=60, check=True)
    assert surroundings.has_seen("program")
    assert surroundings.places_of_key(watch.stdout + watch.stderr) == []


def test_the_editor_of_a_command_learns_nothing_of_the_key(surroundings: Surroundings) -> None:
    command = [sys.executable, "-m", "flagtui", "flags", "edit", "new-nav"]
    with Terminal(command, environment=surroundings.variables) as terminal:
        assert terminal.wait_for_end() == 0, terminal.sent
    assert surroundings.has_seen("editor")
    assert surroundings.places_of_key(terminal.sent) == []


@long
def test_commands_pass_no_key_to_child_processes(surroundings: Surroundings) -> None:
    program = shlex.quote(str(surroundings.folder / "program"))
    watch = f"watch --since 30d --count 1 --exec {program}\n"

    def run_lines(words: str, lines: str, variables: dict[str, str]) -> bytes:
        done = subprocess.run(
            [sys.executable, "-m", "flagtui", *words.split()],
            input=lines,
            env=variables,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return (done.stdout + done.stderr).encode()

    given = surroundings.variables
    output = run_lines("--linear", f"{watch}flags list\n{watch}auth status\n", given)
    assert surroundings.has_seen("program")
    assert surroundings.places_of_key(output) == []
    kept = {name: value for name, value in given.items() if name != "FLAGTUI_API_KEY"}
    output += run_lines("auth login --with-token --keep file", surroundings.key, kept)
    output += run_lines(
        "--linear", f"{watch}auth status\ndoctor\nprofiles\nflags disable new-nav --yes\n", kept
    )
    assert [Path(place).parent.name for place in surroundings.places_of_key(output)] == ["keys"]
