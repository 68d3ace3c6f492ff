"""Names on standard input are exact: lines, NDJSON and JSON documents, never queries."""

import json

import pytest
from tests.cli.conftest import Run

from flagtui.cli.plumbing.errors import Trouble
from flagtui.cli.plumbing.piped_names import names_in

ROW = {"schema": "flag", "id": 7, "key": " a\tb "}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("new-nav\t12\ton\r\n\ntag:core\n", ["new-nav", "tag:core"]),
        (" blank \n", [" blank "]),
        ("{not json\n", ["{not json"]),
        (json.dumps(ROW) + "\n" + json.dumps(ROW | {"key": "c"}), [" a\tb ", "c"]),
        (json.dumps({"schema": "flag", "records": [ROW]}, indent=2), [" a\tb "]),
        (json.dumps({"schema": "flag", "records": []}), []),
        ("", []),
    ],
)
def test_piped_names_are_exact(text: str, names: list[str]) -> None:
    assert list(names_in(text, "flag")) == names


def test_experiments_in_json_are_read_by_id_and_others_refused() -> None:
    assert list(names_in('{"schema": "whole-experiment", "id": 31, "key": "k"}', "experiment")) == ["31"]
    with pytest.raises(Trouble, match="this command takes flags"):
        list(names_in('{"schema": "experiment", "id": 31}', "flag"))


def test_lists_are_piped_back_and_queries_select_nothing(online: Run) -> None:
    listed = online("flags", "list", "--json").out
    keys = [record["key"] for record in json.loads(listed)["records"]]
    shown = online("flags", "get", "-", "--json", stdin=listed).out
    assert [record["key"] for record in json.loads(shown)["records"]] == keys
    done = online("flags", "disable", "-", "--yes", stdin="is:on\n")
    assert (done.code, done.out) == (6, "")
    assert "there is no flag is:on" in done.err


@pytest.mark.parametrize("words", ["flags get", "flags disable --yes", "events get", "experiments get"])
def test_half_a_document_names_no_record(words: str, closed: Run) -> None:
    done = closed(*words.split(), "-", stdin='{"records": [' + '{"key": "a"}, ' * 5_000)
    assert (done.code, done.out) == (6, "")
    assert "characters names no record" in done.err
    assert len(done.err) < 200
