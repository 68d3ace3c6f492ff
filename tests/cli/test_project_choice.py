"""A change without a terminal happens in a project that the command line, a setting or the journal names."""

import json
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.cli.conftest import Run, Service
from tests.doubles.command_tree import all_commands, required_options
from tests.doubles.slices import one_in

from flagtui.api.client import Client
from flagtui.changes.journal import Journal
from flagtui.cli.plumbing.errors import Trouble
from flagtui.cli.plumbing.project_session import select_project
from flagtui.models.account import Project

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


def test_reading_needs_no_project_and_unknown_names_are_refused(unnamed: Run) -> None:
    assert unnamed("flags", "get", "new-nav").code == 0
    done = unnamed("mirror", "--port", "0", "--project", "none-such")
    assert (done.code, "there is no project none-such" in done.err) == (6, True)


async def first_name(client: Client) -> str:
    return next(project.name for project in await client.projects.list() if project.id == 1)


def test_project_is_named_by_its_exact_name(
    service: Service, unnamed: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = service.ask(first_name)
    assert unnamed("flags", "tag", "new-nav", "--add", "named", "--dry-run", "--project", name).code == 0
    monkeypatch.setenv("FLAGTUI_PROJECT", name)
    assert unnamed("flags", "get", "new-nav").code == 0
    (opened,) = [each for each in json.loads(unnamed("projects", "--json").out)["records"] if each["opened"]]
    assert opened["name"] == name
    missing = unnamed("flags", "get", "new-nav", "--project", name[:-1])
    assert (missing.code, f"Did you mean {name}?" in missing.err) == (6, True)


def test_undo_uses_the_project_of_the_journal_entry(unnamed: Run, home: Path) -> None:
    assert unnamed("flags", "tag", "new-nav", "--add", "undone", "--yes", "--project", "1").code == 0
    (entry,) = json.loads(unnamed("journal", "--json").out)["records"]
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


@pytest.mark.parametrize(
    ("name", "has_prefixes", "code", "words"),
    [
        ("we", True, "usage", "Give the id: 7 (Web), 8 (Web shop)."),
        ("Ap", False, "not_found", "Did you mean App?"),
        ("xyz", True, "not_found", "See: flagtui projects"),
    ],
)
def test_unclear_project_name_is_refused(name: str, has_prefixes: bool, code: str, words: str) -> None:
    with pytest.raises(Trouble) as refused:
        select_project(PROJECTS, name, has_prefixes=has_prefixes)
    assert (refused.value.code, words in refused.value.fix) == (code, True)
