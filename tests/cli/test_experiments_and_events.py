"""Experiments and event definitions from the command line."""

import json
import re
import shlex
from typing import Any

import pytest
from tests.cli.conftest import Run, Service, records, require_done

from flagtui.cli.commands.events.event_views import EVENT
from flagtui.models.event_definition import EventDefinition
from flagtui.service import NewKey, create_key


@pytest.fixture
def draft(signed_in: Run, request: pytest.FixtureRequest) -> str:
    """The number of a draft of the test's own."""
    key = f"cli-{abs(hash(request.node.name))}"
    words = ("experiments", "create", f"About {key}", "--flag-key", key, "--description", "Why we ask")
    variants = ("--variant", "control", "--variant", "a", "--variant", "b")
    (made,) = records(signed_in(*words, *variants, "--yes", "--json"))
    return str(made["id"])


def one(signed_in: Run, number: str) -> dict[str, Any]:
    (record,) = records(signed_in("experiments", "get", number, "--json"))
    return record


def test_experiment_gets_even_shares_and_answers_to_name_or_flag(signed_in: Run, draft: str) -> None:
    experiment = one(signed_in, draft)
    assert (experiment["status"], experiment["description"]) == ("draft", "Why we ask")
    assert [each["share"] for each in experiment["shares"]] == [34, 33, 33]
    for word in (experiment["name"], experiment["flag"], f"id:{draft}"):
        assert one(signed_in, word)["id"] == int(draft)
    missing = signed_in("experiments", "launch", experiment["flag"] + "x", "--yes")
    assert (missing.code, f"Did you mean {experiment['flag']}" in missing.err) == (6, True)


def test_a_life_from_launch_to_archive(signed_in: Run, draft: str) -> None:
    def step(name: str, *more: str) -> None:
        require_done(signed_in("experiments", name, draft, *more, "--yes"))

    def now(*fields: str) -> list[object]:
        record = one(signed_in, draft)
        return [record[field] for field in fields]

    metric = {"kind": "ExperimentMetric", "metric_type": "mean"}
    source = {"source": {"kind": "EventsNode", "event": "$pageview"}}
    step("edit", "--field", f"metrics={json.dumps([{**metric, **source}])}")
    step("launch")
    assert now("status") == ["running"]
    step("pause")
    assert now("status") == ["paused"]
    step("resume")
    assert signed_in("undo", "--yes").code == 0
    assert now("status") == ["paused"]
    step("resume")
    step("end", "--conclusion", "won", "--comment", "clear")
    assert now("status", "conclusion", "comment") == ["stopped", "won", "clear"]
    step("archive", "--disable-flag")
    assert now("archived") == [True]
    planned = signed_in("undo", "--dry-run")
    assert (planned.code, "Then 1 flag, planned once the changes before are saved." in planned.err) == (
        0,
        True,
    )
    require_done(signed_in("undo", "--yes"))
    assert now("archived", "status") == [False, "stopped"]
    step("reset")
    assert now("status") == ["draft"]
    step("delete")
    step("restore")
    assert one(signed_in, draft)["id"] == int(draft)


def test_events_without_data_are_measured_on_request(signed_in: Run, draft: str) -> None:
    source = {"kind": "EventsNode", "event": "never sent", "math": "total"}
    metric = {"kind": "ExperimentMetric", "metric_type": "mean", "source": source}
    edit = ("experiments", "edit", draft, "--field", f"metrics={json.dumps([metric])}")
    assert "never sent was never seen here" in signed_in(*edit, "--dry-run").out
    assert signed_in(*edit, "--yes").code == 3
    assert signed_in(*edit, "--yes", "--allow-unknown-events").code == 0
    assert signed_in("experiments", "edit", draft, "--field", "metrics=[]", "--yes").code == 0
    assert signed_in("undo", "--yes").code == 0
    assert one(signed_in, draft)["metrics"][0]["source"]["event"] == "never sent"


def test_impossible_step_is_refused_before_any_request(signed_in: Run, draft: str) -> None:
    done = signed_in("experiments", "archive", draft, "--yes")
    assert (done.code, done.out.split("\t")[1]) == (3, "skipped")
    assert signed_in("experiments", "ship", draft, "--variant", "nonsense", "--yes").code == 3
    assert signed_in("experiments", "end", draft).code == 3


