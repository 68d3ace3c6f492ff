"""Commands create, change and delete holdouts, shared metrics and event definitions; undo reverts them."""

import json
from typing import Any

import pytest
from tests.cli.conftest import Run, records
from tests.doubles.writing_commands import QUERY


def by_name(run: Run, *words: str) -> dict[str, dict[str, Any]]:
    return {each["name"]: each for each in records(run(*words, "--json"))}


def save(run: Run, *words: str) -> None:
    assert [each["ending"] for each in records(run(*words, "--yes", "--json"))] == ["saved"]


def test_holdout_is_created_changed_and_deleted(online: Run) -> None:
    save(online, "experiments", "create-holdout", "Held back", "--share", "5%", "--description", "Why")
    save(online, "experiments", "edit-holdout", "Held back", "--share", "7.5")
    holdout = by_name(online, "experiments", "holdouts")["Held back"]
    assert (holdout["share"], holdout["description"]) == (7.5, "Why")
    save(online, "undo")
    assert by_name(online, "experiments", "holdouts")["Held back"]["share"] == 5
    save(online, "experiments", "delete-holdout", str(holdout["id"]), "--type", str(holdout["id"]))
    assert "Held back" not in by_name(online, "experiments", "holdouts")
    save(online, "undo")
    assert by_name(online, "experiments", "holdouts")["Held back"]["share"] == 5


def test_undo_deletes_a_created_metric(online: Run) -> None:
    words = ("experiments", "create-metric", "Queries", "--query", json.dumps(QUERY))
    assert "did not store" not in online(*words, "--yes").out
    changed = json.dumps({**QUERY, "goal": "decrease"})
    save(online, "experiments", "edit-metric", "Queries", "--query", changed)
    save(online, "undo")
    assert "goal" not in by_name(online, "experiments", "metrics")["Queries"]["query"]
    described = online("experiments", "edit-metric", "Queries", "--description", "All", "--dry-run")
    assert "description: none → All" in described.out
    save(online, "experiments", "edit-metric", "Queries", "--name", "All queries")
    assert "All queries" in by_name(online, "experiments", "metrics")
    save(online, "undo")
    done = online("undo", "--yes", "--type", "Queries", "--json")
    assert (done.code, "Queries" in by_name(online, "experiments", "metrics")) == (0, False)


@pytest.mark.parametrize("words", [
    ("flags", "edit", "new-nav", "--field", "name= Nav "),
    ("flags", "create", "spaced", "--description", " Nav "),
    ("experiments", "create", " Spaced ", "--flag-key", "spaced-2", "--description", " Nav "),
    ("experiments", "edit", "Docs first in search", "--field", "description= Nav "),
    ("experiments", "create-holdout", " Spaced ", "--share", "1", "--description", " Nav "),
    ("events", "create", " spaced ", "--description", " Nav "),
    ("events", "describe", "query run", "--text", " Nav "),
])  # fmt: skip
def test_text_is_saved_without_outer_spaces(words: tuple[str, ...], online: Run) -> None:
    done = online(*words, "--yes", "--json")
    (record,) = done.records
    assert (done.code, record["ending"], record["next"]) == (0, "saved", "")
    assert record["key"] == record["key"].strip()


def test_same_values_change_nothing_and_long_names_are_refused(online: Run) -> None:
    done = online("experiments", "edit-holdout", "1", "--share", "10", "--yes", "--json")
    assert (done.code, done.records[0]["ending"]) == (0, "unchanged")
    done = online("experiments", "create-holdout", "y" * 401, "--share", "1", "--yes", "--json")
    (record,) = done.records
    assert (done.code, record["message"]) == (3, "a name has 1 to 400 characters")


def test_used_name_is_a_warning_before_the_change(online: Run) -> None:
    save(online, "experiments", "create-holdout", "Twins", "--share", "5")
    number = by_name(online, "experiments", "holdouts")["Twins"]["id"]
    warning = {
        "label": "Same name",
        "text": f"holdout {number} has this name already; commands then need the number",
    }
    for words in (("create-holdout", "Twins", "--share", "3"), ("edit-holdout", "1", "--name", "Twins")):
        done = online("experiments", *words, "--dry-run", "--json")
        assert warning in done.records[0]["consequences"]


def test_event_is_created_once(online: Run) -> None:
    words = ("events", "create", "report exported", "--description", "A report was saved", "--tag", "Core")
    save(online, *words)
    event = by_name(online, "events", "get", "report exported")["report exported"]
    assert (event["description"], event["tags"]) == ("A report was saved", ["core"])
    again = online(*words, "--yes", "--json")
    assert (again.code, again.records[0]["ending"]) == (3, "skipped")
    assert online("undo", "--yes", "--type", "report exported", "--json").code == 0
    assert online("events", "get", "report exported").code == 6


def test_experiment_is_restored_by_name(online: Run) -> None:
    name = online("experiments", "get", "#34", "--json").records[0]["name"]
    assert online("experiments", "restore", name, "--yes").code == 2
    save(online, "experiments", "delete", "34")
    assert f"{name}   #34\n" in online("experiments", "restore", "34", "--dry-run", "-o", "table").out
    save(online, "experiments", "restore", name)
    assert online("experiments", "get", "34").code == 0
    again = online("experiments", "restore", name, "--yes", "--json")
    assert (again.code, again.records[0]["ending"]) == (0, "unchanged")
