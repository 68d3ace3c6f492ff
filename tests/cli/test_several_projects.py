"""Reads of several projects, and reads that wait for the server."""

import json

import httpx
import pytest
from tests.cli.conftest import Run, Service, run_at
from tests.doubles.faulty_service import FaultyService, serve
from tests.doubles.json_schema import faults

from flagtui.cli.records.flag_records import FLAG


def test_rows_of_several_projects_name_their_project(signed_in: Run) -> None:
    lines = signed_in("flags", "list", "--project", "1,2").out.splitlines()
    assert {line.split("\t")[-1] for line in lines} == {"1", "2"}
    document = json.loads(signed_in("flags", "list", "--project", "2,1", "--json").out)
    assert list(faults(document, FLAG.schema())) == []
    assert len(document["records"]) == len(lines)
    assert document["records"][0]["project"] == "2"


def test_projects_can_be_named(signed_in: Run) -> None:
    projects = json.loads(signed_in("projects", "--json").out)["records"][:2]
    names = ",".join(each["name"] for each in projects)
    done = signed_in("flags", "list", "--project", names, "--json", "--fields", "project")
    document = json.loads(done.out)
    assert {each["project"] for each in document["records"]} == {str(each["id"]) for each in projects}
    assert list(faults(document, FLAG.schema())) == []


def test_errors_and_empty_names_of_projects_are_named(signed_in: Run) -> None:
    done = signed_in("flags", "get", "new-nav", "--project", "1,2")
    assert (done.code, "project 2: there is no flag new-nav" in done.err) == (6, True)
    done = signed_in("flags", "list", "--project", "1,")
    assert (done.code, "'1,' has an empty name of a project" in done.err) == (2, True)


@pytest.mark.parametrize(
    ("line", "who"),
    [
        ("flags disable new-nav --yes", "a change"),
        ("undo --yes", "a change"),
        ("refs", "this command"),
        ("check", "this command"),
        ("watch --count 1", "this command"),
        ("flags types --language ts", "this command"),
        ("flags types --language ts --offline", "this command"),
        ("events types", "this command"),
        ("api feature_flags/", "this command"),
        ("mirror --port 0", "this command"),
    ],
)
def test_command_of_one_project_refuses_several(line: str, who: str, signed_in: Run) -> None:
    done = signed_in(*line.split(), "--project", "1,2")
    assert (done.code, done.out) == (2, "")
    assert f"{who} takes one project, not 1,2. Run it once for each" in done.err


def test_limit_counts_rows_of_all_projects(signed_in: Run) -> None:
    done = signed_in("flags", "list", "-L", "3", "--project", "1,2", "--fields", "key,project")
    assert [line.split("\t")[1] for line in done.out.splitlines()] == ["1"] * 3
    words = ("activity", "-L", "4", "--project", "1,2", "--json", "--fields", "at,project")
    stamps = [each["at"] for each in json.loads(signed_in(*words).out)["records"]]
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
