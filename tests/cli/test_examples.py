"""Every example of every help runs against the service, and its output matches its schema."""

import json
import os
import re
import shlex
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from io import BytesIO, TextIOWrapper
from pathlib import Path

import httpx
import msgspec
import pytest
from tests.cli.conftest import FLAGTUI, KEY, Run, require_done, run_at, serving
from tests.doubles import warm_start
from tests.doubles.command_tree import all_commands, names_records, required_options
from tests.doubles.example_files import write_sources
from tests.doubles.json_schema import validate
from tests.doubles.slices import FULL, cross, long, one_in
from tests.doubles.terminal import usual_environment
from tests.journeys.modes import MODES

from flagtui.changes.sets.change_set import new_set
from flagtui.changes.sets.set_files import SetFile
from flagtui.cli.plumbing.change_records import PLAN
from flagtui.cli.plumbing.errors import EXIT_CODES, READER_GONE
from flagtui.cli.plumbing.proposal_files import proposals_folder
from flagtui.service import close_service, create_service

ON_ONE_SERVER = pytest.mark.parametrize("server", ["default"], indirect=True)
ON_A_SCREEN = ("pick", "demo")
"""These need a terminal; tests/terminal has them."""


def is_shown_whole(example: str) -> bool:
    """Whether it prints its records as JSON with every field."""
    return "json" in example and not {"--fields", "--dry-run"} & {*example.split()}


RUN = {
    name: next(filter(is_shown_whole, each.examples), each.examples[0])
    for name, each in all_commands().items()
    if name not in {*ON_A_SCREEN, "serve"} and not name.startswith("mirror")
}
"""By command, the example that every run of the tests runs."""
EXAMPLES = [
    pytest.param(name, example, id=example, marks=[] if example == run else long)
    for name, run in RUN.items()
    for example in all_commands()[name].examples
]
ENDS_WELL = {0}
AGAIN = {0, 3}
"""After an example that made the same record before."""
NOT_THERE = {1, 3, 5, 6}
"""What older servers, and those that keep things from keys, may answer besides."""


@dataclass(frozen=True)
class Place:
    address: str
    mode: str


@pytest.fixture(scope="module", params=MODES if FULL else ["default"])
def server(
    request: pytest.FixtureRequest, small_sample: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Place]:
    mode: str = request.param
    database = tmp_path_factory.mktemp("examples") / "service.db"
    shutil.copy(small_sample, database)
    with serving(database, **dict(MODES[mode])) as service:
        place = Place(service.address, mode)
        with httpx.Client(base_url=place.address, headers={"Authorization": f"Bearer {KEY}"}) as client:
            made = client.post("/api/projects/1/feature_flags/", json={"key": "old-banner"})
        assert made.status_code == 201, made.text
        yield place


