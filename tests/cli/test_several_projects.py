"""Which project a command is for: reads may have several, and a change without a terminal names its own."""

import json
from pathlib import Path

import httpx
import pytest
from msgspec.structs import replace
from tests.cli.conftest import Run, Service, run_at
from tests.doubles.command_tree import all_commands, required_options
from tests.doubles.faulty_service import FaultyService, serve
from tests.doubles.json_schema import validate
from tests.doubles.slices import one_in

from flagtui.api.client import Client
from flagtui.changes.journal import Journal
from flagtui.cli.plumbing.errors import Trouble
from flagtui.cli.plumbing.project_names import select_project
from flagtui.cli.records.flag_records import FLAG
from flagtui.models.account import Project


def test_rows_of_several_projects_name_their_project(signed_in: Run) -> None:
    lines = signed_in("flags", "list", "--project", "1,2").out.splitlines()
    assert {line.split("\t")[-1] for line in lines} == {"1", "2"}
    document = json.loads(signed_in("flags", "list", "--project", "2,1", "--json").out)
    validate(document, FLAG.schema())
    assert len(document["records"]) == len(lines)
    assert document["records"][0]["project"] == "2"


def test_projects_can_be_named(signed_in: Run) -> None:
    projects = signed_in("projects", "--json").records[:2]
    names = ",".join(each["name"] for each in projects)
    done = signed_in("flags", "list", "--project", names, "--json", "--fields", "project")
    document = json.loads(done.out)
    assert {each["project"] for each in document["records"]} == {str(each["id"]) for each in projects}
    validate(document, FLAG.schema())


def test_limit_counts_rows_of_all_projects(signed_in: Run) -> None:
    done = signed_in("flags", "list", "-L", "3", "--project", "1,2", "--fields", "key,project")
    assert [line.split("\t")[1] for line in done.out.splitlines()] == ["1"] * 3
    words = ("activity", "-L", "4", "--project", "1,2", "--json", "--fields", "at,project")
    stamps = [each["at"] for each in signed_in(*words).records]
    assert (len(stamps), stamps) == (4, sorted(stamps, reverse=True))


@pytest.mark.parametrize(("wait", "code"), [("60", 0), ("0", 1)])
def test_read_waits_for_the_server(
    wait: str, code: int, service: Service, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    line, failures = FaultyService(service.application), [httpx.Response(500, json={})] * 3
    line.before = lambda _request: failures.pop() if failures else None
    with serve(line) as address:
        done = run_at(address, run, monkeypatch)("experiments", "list", "--json", "--wait", wait)
    assert done.code == code, done
    assert done.err.count("trying again for") == (3 if wait == "60" else 0)


WRITING = [name for name, command in all_commands().items() if command.writes]
PROJECTS = [Project(id=7, name="Web"), Project(id=8, name="Web shop"), Project(id=9, name="App")]


@pytest.fixture
def unnamed(monkeypatch: pytest.MonkeyPatch, online: Run) -> Run:
    """Commands of a key whose project is not named anywhere."""
    monkeypatch.delenv("FLAGTUI_PROJECT")
    return online


@pytest.mark.parametrize("name", one_in(3, WRITING))
@pytest.mark.parametrize("more", [("--dry-run",), ("--yes", "--project", "@current")])
def test_change_without_named_project_exits_with_2(unnamed: Run, name: str, more: tuple[str, ...]) -> None:
    words = [] if name in ("undo", "redo") else ["new-nav", *required_options(all_commands()[name])]
    done = unnamed(*name.split(), *words, *more)
    assert (done.code, done.out) == (2, "")
    assert "no project is named; without a terminal, a change needs one. Use --project ID" in done.err


async def first_name(client: Client) -> str:
    return next(project.name for project in await client.projects.list() if project.id == 1)


def test_reading_needs_no_project_or_its_exact_name(
    service: Service, unnamed: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert unnamed("flags", "get", "new-nav").code == 0
    name = service.ask(first_name)
    assert unnamed("flags", "tag", "new-nav", "--add", "named", "--dry-run", "--project", name).code == 0
    monkeypatch.setenv("FLAGTUI_PROJECT", name)
    assert unnamed("flags", "get", "new-nav").code == 0
    (opened,) = [each for each in unnamed("projects", "--json").records if each["opened"]]
    assert opened["name"] == name
    missing = unnamed("flags", "get", "new-nav", "--project", name[:-1])
    assert (missing.code, f"Did you mean {name}?" in missing.err) == (6, True)


def test_undo_uses_the_project_of_the_journal_entry(unnamed: Run, home: Path) -> None:
    assert unnamed("flags", "tag", "new-nav", "--add", "undone", "--yes", "--project", "1").code == 0
    (entry,) = unnamed("journal", "--json").records
    assert unnamed("undo", entry["id"], "--dry-run").code == 0
    assert (unnamed("undo", "--yes").code, unnamed("redo", "--dry-run").code) == (0, 0)
    assert unnamed("redo", "--yes").code == 0
    journal = Journal(home / ".local" / "state" / "flagtui" / "journal")
    newest = journal.entries()[0]
    elsewhere = replace(newest, id="open", signature=replace(newest.signature, project="2"), undoes="")
    journal.begin(replace(elsewhere, at=newest.at + 1))
    refused = unnamed("undo", "--dry-run")
    assert (refused.code, "whether it was applied is not known" in refused.err) == (3, True), refused.err


@pytest.mark.parametrize(
    ("name", "has_prefixes", "expected"),
    [("Web", False, 7), ("Web", True, 7), ("web s", True, 8), ("a", True, 9)],
)
def test_exact_name_precedes_unique_prefix(name: str, has_prefixes: bool, expected: int) -> None:
    assert select_project(PROJECTS, name, has_prefixes=has_prefixes) == expected


@pytest.mark.parametrize(("name", "has_prefixes", "code", "words"), [
    ("we", True, "usage", "Give the id: 7 (Web), 8 (Web shop)."),
    ("Ap", False, "not_found", "Did you mean App?"),
    ("xyz", True, "not_found", "See: flagtui projects"),
])  # fmt: skip
def test_unclear_project_name_is_refused(name: str, has_prefixes: bool, code: str, words: str) -> None:
    with pytest.raises(Trouble) as refused:
        select_project(PROJECTS, name, has_prefixes=has_prefixes)
    assert (refused.value.code, words in refused.value.fix) == (code, True)
