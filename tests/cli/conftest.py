"""The command line, run in this process against a service on a port of this machine."""

import asyncio
import io
import json
import os
import shutil
import sys
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import pytest
from tests.doubles.faulty_service import serve
from tests.doubles.steady_clock import without_waits
from tests.doubles.templates import demo_folder, make_once
from tests.doubles.terminal import FOLDERS
from tests.doubles.whole_program import thin_out_events

from flagtui.api.client import Client
from flagtui.api.http_library import Application
from flagtui.cli.main import main
from flagtui.cli.plumbing.client import EMBEDDED
from flagtui.cli.plumbing.demo_places import DEMO_HOST
from flagtui.cli.plumbing.profile_choice import BUILT_IN
from flagtui.cli.plumbing.prompts import Prompts
from flagtui.service import Settings, close_service, create_service
from flagtui.service.sample_data import sample

KEY = "phx_key_of_the_test_0123456789"
CLOSED = "http://127.0.0.1:9"
"""An address where nothing listens: a command that asked it would end with 1."""
FLAGTUI = [sys.executable, "-m", "flagtui"]


@dataclass(frozen=True)
class Done:
    """How a command ended and what it printed."""

    code: int
    out: str
    err: str

    @property
    def records(self) -> list[dict[str, Any]]:
        """Those that it printed as JSON."""
        records: list[dict[str, Any]] = json.loads(self.out)["records"]
        return records

    @property
    def endings(self) -> dict[str, str]:
        """How each change ended, by its key; nothing for an error."""
        return {each["key"]: each["ending"] for each in self.records} if self.out else {}

    @property
    def error(self) -> dict[str, Any]:
        """The error that it printed for a program."""
        error: dict[str, Any] = json.loads(self.err.splitlines()[-1])["error"]
        return error


Run = Callable[..., Done]
T = TypeVar("T")


@dataclass(frozen=True)
class Service:
    """Where it listens, its database, and what serves that."""

    address: str
    database: Path
    application: Application

    def ask(self, question: Callable[[Client], Awaitable[T]]) -> T:
        """What it answers to the client, beside the commands."""

        async def run() -> T:
            async with Client(self.address, KEY, 1) as client:
                return await question(client)

        return asyncio.run(run())


@contextmanager
def serving(database: Path, **options: Any) -> Iterator[Service]:
    """A service with these settings that listens in a thread of this process."""
    application = create_service(database, Settings(**options), key=KEY)
    with reachable(application) as address:
        yield Service(address, database, application)
    close_service(application)


@contextmanager
def reachable(application: Application) -> Iterator[str]:
    """Its address: other programs ask it at a port, commands of this process without a socket."""
    with serve(application) as address:
        EMBEDDED[address] = lambda: application
        yield address
        del EMBEDDED[address]


