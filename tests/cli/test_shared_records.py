"""Commands create, change and delete holdouts, shared metrics and event definitions; undo reverts them."""

import json
from typing import Any

import pytest
from tests.cli.conftest import Run, Service, run_at

METRIC = {
    "kind": "ExperimentMetric",
    "metric_type": "mean",
    "source": {"kind": "EventsNode", "event": "query run", "math": "total"},
}


@pytest.fixture
def here(service: Service, run: Run, home: object, monkeypatch: pytest.MonkeyPatch) -> Run:
    return run_at(service.address, run, monkeypatch)


def records(run: Run, *words: str) -> dict[str, dict[str, Any]]:
    return {each["name"]: each for each in json.loads(run(*words, "--json").out)["records"]}


def saved(run: Run, *words: str) -> None:
    done = run(*words, "--yes", "--json")
    assert done.code == 0, done
    assert [each["ending"] for each in json.loads(done.out)["records"]] == ["saved"]


def test_holdout_is_created_changed_and_deleted(here: Run) -> None:
    saved(here, "experiments", "create-holdout", "Held back", "--share", "5%", "--description", "Why")
    saved(here, "experiments", "edit-holdout", "Held back", "--share", "7.5")
    holdout = records(here, "experiments", "holdouts")["Held back"]
    assert (holdout["share"], holdout["description"]) == (7.5, "Why")
    saved(here, "undo")
    assert records(here, "experiments", "holdouts")["Held back"]["share"] == 5
    saved(here, "experiments", "delete-holdout", str(holdout["id"]), "--type", str(holdout["id"]))
    assert "Held back" not in records(here, "experiments", "holdouts")
    saved(here, "undo")
    assert records(here, "experiments", "holdouts")["Held back"]["share"] == 5


def test_undo_deletes_a_created_metric(here: Run) -> None:
    words = ("experiments", "create-metric", "Queries", "--query", json.dumps(METRIC))
    assert "did not store" not in here(*words, "--yes").out
    changed = json.dumps({**METRIC, "goal": "decrease"})
    saved(here, "experiments", "edit-metric", "Queries", "--query", changed)
    saved(here, "undo")
    assert "goal" not in records(here, "experiments", "metrics")["Queries"]["query"]
    saved(here, "experiments", "edit-metric", "Queries", "--name", "All queries")
    assert "All queries" in records(here, "experiments", "metrics")
    saved(here, "undo")
    done = here("undo", "--yes", "--type", "Queries", "--json")
    assert (done.code, "Queries" in records(here, "experiments", "metrics")) == (0, False)


def test_same_values_change_nothing(here: Run) -> None:
    done = here("experiments", "edit-holdout", "1", "--share", "10", "--yes", "--json")
    assert (done.code, json.loads(done.out)["records"][0]["ending"]) == (0, "unchanged")


def test_used_name_is_a_warning_before_the_change(here: Run) -> None:
    saved(here, "experiments", "create-holdout", "Twins", "--share", "5")
    number = records(here, "experiments", "holdouts")["Twins"]["id"]
    warning = {
        "label": "Same name",
        "text": f"holdout {number} has this name already; commands then need the number",
    }
    for words in (("create-holdout", "Twins", "--share", "3"), ("edit-holdout", "1", "--name", "Twins")):
        done = here("experiments", *words, "--dry-run", "--json")
        assert warning in json.loads(done.out)["records"][0]["consequences"]


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("create-holdout", "", "--share", "1"), 2),
        (("create-metric", " ", "--query", "{}"), 2),
        (("edit-holdout", "", "--share", "1"), 2),
        (("edit-holdout", "1", "--name", ""), 2),
        (("create-holdout", "x", "--share", "101"), 2),
        (("create-metric", "x"), 2),
        (("create-metric", "x", "--query", "[]"), 2),
        (("edit-holdout", "1"), 2),
        (("delete-holdout", "1", ""), 2),
        (("edit-holdout", "none-such", "--share", "1"), 6),
        (("delete-metric", "none-such"), 6),
    ],
)
def test_wrong_input_is_refused(here: Run, words: tuple[str, ...], code: int) -> None:
    done = here("experiments", *words, "--yes")
    assert (done.code, done.out) == (code, ""), done


def test_long_name_is_refused(here: Run) -> None:
    done = here("experiments", "create-holdout", "y" * 401, "--share", "1", "--yes", "--json")
    (record,) = json.loads(done.out)["records"]
    assert (done.code, record["message"]) == (3, "a name has 1 to 400 characters")


def test_event_is_created_once(here: Run) -> None:
    words = ("events", "create", "report exported", "--description", "A report was saved", "--tag", "Core")
    saved(here, *words)
    event = records(here, "events", "get", "report exported")["report exported"]
    assert (event["description"], event["tags"]) == ("A report was saved", ["core"])
    again = here(*words, "--yes", "--json")
    assert (again.code, json.loads(again.out)["records"][0]["ending"]) == (3, "skipped")
    assert here("undo", "--yes", "--type", "report exported", "--json").code == 0
    assert here("events", "get", "report exported").code == 6


def test_experiment_is_restored_by_name(here: Run) -> None:
    name = json.loads(here("experiments", "get", "34", "--json").out)["records"][0]["name"]
    assert here("experiments", "restore", name, "--yes").code == 2
    saved(here, "experiments", "delete", "34")
    saved(here, "experiments", "restore", name)
    assert here("experiments", "get", "34").code == 0