@pytest.fixture
def here(run: Run, server: Place, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.chdir(tmp_path)
    return run_at(server.address, run, monkeypatch)


@dataclass(frozen=True)
class Prepared:
    """The words of an example, and what is piped into it."""

    words: list[str]
    stdin: str = ""


def prepare(example: str, here: Run) -> Prepared:
    """With the files it names, and what it needs to be there."""
    write_sources(example, here)
    if "--db flagtui.db" in example:
        close_service(create_service("flagtui.db"))
        for label in ([], ["--label", "ci"]):
            here("keys", "create", "--db", "flagtui.db", *label)
    if "key.txt" in example:
        Path("key.txt").write_text(KEY)
    if example == "auth logout --profile prod":
        here("auth", "login", "--profile", "prod", "--with-token", "--keep", "file", stdin=KEY)
    if "3f2a91bc" in example:
        proposed = msgspec.structs.replace(
            new_set("https://app.test", "1", "2026-03-05T09:00:00Z"), id="3f2a91bc"
        )
        SetFile(proposals_folder() / "proposed.json").write(proposed)
    words = example.split()
    if words[0] in ("staged", "apply"):
        here("flags", "rollout", "new-nav", "--to", "41", "--stage")
    if words[0] in ("undo", "redo", "revert"):
        # The folder of each test is another value.
        require_done(here("flags", "edit", "new-nav", "--field", f"name={Path.cwd()}", "--yes"))
        assert words[0] != "redo" or here("undo", "--yes").code == 0
    if example.startswith("flags restore "):
        # Examples come in any order.
        here("flags", "delete", example.split()[2], "--yes")
    if "--until rollout=25" in example:
        here("flags", "rollout", "new-nav", "--to", "25", "--all-conditions", "--yes")
    if example.startswith("mirror --from flags.json"):
        Path("flags.json").write_text(here("flags", "definitions", "--json").out)
    command, _, file = example.partition(" < ")
    return Prepared(shlex.split(command), Path(file).read_text() if file else "")


@pytest.mark.parametrize(("name", "example"), EXAMPLES)
def test_an_example_runs_and_fits_its_schema(name: str, example: str, here: Run, server: Place) -> None:
    before = prepare(example, here)
    words = before.words
    done = here(*words, stdin=before.stdin)
    assert done.code in (ENDS_WELL if server.mode == "default" else ENDS_WELL | NOT_THERE), done.err
    assert "Traceback" not in done.err
    if done.out:
        check(name, words, done.out)
    elif {"--json", "--ndjson"} & set(words) and done.code:
        assert re.fullmatch(r"(?s).*\{\"error\": \{.*\}\}\n", done.err), done.err


@pytest.mark.parametrize(
    "name",
    [name for name, example in RUN.items() if all_commands()[name].kind and not is_shown_whole(example)],
)
def test_the_json_of_every_command_fits_its_schema(name: str, here: Run, server: Place) -> None:
    words = prepare(all_commands()[name].examples[0], here).words
    done = here(*words, *([] if {"--json", "--ndjson"} & set(words) else ["--json"]))
    assert done.code in (AGAIN if server.mode == "default" else AGAIN | NOT_THERE), done.err
    if done.out:
        check(name, [*words, "--json"], done.out)
    else:
        assert done.error["code"]


def check(name: str, words: list[str], out: str) -> None:
    assert all(character.isprintable() or character in "\t\n" for character in out)
    output_kind = all_commands()[name].kind
    kind = PLAN if "--dry-run" in words else output_kind
    if kind is None:
        return
    schema = kind.schema()
    # What never ends is told line by line.
    if "--json" in words and name != "watch":
        validate(json.loads(out), schema)
    elif {"--json", "--ndjson"} & set(words):
        for line in out.splitlines():
            record = json.loads(line)
            assert (record.pop("schema_version"), record.pop("schema")) == (kind.version, kind.name)
            validate(record, schema["properties"]["records"]["items"])


@pytest.mark.parametrize("example", [
    pytest.param(each, marks=long if "--sample" in each else [])
    for each in all_commands()["serve"].examples
])  # fmt: skip
def test_a_service_of_an_example_listens_until_it_is_ended(example: str, tmp_path: Path) -> None:
    reading, writing = os.pipe()
    with Path(os.devnull).open("r+") as nothing, os.fdopen(reading) as output:
        command = [*FLAGTUI, *shlex.split(example)]
        process = warm_start.start(
            command, usual_environment(), nothing.fileno(), writing, nothing.fileno(), tmp_path
        )
        os.close(writing)
        address = output.readline().partition(" on ")[2].partition(",")[0]
        assert httpx.get(f"{address}/api/users/@me/").status_code == 401
        os.kill(process.pid, signal.SIGTERM)
        assert process.wait(20) == 0


@contextmanager
def full_disk(patched: pytest.MonkeyPatch) -> Iterator[None]:
    with Path("/dev/full").open("w") as stream:
        patched.setattr(sys, "stdout", stream)
        yield


@contextmanager
def closed_pipe(patched: pytest.MonkeyPatch) -> Iterator[None]:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as stream:
        patched.setattr(sys, "stdout", stream)
        yield


@contextmanager
def no_home(patched: pytest.MonkeyPatch) -> Iterator[None]:
    patched.setenv("HOME", "/dev/null/none")
    yield


@contextmanager
def no_utf_8(patched: pytest.MonkeyPatch) -> Iterator[None]:
    out = TextIOWrapper(BytesIO(), encoding="ascii")
    patched.setattr(sys, "stdout", out)
    yield
    out.flush()


MACHINES = (full_disk, closed_pipe, no_home, no_utf_8)
ENDLESS = ("serve", "mirror run")
"""These serve until they are ended, on a machine that is well."""
REPORTING = ("refs", "check", "staged drop", "proposals drop")
"""Beside the data, a scan of code reports its progress, and a drop what it dropped."""
WITHOUT_A_MIRROR = [name for name in all_commands() if not name.startswith("mirror ") or name in ENDLESS]
"""The others change a running mirror; tests/cli/test_mirror.py has them."""


@ON_ONE_SERVER
@pytest.mark.parametrize(("name", "machine"), one_in(3, cross(WITHOUT_A_MIRROR, MACHINES)))
def test_a_hostile_machine_gets_a_word_and_a_code(
    name: str,
    machine: Callable[[pytest.MonkeyPatch], AbstractContextManager[None]],
    here: Run,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ends_early = machine in (full_disk, closed_pipe)
    if name in ENDLESS and not ends_early:
        return
    # The first example of a mirror makes the sample, which takes a second.
    before = prepare(all_commands()[name].examples[-1 if name == "mirror run" else 0], here)
    with monkeypatch.context() as patched, machine(patched):
        done = here(*before.words, stdin=before.stdin)
    assert done.code in {0, 1, READER_GONE, *EXIT_CODES.values()}
    assert "Traceback" not in done.err
    assert "fault of its own" not in done.err
    assert done.err or done.code in {*AGAIN, READER_GONE} or name == "doctor"
    if ends_early and done.code == 0:
        # Nothing was said, so nothing was missed.
        assert here(*before.words, stdin=before.stdin).out == ""
    elif ends_early and done.code not in AGAIN and name not in ON_A_SCREEN:
        is_dry = not all_commands()[name].writes or "--dry-run" in before.words
        shows = all_commands()[name].only_shows and is_dry
        if machine is closed_pipe and shows:
            assert (done.code, ("" if name in REPORTING else done.err)) == (READER_GONE, "")
        else:
            assert done.code == 1
            assert re.search("the output ended early: (No space left on device|Broken pipe)", done.err)
            assert ("flagtui journal" in done.err) == (not is_dry)


@ON_ONE_SERVER
@pytest.mark.parametrize("words", ["flags edit new-nav", "experiments edit 31"])
def test_printed_json_without_a_reader_is_no_change(
    words: str, here: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched, closed_pipe(patched):
        done = here(*words.split(), "--print")
    assert (done.code, done.err) == (READER_GONE, "")


PIPED = ("flags get", "flags diff", "flags delete", "flags cohort", "experiments launch", "events verify")
"""Commands that take names and need no option."""


@ON_ONE_SERVER
@pytest.mark.parametrize("name", [name for name, each in all_commands().items() if names_records(each)])
def test_invalid_utf8_is_refused_and_empty_input_does_nothing(name: str, here: Run) -> None:
    refused = "flagtui: 'caf\\udce9' is not UTF-8. Give it as UTF-8.\n"
    words, more = name.split(), required_options(all_commands()[name])
    assert here(*words, "caf\udce9", *more).err == refused
    piped, empty = (here(*words, "-", *more, stdin=text) for text in ("caf\udce9\n", " \n"))
    assert (piped.code, empty.code in (2, 3)) == (2, True)
    assert "fault of its own" not in piped.err + empty.err
    if name in PIPED:
        assert piped.err == refused
        assert (empty.code, empty.err) == (3, "flagtui: nothing was piped in; nothing was done.\n")
        # Where the locale has no UTF-8, bytes of it come undecoded.
        assert "there is no" in here(*words, "caf\udcc3\udca9", *more).err