def test_results_are_numbers_for_every_metric_and_variant(signed_in: Run) -> None:
    (first, *_others) = records(signed_in("experiments", "list", "is:running", "--json"))
    results = records(signed_in("experiments", "results", str(first["id"]), "--json"))
    assert {each["baseline"] for each in results if not each["reason"]} == {True, False}
    days = records(signed_in("experiments", "timeseries", str(first["id"]), "--json"))
    assert all(each["day"] for each in days)


def test_results_have_the_words_of_the_app_per_experiment(signed_in: Run) -> None:
    running = records(signed_in("experiments", "list", "is:running", "--json"))[:2]
    ids = [str(each["id"]) for each in running]
    shown = signed_in("experiments", "results", *ids, is_shown=True).out
    assert "the baseline is 0" in " ".join(shown.split())
    lines = [line.split() for line in shown.splitlines() if not line.startswith(" ")]
    assert lines[0][0].endswith("EXPERIMENT")
    assert [*dict.fromkeys(line[0] for line in lines[1:])] == ids
    signs = {word[0] for line in lines for word in line if word[1:-1].replace(".", "").isdecimal()}
    assert signs <= {"+", "−", *"0123456789"}
    # Which of them had few people on its first day depends on the hour.
    days = "".join(signed_in("experiments", "timeseries", id, is_shown=True).out for id in ids)
    assert "too few users yet" in days
    assert "not-enough-exposures" not in days


def test_what_is_new_is_named_once(signed_in: Run) -> None:
    outputs = [
        signed_in("events", "describe", "company created", "--text", "A company", "--yes", is_shown=True).out,
        signed_in("events", "tag", "company created", "--add", "new", "--yes", is_shown=True).out,
    ]
    assert re.search(r"company created has a new description: Company [^:]*\s→ A company\.\n$", outputs[0])
    assert "company created has new tags: + new.\n" in outputs[1]
    for _ in outputs:
        assert signed_in("undo", "--yes").code == 0


