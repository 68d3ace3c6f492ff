"""Flags listed, shown, compared and evaluated on the command line."""

import json
import re

import httpx
import pytest
from tests.cli.conftest import KEY, Run, Service, control_characters, loaded_by, server_variables

NASTY = "\x1b]0;owned\x07\u202egnp.exe\n\x9b31m\tx"


def test_a_list_is_narrowed_sorted_and_cut_as_asked(signed_in: Run) -> None:
    rows = json.loads(signed_in("flags", "list", "is:on", "--sort", "key", "--json").out)["records"]
    assert rows
    assert all(row["active"] for row in rows)
    assert [row["key"] for row in rows] == sorted(row["key"] for row in rows)
    assert len(signed_in("flags", "list", "--limit", "2").out.splitlines()) == 2
    assert signed_in("flags", "list", "--sort", "colour").code == 2
    assert signed_in("flags", "list", "is:onn").code == 2
    assert "deleted flags are in no list; see: flagtui" in signed_in("flags", "list", "is:deleted").err
    by_risk = signed_in("flags", "list", "is:stale", "--sort", "cleanup", "--fields", "key").out
    assert signed_in("flags", "stale", "--fields", "key").out == by_risk != ""


def test_flag_is_shown_whole_with_words_for_people(signed_in: Run, key: str, service: Service) -> None:
    shown = signed_in("flags", "get", key, is_shown=True)
    assert shown.code == 0
    assert "50 % of users where" in shown.out
    assert "plan" in shown.out
    (record,) = json.loads(signed_in("flags", "get", key, "--json").out)["records"]
    assert record["filters"]["groups"][0]["rollout_percentage"] == 50