@pytest.fixture(scope="session")
def small_sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with twelve flags, made once and copied for each service."""
    return make_once(tmp_path_factory, "small-sample.db", _make_small_sample)


def _make_small_sample(database: Path) -> None:
    close_service(create_service(database, key=KEY, sample=sample(flags=12)))
    thin_out_events(database)


@pytest.fixture(scope="module")
def service(small_sample: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    database = tmp_path_factory.mktemp("service") / "service.db"
    shutil.copy(small_sample, database)
    with serving(database) as service:
        yield service


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home, without a keyring and without variables of ours; commands run in it.

    In the checkout, each scan of code would read the whole source.
    """
    move_home(tmp_path, monkeypatch)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def move_home(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the variables name this home, no keyring and nothing of ours."""
    monkeypatch.setenv("FLAGTUI_LOG", "")  # `--log` sets it for the rest of the process.
    for name in [name for name in os.environ if name.startswith(("FLAGTUI", "XDG"))]:
        if name != "FLAGTUI_FIXTURES":
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring")


def write_settings(home: Path, toml: str) -> Path:
    """Write the settings file of this home, and return its path."""
    file = home / ".config/flagtui/config.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(toml, encoding="utf-8")
    return file


@pytest.fixture
def skipped_waits() -> Iterator[None]:
    """Commands of this process ask again at once."""
    with without_waits():
        yield


@pytest.fixture
def run(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], skipped_waits: None
) -> Run:
    """`run("auth", "login", stdin=…)`: as `flagtui auth login` would end, on a terminal or in a pipe."""

    def run(*arguments: str, stdin: str = "", is_shown: bool = False) -> Done:
        monkeypatch.setattr(sys.stdout, "isatty", lambda: is_shown, raising=False)
        code = run_main(monkeypatch, arguments, stdin)
        output = capsys.readouterr()
        return Done(code, output.out, output.err)

    return run


def require_done(done: Done) -> Done:
    assert done.code == 0, done
    return done


def records(done: Done) -> list[dict[str, Any]]:
    """Those that a command printed which ended well."""
    return require_done(done).records


def run_main(monkeypatch: pytest.MonkeyPatch, arguments: Sequence[str], stdin: str) -> int:
    """Do what the command line does with these arguments; the exit code."""
    monkeypatch.setattr(sys, "argv", ["flagtui", *arguments])
    monkeypatch.setattr(sys, "stdin", io.StringIO(stdin))
    with pytest.raises(SystemExit) as end:
        main()
    return int(end.value.code or 0)


def server_variables(address: str, key: str = KEY) -> dict[str, str]:
    """What names this server, its first project and the key in the environment."""
    return {"FLAGTUI_HOST": address, "FLAGTUI_API_KEY": key, "FLAGTUI_PROJECT": "1"}


def run_at(address: str, run: Run, monkeypatch: pytest.MonkeyPatch, key: str = KEY) -> Run:
    """Runs commands on the server that the environment names; each takes the key out of it."""

    def run_there(*arguments: str, stdin: str = "", is_shown: bool = False) -> Done:
        monkeypatch.setenv("FLAGTUI_API_KEY", key)
        return run(*arguments, stdin=stdin, is_shown=is_shown)

    for name, value in server_variables(address, key).items():
        monkeypatch.setenv(name, value)
    return run_there


@pytest.fixture
def online(service: Service, run: Run, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Commands on the service of the module, which the environment names."""
    return run_at(service.address, run, monkeypatch)


@pytest.fixture
def closed(run: Run, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Commands on a server that does not listen."""
    return run_at(CLOSED, run, monkeypatch)


class Scripted(Prompts, frozen=True):
    """A person who has decided already; `transcript` is what they had to choose or agree to."""

    is_there: bool = True
    yes: bool = True
    says: dict[str, str] = {}
    """Answers by how the question begins."""
    transcript: list[str] = []

    def ask(self, question: str, default: str) -> str:
        return next((reply for start, reply in self.says.items() if question.startswith(start)), default)

    def ask_hidden(self, question: str) -> str:
        return KEY

    def agree(self, question: str) -> bool:
        self.transcript.append(question)
        return self.yes

    def choose(self, question: str, choices: Sequence[str], default: int = 0) -> int:
        self.transcript.append(question)
        return default


def control_characters(text: str) -> list[str]:
    """Characters a terminal would act on, besides those that set columns and lines apart, or join emoji."""
    return [each for each in text if each not in "\n\t\u200d" and not each.isprintable()]


@pytest.fixture(scope="module")
def signed_in_home(service: Service, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with a profile whose key is in a file."""
    folder, output = tmp_path_factory.mktemp("home"), io.StringIO()
    words = ("auth", "login", "--with-token", "--host", service.address, "--keep", "file")
    with pytest.MonkeyPatch.context() as patched, redirect_stdout(output), redirect_stderr(output):
        move_home(folder, patched)
        assert run_main(patched, words, KEY + "\n") == 0, output.getvalue()
    return folder


@pytest.fixture
def signed_in(run: Run, home: Path, signed_in_home: Path) -> Run:
    """The same, with a profile whose key is in a file."""
    shutil.copytree(signed_in_home, home, dirs_exist_ok=True)
    return run


@pytest.fixture
def demo_data(tmp_path_factory: pytest.TempPathFactory, tmp_path: Path) -> None:
    """The demo was here before."""
    shutil.copytree(demo_folder(tmp_path_factory), tmp_path / "flagtui")


@pytest.fixture
def run_demo(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Commands of a person with folders of their own, and a profile that the demo has nothing to do with.

    Each leaves the process as it was: the demo changes what other commands would read.
    """
    monkeypatch.setattr("flagtui.config.locations._State.folder", None)

    def run_once(*words: str, stdin: str = "") -> Done:
        before = dict(os.environ)
        os.environ.update(dict.fromkeys(FOLDERS, str(tmp_path)) | {"FLAGTUI_PROFILE": "prod"})
        try:
            return run(*words, stdin=stdin)
        finally:
            os.environ.clear()
            os.environ.update(before)
            BUILT_IN.clear()
            EMBEDDED.pop(DEMO_HOST, None)

    return run_once
