"""The command line, run in this process against a service on a port of this machine."""

import io
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from flagtui.cli.main import main

KEY = "phx_key_of_the_test_0123456789"
SERVE = [sys.executable, "-m", "flagtui", "serve", "--port", "0", "--sample", "--flags", "12"]


@dataclass(frozen=True)
class Done:
    """How a command ended and what it said."""

    code: int
    out: str
    err: str


Run = Callable[..., Done]


@dataclass(frozen=True)
class Service:
    """Where it listens, and its database."""

    address: str
    database: Path


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    database = tmp_path_factory.mktemp("service") / "service.db"
    command = [*SERVE, "--db", str(database), "--key", KEY]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env={**os.environ}
    ) as process:
        assert process.stdout is not None
        address = process.stdout.readline().partition(" on ")[2].partition(",")[0]
        yield Service(address, database)
        process.terminate()
        process.wait(20)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home, without a keyring and without variables of ours."""
    for name in [name for name in os.environ if name.startswith(("FLAGTUI", "XDG"))]:
        if name != "FLAGTUI_FIXTURES":
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")
    return tmp_path


@pytest.fixture
def run(home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """`run("auth", "login", stdin=…)`: as `flagtui auth login` would end, on a terminal or in a pipe."""

    def run(*arguments: str, stdin: str = "", is_shown: bool = False) -> Done:
        monkeypatch.setattr(sys, "argv", ["flagtui", *arguments])
        monkeypatch.setattr(sys, "stdin", io.StringIO(stdin))
        monkeypatch.setattr(sys.stdout, "isatty", lambda: is_shown, raising=False)
        with pytest.raises(SystemExit) as end:
            main()
        said = capsys.readouterr()
        return Done(int(end.value.code or 0), said.out, said.err)

    return run


def loaded_by(*words: str, **variables: str) -> set[str]:
    """The modules that are loaded when this command has ended, in a process of its own."""
    program = (
        "import sys\n"
        f"sys.argv = {['flagtui', *words]!r}\n"
        "from flagtui.cli import main\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "print('LOADED', *sys.modules)"
    )
    found = {**os.environ, "PYTHONPATH": ":".join(filter(None, sys.path)), **variables}
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env=found, timeout=60, check=False
    )
    loaded, *names = done.stdout.splitlines()[-1].split()
    assert loaded == "LOADED", done.stderr
    return set(names)


def run_shell(line: str, environment: Mapping[str, str], folder: Path) -> Done:
    """A line of a shell, without a terminal."""
    command = ["sh", "-c", line]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    return Done(done.returncode, done.stdout, done.stderr)


@pytest.fixture
def signed_in(run: Run, service: Service) -> Run:
    """The same, with a profile whose key is in a file."""
    done = run("auth", "login", "--with-token", "--host", service.address, "--keep", "file", stdin=KEY + "\n")
    assert done.code == 0, done.err
    return run