def test_shown_flag_names_values_and_why_no_one_matches(
    signed_in: Run, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    country = {"key": "country", "type": "person", "value": ["DE", "FR", "NL"], "operator": "exact"}
    plan = {"key": "plan", "type": "person", "value": "pro", "operator": "exact"}
    shares = [{"key": "a", "rollout_percentage": 33.33}, {"key": "b", "rollout_percentage": 66.67}]
    filters = {
        "groups": [{"properties": [country, plan], "rollout_percentage": 50}, {"rollout_percentage": 10}],
        "multivariate": {"variants": shares},
        "payloads": {"b": "1"},
    }
    body = {"key": "gives-two", "filters": filters, "ensure_experience_continuity": True}
    id = service.ask(lambda client: client.flags.create(body)).id
    words = ("flags", "get", "gives-two", "--json", "--fields", "conditions,serves")
    (record,) = json.loads(signed_in(*words).out)["records"]
    assert record == {
        "conditions": [
            "1 50 % of users where country is any of DE, FR, NL and plan is pro",
            "2 10 % of everyone else",
            "users keep their value across sign-in",
        ],
        "serves": ["a 33.33 %", "b 66.67 %, with a payload"],
    }
    signed_in("flags", "delete", "gives-two", "--yes")
    shown = signed_in("flags", "get", str(id), is_shown=True).out
    assert max(map(len, shown.splitlines())) <= 60
    assert "conditions  no one: the flag is deleted; once restored, it" in shown


def test_group_types_have_the_names_of_the_project(signed_in: Run, service: Service) -> None:
    groups = [{"properties": [], "rollout_percentage": 20}]
    filters = {"aggregation_group_type_index": 0, "groups": groups}
    service.ask(lambda client: client.flags.create({"key": "for-companies", "filters": filters}))
    shown = signed_in("flags", "get", "for-companies", is_shown=True)
    assert "20 % of all company groups" in shown.out
    everyone = json.dumps({"groups": groups})
    signed_in("flags", "edit", "for-companies", "--field", f"filters={everyone}", "--yes")
    assert "company" in signed_in("flags", "diff", "for-companies").out
    edit = ("flags", "edit", "for-companies", "--field", f"filters={json.dumps(filters)}", "--dry-run")
    assert "company groups" in signed_in(*edit).out


def test_get_names_dependencies_and_those_that_never_match(signed_in: Run, service: Service) -> None:
    base = service.ask(lambda client: client.flags.create({"key": "base-of-two", "active": True}))
    other = service.ask(lambda client: client.flags.create({"key": "gone-base", "active": True}))
    on = {"type": "flag", "operator": "flag_evaluates_to", "value": True}
    properties = [{**on, "key": str(flag.id)} for flag in (base, other)]
    filters = {"groups": [{"properties": properties, "rollout_percentage": 50}]}
    service.ask(lambda client: client.flags.create({"key": "of-two", "active": False, "filters": filters}))
    signed_in("flags", "delete", "gone-base", "--yes")
    (record,) = json.loads(signed_in("flags", "get", "of-two", "--json", "--fields", "conditions").out)[
        "records"
    ]
    assert record["conditions"][1] == (
        f"1 50 % of users where flag base-of-two is on and flag {other.id} is on "
        "(not in the list: off if archived; if deleted, this flag is off for everyone)"
    )


def test_history_and_differences_tell_who_moved_what(signed_in: Run, key: str) -> None:
    signed_in("flags", "rollout", key, "--to", "75", "--yes")
    history = json.loads(signed_in("flags", "history", key, "--json").out)["records"]
    assert "75 %" in history[0]["change"]
    assert history[0]["who"]
    (difference,) = json.loads(signed_in("flags", "diff", key, "--json").out)["records"]
    assert (difference["before"], difference["after"]) == (50, 75)
    assert signed_in("flags", "diff", key, "--from", "1", "--to", "1").out == ""
    reversed_sides = signed_in("flags", "diff", key, "--from", "2", "--to", "1")
    assert (reversed_sides.code, reversed_sides.out) == (2, "")
    assert "--from 2 is newer than --to 1; exchange them." in reversed_sides.err


def test_what_a_person_gets_is_told_and_explained(signed_in: Run, key: str) -> None:
    line = "user_7 plan=free"
    (value,) = json.loads(signed_in("flags", "evaluate", key, "--for", line, "--json").out)["records"]
    assert (value["value"], value["source"]) == (False, "here")
    shown = signed_in("flags", "explain", key, "--for", line, is_shown=True).out
    assert "condition 1 does not match" in shown
    everything = signed_in("flags", "evaluate", "--for", "user_7", "--ndjson").out.splitlines()
    assert len(everything) > 5
    assert signed_in("flags", "evaluate", key, "--for", "a b").code == 2


def test_several_people_are_told_side_by_side_flag_by_flag(signed_in: Run, key: str) -> None:
    people = ("--for", "user_7 plan=free", "--for", "user_8", "--for", "user_8")
    for words in (("evaluate", key), ("explain", key)):
        records = json.loads(signed_in("flags", *words, *people, "--json").out)["records"]
        assert [record["distinct_id"] for record in records] == ["user_7", "user_8"]
    shown = signed_in("flags", "explain", key, *people, is_shown=True).out
    assert re.findall(r"distinct id +(\S+)", shown) == ["user_7", "user_8"]
    assert "condition 1: condition 1" not in shown
    everything = signed_in("flags", "evaluate", "--for", "a", "--for", "b", "--ndjson").out.splitlines()
    records = [json.loads(line) for line in everything]
    assert [record["distinct_id"] for record in records[:2]] == ["a", "b"]
    assert records[0]["key"] == records[1]["key"]


def test_hostile_text_is_drawn_harmless_and_told_exactly(
    signed_in: Run, key: str, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    id = json.loads(signed_in("flags", "get", key, "--json").out)["records"][0]["id"]
    service.ask(lambda client: client.flags.update(id, {"name": NASTY, "tags": ["a\x1b[2J"]}))
    for words in (("list", key), ("get", key), ("history", key), ("disable", key, "--dry-run")):
        for is_shown in (True, False):
            done = signed_in("flags", *words, is_shown=is_shown)
            assert done.code == 0
            assert control_characters(done.out + done.err) == []
    (record,) = json.loads(signed_in("flags", "list", key, "--json").out)["records"]
    assert record["name"] == NASTY


def test_projects_and_missing_payloads_are_named(signed_in: Run, service: Service, key: str) -> None:
    keys, other_keys = (
        {row["key"] for row in json.loads(signed_in(*words, "--json").out)["records"]}
        for words in (("flags", "list"), ("flags", "list", "--project", "2"))
    )
    assert keys != other_keys
    assert signed_in("flags", "list", "--project", "99").code == 6
    assert KEY not in signed_in("flags", "list", "--project", "99").err
    done = signed_in("flags", "payload", "rate-limit-tier", key)
    assert (done.code, done.out) == (6, "")
    assert f"not a remote configuration: {key}." in done.err


def test_showing_a_flag_loads_no_search_list_or_change_modules(service: Service) -> None:
    """They take as long again as httpx, which is the half of it."""
    loaded = loaded_by("flags get checkout-redesign", **server_variables(service.address))
    assert loaded.isdisjoint({"textual", "rich", "keyring", "pydantic", "sqlite3"})
    assert not [
        name for name in loaded if name.startswith(("flagtui.store.query", "flagtui.changes.journal"))
    ]
    # Each takes about a millisecond.
    ours = {name for name in loaded if name.startswith("flagtui")}
    assert "flagtui.models.flag_rows" in ours
    assert len(ours) <= 100


def test_the_activity_around_a_moment_has_the_likeliest_cause_first(signed_in: Run, key: str) -> None:
    signed_in("flags", "rollout", key, "--to", "75", "--yes")
    first, *_ = json.loads(signed_in("activity", "@", "0m", "--json").out)["records"]
    assert (first["key"], first["gained"] is None) == (key, False)
    assert signed_in("activity", "@", "7d", "kind:deleted", "by:noone").out == ""
    assert signed_in("activity", "@", "soon").code == 2


def test_diff_reports_tags_as_far_as_they_are_logged(service: Service, signed_in: Run, key: str) -> None:
    assert signed_in("flags", "tag", key, "--add", "unlogged", "--yes").code == 0
    records = json.loads(signed_in("flags", "diff", key, "--json").out)["records"]
    assert ["tags or dashboards can have changed" in each["change"] for each in records] == [True]
    id = json.loads(signed_in("flags", "get", key, "--json").out)["records"][0]["id"]
    body = {"ids": [id], "action": "add", "tags": ["logged"]}
    address = f"{service.address}/api/projects/1/feature_flags/bulk_update_tags/"
    assert httpx.post(address, json=body, headers={"Authorization": f"Bearer {KEY}"}).status_code == 200
    logged = [
        each
        for each in json.loads(signed_in("flags", "diff", key, "--json").out)["records"]
        if each["where"] == "tags"
    ]
    assert [each["change"] for each in logged] == ["tags: + logged"]