def test_reasons_and_hints_are_whole_and_quoted(signed_in: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    refused = signed_in("experiments", "pause", "checkout-redesign", "--dry-run", is_shown=True)
    assert refused.code == 3
    assert "…" not in refused.err
    assert refused.err.endswith("first.\n")
    refused = signed_in("events", "delete", "$pageview", "--yes")
    assert refused.err.endswith("To agree: --type '$pageview'\n")


def test_an_experiment_names_its_metrics_and_where_their_results_are(signed_in: Run, draft: str) -> None:
    source = {"source": {"kind": "EventsNode", "event": "$pageview"}}
    metric = {"kind": "ExperimentMetric", "metric_type": "mean", **source}
    slow = {**metric, "name": "Seconds", "goal": "decrease"}
    fields = (f"metrics={json.dumps([slow])}", f"metrics_secondary={json.dumps([metric])}")
    assert "no metric is set" in signed_in("experiments", "get", draft, is_shown=True).out
    signed_in("experiments", "edit", draft, "--field", fields[0], "--field", fields[1], "--yes")
    shown = signed_in("experiments", "get", draft, is_shown=True).out
    assert "primary: Seconds: mean of $pageview, lower wins" in shown
    assert "secondary: mean of $pageview" in shown
    assert "none before it is launched" in shown
    signed_in("experiments", "launch", draft, "--yes")
    shown = signed_in("experiments", "get", draft, is_shown=True).out
    assert f"flagtui experiments results {draft}" in shown


def test_lower_is_better_where_the_goal_requires_it(signed_in: Run) -> None:
    results = records(signed_in("experiments", "results", "checkout-redesign", "--json"))
    chances = {result["metric"]: result for result in results if result["chance_to_win"] is not None}
    slow, paid = chances["Checkout time"], chances["Paid conversion"]
    assert slow["lift"] < 0
    assert slow["chance_better"] == 1 - slow["chance_to_win"]
    assert paid["chance_better"] == paid["chance_to_win"]


def event(signed_in: Run, name: str = "$pageview") -> dict[str, Any]:
    (record,) = records(signed_in("events", "get", name, "--json"))
    return record


def test_an_event_is_changed_and_taken_back(signed_in: Run) -> None:
    before = event(signed_in)
    for words, field, value in (
        (("hide",), "hidden", True),
        (("unhide",), "hidden", False),
        (("verify",), "verified", True),
        (("unverify",), "verified", False),
        (("describe", "--text", "A page was seen"), "description", "A page was seen"),
        (("property", "--to", "$pathname"), "primary_property", "$pathname"),
    ):
        done = signed_in("events", words[0], "$pageview", *words[1:], "--yes")
        if "already" in done.out:
            continue
        assert done.code == 0, f"{words}: {done.err}{done.out}"
        assert event(signed_in)[field] == value
        assert signed_in("undo", "--yes").code == 0
    assert event(signed_in)["description"] == before["description"]


def test_many_events_are_tagged_together_and_owned(signed_in: Run) -> None:
    names = [each["name"] for each in records(signed_in("events", "list", "--limit", "3", "--json"))]
    done = signed_in("events", "tag", *names, "--add", "From the CLI", "--yes", "--json")
    assert [each["ending"] for each in records(done)] == ["saved"] * 3
    assert all("from the cli" in event(signed_in, name)["tags"] for name in names)
    assert signed_in("events", "owner", names[0], "--to", "me", "--yes").code in (0, 3)
    assert "@" in event(signed_in, names[0])["owner"]
    assert signed_in("events", "owner", names[0], "--to", "no@where.test", "--yes").code == 6
    removed = signed_in("events", "owner", names[0], "--to", "none", "--yes")
    assert removed.out == f"{names[0]}\tsaved\thas no owner any more\t\n"
    assert "owner: none → alice@acme.com" in signed_in("undo", "--dry-run").out
    staged = signed_in("events", "owner", names[0], "--to", "me", "--stage")
    assert "owner: none → user 1" in staged.out


def test_own_events_need_a_key_that_may_read_its_owner(
    signed_in: Run, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    scopes = ("event_definition:read", "event_definition:write", "project:read")
    monkeypatch.setenv("FLAGTUI_API_KEY", create_key(service.database, NewKey("events", scopes)))
    refused = signed_in("events", "owner", "$pageview", "--to", "me", "--yes")
    assert (refused.code, refused.out) == (5, "")
    assert "the owner of this key cannot be read" in refused.err


def test_drafts_and_plain_flags_name_the_next_step(online: Run) -> None:
    refused = online("experiments", "create", "New", "--flag-key", "new-nav", "--dry-run")
    assert refused.code == 3
    assert "the flag new-nav has 0 variants, and an experiment needs 2." in refused.err
    assert "flagtui experiments eligible" in refused.err
    (draft,) = records(online("experiments", "list", "is:draft", "--limit", "1", "--json"))
    refused = online("experiments", "timeseries", str(draft["id"]))
    assert refused.code == 3
    assert refused.err.endswith(f"Launch it first: flagtui experiments launch {draft['id']}\n")


def test_a_deletion_for_real_wants_its_name(signed_in: Run) -> None:
    name = records(signed_in("events", "list", "kind:custom", "--limit", "1", "--json"))[0]["name"]
    refused = signed_in("events", "delete", name, "--yes")
    assert (refused.code, f"--type {shlex.quote(name)}" in refused.err) == (3, True)
    assert signed_in("events", "delete", name, "--type", name).code == 0
    assert signed_in("events", "get", name).code == 6
    assert signed_in("undo", "--yes").code == 0
    assert signed_in("events", "get", name).code == 0


def test_get_of_an_event_has_the_whole_record(signed_in: Run) -> None:
    (event,) = records(signed_in("events", "get", "$pageview", "--json"))
    assert event["record"]["id"] == event["id"]
    assert {"verified_at", "updated_by", "media_preview_urls"} <= event["record"].keys()
    assert event["is_action"] is False
    signed_in("events", "verify", "$pageview", "--yes")
    (event,) = records(signed_in("events", "get", "$pageview", "--json"))
    assert event["verified_by"] == "alice@acme.com"


def test_members_that_were_not_sent_are_not_known() -> None:
    bare = EventDefinition.of({"id": "u", "name": "paid"}).row()
    fields = {field.name: field for field in EVENT.fields}
    for name in ("verified", "tags", "owner", "description", "enforcement"):
        value = fields[name].read(bare)
        assert (value, fields[name].cell(value)) == (None, "not known")


def test_get_by_query_prints_what_get_by_name_prints(signed_in: Run) -> None:
    (by_name,) = records(signed_in("events", "get", "$pageview", "--json"))
    by_query = records(signed_in("events", "get", "name:$pageview", "--json"))
    assert by_name in by_query
    both = records(signed_in("events", "get", "$pageview", "name:$pageview", "--json"))
    assert len(both) == len(by_query)
