"""Every writing command over a bad line, beside another person, stopped by ctrl+c, and on strict profiles."""

import json
import os
import re
import shlex
import shutil
import signal
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from queue import Queue
from typing import Final

import httpx
import pytest
from tests.cli.conftest import FLAGTUI, KEY, Done, Run, run_at, write_settings
from tests.doubles import warm_start
from tests.doubles.command_tree import all_commands
from tests.doubles.faulty_service import FaultyService, is_write, serve
from tests.doubles.json_schema import validate
from tests.doubles.slices import FULL, cross, one_in
from tests.doubles.terminal import usual_environment
from tests.doubles.writing_commands import WRITES

from flagtui.changes.adapter import Adapter
from flagtui.changes.event_definitions.definition_save import DefinitionAdapter
from flagtui.changes.experiments.step_save import StepAdapter
from flagtui.changes.flags.flag_save import FlagAdapter
from flagtui.changes.journal import Journal
from flagtui.changes.overrides.override_save import OverrideAdapter
from flagtui.changes.related.related_entries import RelatedAdapter
from flagtui.changes.sets.set_adapter import SetAdapter
from flagtui.changes.shared.shared_save import SharedAdapter
from flagtui.cli.plumbing.change_records import CODES, OUTCOME
from flagtui.cli.plumbing.change_report import STOPPED
from flagtui.cli.plumbing.errors import EXIT_CODES
from flagtui.service import NewKey, close_service, create_key, create_service

OTHER: Final = "phx_key_of_another_person"
OF_ADAPTERS: Final[dict[type, str]] = {
    FlagAdapter: "flags disable",
    RelatedAdapter: "flags schedule",
    StepAdapter: "experiments end",
    DefinitionAdapter: "events tag",
    SharedAdapter: "experiments edit-holdout",
    SetAdapter: "apply",
}
"""A command for each way that the pipeline writes."""
SOME_WRITES: Final = [*WRITES] if FULL else [*OF_ADAPTERS.values(), "undo"]


@dataclass(frozen=True)
class Desk:
    """The command line, the service it asks, its database and its journal."""

    run: Run
    service: FaultyService
    database: Path
    journal: Journal

    def entries(self) -> int:
        """How many changes the service knows of."""
        with closing(sqlite3.connect(self.database)) as connection:
            (count,) = connection.execute("SELECT count(*) FROM activity").fetchone()
        return int(count)

    def prepare(self, name: str) -> list[str]:
        """The words of the command, after what makes it possible."""
        *before, line = WRITES[name]
        for each in before:
            done = self.run(*shlex.split(each))
            assert done.code == 0, done.err
        self.service.writes.clear()
        return shlex.split(line)


def endings_of(done: Done) -> list[str]:
    """Of each record, as the schema has them and as the exit code says."""
    document = json.loads(done.out)
    validate(document, OUTCOME.schema())
    endings = [record["ending"] for record in document["records"]]
    done_well = {"saved", "unchanged"}
    codes = {0 if ending in done_well else EXIT_CODES[CODES[ending]] for ending in endings}
    if {"refused", "failed"} & {*endings}:
        # The server refuses it, the key may not do this, or the record is gone.
        codes |= {EXIT_CODES["refused"], EXIT_CODES["sign_in"], EXIT_CODES["not_found"]}
    assert done.code in codes | {STOPPED}
    assert (done.code == 0) == (set(endings) <= done_well)
    return endings


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory, small_sample: Path) -> Path:
    path = tmp_path_factory.mktemp("template") / "service.db"
    shutil.copy(small_sample, path)
    create_key(path, NewKey("another person", ("*",), owner="luca@acme.com", secret=OTHER))
    return path


@pytest.fixture(scope="module")
def line() -> Iterator[tuple[FaultyService, str]]:
    service = FaultyService()
    with serve(service) as address:
        yield service, address


@pytest.fixture
def desk(
    template: Path, line: tuple[FaultyService, str], run: Run, home: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Desk]:
    service, address = line
    database = home / "service.db"
    shutil.copy(template, database)
    application = create_service(database)
    service.__init__(application)  # type: ignore[misc]
    run_there = run_at(address, run, monkeypatch, KEY)
    yield Desk(run_there, service, database, Journal(home / ".local/state/flagtui/journal"))
    close_service(application)


def lose(desk: Desk) -> None:
    desk.service.loses_answers = True


def break_off(desk: Desk) -> None:
    error = httpx.WriteError("broken off")
    desk.service.before = lambda request: error if is_write(request) else None
    # Else it is looked for a minute long.
    desk.service.looked = lambda: os.kill(os.getpid(), signal.SIGINT)


def meddle(desk: Desk) -> None:
    async def same(request: httpx.Request) -> None:
        if is_write(request) and len(desk.service.writes) == 1:
            await desk.service.ask(request, OTHER)

    desk.service.before = same


def interrupt(desk: Desk) -> None:
    def press(request: httpx.Request) -> None:
        if is_write(request) and len(desk.service.writes) == 1:
            os.kill(os.getpid(), signal.SIGINT)

    desk.service.before = press


ENDINGS: Final[dict[Callable[[Desk], None], set[str]]] = {
    lose: {"saved", "unknown", "not_sent"},
    meddle: {"saved", "conflicted", "refused", "failed", "unknown"},
    break_off: {"failed", "unknown", "not_sent"},
    interrupt: {"saved", "refused", "not_sent"},
}
"""What may become of a change."""


def test_every_writing_command_is_among_them() -> None:
    assert WRITES.keys() == {name for name, command in all_commands().items() if command.writes}
    adapters = {each for each in Adapter.__subclasses__() if each.__module__.startswith("flagtui.")}
    # Overrides go to a mirror; tests/cli/test_mirror.py has them.
    assert OF_ADAPTERS.keys() == adapters - {OverrideAdapter}


@pytest.mark.parametrize(("name", "fault"), cross(SOME_WRITES, ENDINGS))
def test_reports_of_every_write_are_true_under_every_fault(
    name: str, fault: Callable[[Desk], None], desk: Desk
) -> None:
    words, previous_count = desk.prepare(name), desk.entries()
    fault(desk)
    done = desk.run(*words, "--yes", "--json")
    # The sample's server refuses it; when that answer is lost, it is found not to be done.
    refused = {"failed"} if name == "events enforce" else set()
    assert set(endings_of(done)) <= ENDINGS[fault] | refused, done
    assert "fault of its own" not in done.err
    # A write is never sent twice.
    assert 0 < len(desk.service.writes) == len(set(desk.service.writes)), desk.service.writes
    if fault is break_off:
        assert desk.entries() == previous_count
    kept = {entry.id: entry.ending or "unknown" for entry in desk.journal.entries()}
    endings = {record["journal_id"]: record["ending"] for record in done.records if record["journal_id"]}
    assert endings.items() <= kept.items()


@pytest.mark.parametrize("name", one_in(2, SOME_WRITES))
def test_strict_profile_needs_key_and_reason_for_every_write(
    name: str, desk: Desk, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = desk.prepare(name)
    if "--type" in words:
        place = words.index("--type")
        del words[place : place + 2]
    host = os.environ["FLAGTUI_HOST"]
    write_settings(home, f'[profiles.prod]\nhost = "{host}"\nguard = "strict"\nrequire_reason = true\n')
    for given in (("--yes", "--type", "other"), ("--yes",)):
        refused = desk.run(*words, *given)
        assert (refused.code, desk.service.writes) == (3, [])
    hint = re.search(r"To agree: --type (.+) --reason WHY", refused.err)
    assert hint, refused.err
    assert (desk.run(*words, "--type", shlex.split(hint[1])[0]).code, desk.service.writes) == (3, [])
    read_only = desk.run("--read-only", *words, "--type", hint[1], "--reason", "incident 7")
    assert (read_only.code, desk.service.writes) == (3, [])
    done = desk.run(*words, "--type", shlex.split(hint[1])[0], "--reason", "incident 7", "--json")
    assert done.code == 0 or name == "events enforce", done
    assert {entry.reason for entry in desk.journal.entries()} >= {"incident 7"}


@pytest.mark.parametrize("name", one_in(3, SOME_WRITES))
def test_killed_command_leaves_its_write_in_the_journal(name: str, desk: Desk) -> None:
    words = desk.prepare(name)
    environment = {**usual_environment(), **os.environ, "FLAGTUI_API_KEY": KEY}
    previous_ids = {entry.id for entry in desk.journal.entries()}
    began: Queue[int] = Queue()

    def kill(request: httpx.Request) -> None:
        if is_write(request):
            os.kill(began.get(), signal.SIGKILL)

    desk.service.before = kill
    process = warm_start.start([*FLAGTUI, *words, "--yes"], environment, 0, 1, 2)
    began.put(process.pid)
    assert process.wait(60) == -signal.SIGKILL
    entries = desk.run("journal", "--json").records
    assert {entry["ending"] for entry in entries if entry["id"] not in previous_ids} == {"open"}


def test_kill_switch_is_one_read_and_one_write(desk: Desk) -> None:
    assert desk.run("flags", "disable", "export-parquet", "--yes").code == 0
    methods = [request.split()[0] for request in desk.service.requests]
    assert (methods, len(desk.service.connections)) == (["GET", "PATCH"], 1)
