"""Flags listed, shown, compared and evaluated on the command line."""

import asyncio
import json
import re
from collections.abc import Iterator
from time import process_time

import pytest
from tests.cli.conftest import KEY, Done, Run, Service, reachable, require_done, server_variables
from tests.cli.processes import loaded_by
from tests.doubles.expensive_patterns import EXPENSIVE, store_expensive

from flagtui.service import close_service, create_service


def test_a_list_is_narrowed_sorted_and_cut_as_asked(signed_in: Run) -> None:
    rows = signed_in("flags", "list", "is:on", "--sort", "key", "--json").records
    assert rows
    assert all(row["active"] for row in rows)
    assert [row["key"] for row in rows] == sorted(row["key"] for row in rows)
    assert len(signed_in("flags", "list", "--limit", "2").out.splitlines()) == 2
    assert "deleted flags are in no list; see: flagtui" in signed_in("flags", "list", "is:deleted").err
    by_risk = signed_in("flags", "list", "is:stale", "--sort", "cleanup", "--fields", "key").out
    for words in (("flags", "stale"), ("flags", "list", "is:stale"), ("flags", "list", "is:unused")):
        assert signed_in(*words, "--fields", "key").out == by_risk != ""


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
    (record,) = signed_in(*words).records
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
    (record,) = signed_in("flags", "get", "of-two", "--json", "--fields", "conditions").records
    assert record["conditions"][1] == (
        f"1 50 % of users where flag base-of-two is on and flag {other.id} is on "
        "(not in the list: off if archived; if deleted, this flag is off for everyone)"
    )


def test_history_and_differences_tell_who_moved_what(signed_in: Run, key: str) -> None:
    signed_in("flags", "rollout", key, "--to", "75", "--yes")
    history = signed_in("flags", "history", key, "--json").records
    assert "75 %" in history[0]["change"]
    assert history[0]["who"]
    shown = [
        signed_in("flags", "history", key, "--json", "--since", at).records for at in ("2h", "2099-01-01")
    ]
    assert shown == [history, []]
    (difference,) = signed_in("flags", "diff", key, "--json").records
    assert (difference["before"], difference["after"]) == (50, 75)
    assert signed_in("flags", "diff", key, "--from", "1", "--to", "1").out == ""


def test_what_a_person_gets_is_told_and_explained(signed_in: Run, key: str) -> None:
    line = "user_7 plan=free"
    (value,) = signed_in("flags", "evaluate", key, "--for", line, "--json").records
    assert (value["value"], value["source"]) == (False, "here")
    shown = signed_in("flags", "explain", key, "--for", line, is_shown=True).out
    assert "condition 1 does not match" in shown
    everything = signed_in("flags", "evaluate", "--for", "user_7", "--ndjson").out.splitlines()
    assert len(everything) > 5


def test_several_people_are_told_side_by_side_flag_by_flag(signed_in: Run, key: str) -> None:
    people = ("--for", "user_7 plan=free", "--for", "user_8", "--for", "user_8")
    for words in (("evaluate", key), ("explain", key)):
        records = signed_in("flags", *words, *people, "--json").records
        assert [record["distinct_id"] for record in records] == ["user_7", "user_8"]
    shown = signed_in("flags", "explain", key, *people, is_shown=True).out
    assert re.findall(r"distinct id +(\S+)", shown) == ["user_7", "user_8"]
    assert "condition 1: condition 1" not in shown
    everything = signed_in("flags", "evaluate", "--for", "a", "--for", "b", "--ndjson").out.splitlines()
    records = [json.loads(line) for line in everything]
    assert [record["distinct_id"] for record in records[:2]] == ["a", "b"]
    assert records[0]["key"] == records[1]["key"]


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
    first, *_ = signed_in("activity", "@", "0m", "--json").records
    assert (first["key"], first["gained"] is None) == (key, False)
    assert signed_in("activity", "@", "7d", "kind:deleted", "by:noone").out == ""


def test_diff_reports_tags_as_far_as_they_are_logged(service: Service, signed_in: Run, key: str) -> None:
    id = signed_in("flags", "get", key, "--json").records[0]["id"]
    assert signed_in("flags", "edit", key, "--field", "name=Described", "--yes").code == 0
    service.ask(lambda client: client.flags.update(id, {"tags": ["unlogged"]}))
    records = signed_in("flags", "diff", key, "--json").records
    assert ["tags or dashboards can have changed" in each["change"] for each in records] == [True]
    assert signed_in("flags", "tag", key, "--add", "logged", "--yes").code == 0
    logged = [each for each in signed_in("flags", "diff", key, "--json").records if each["where"] == "tags"]
    assert [each["change"] for each in logged] == ["tags: + logged"]
    assert {each["key"] for each in signed_in("flags", "history", key, "--json").records} == {key}


@pytest.mark.parametrize("state", ["on", "rollout=25", "rollout=25%"])
def test_wait_ends_when_the_flag_is_in_the_state(signed_in: Run, state: str) -> None:
    done = signed_in("flags", "wait", "new-nav", "--until", state, "--json")
    assert (done.code, done.records[0]["key"]) == (0, "new-nav")


def test_wait_exits_with_findings_when_time_ends(signed_in: Run) -> None:
    done = signed_in("flags", "wait", "new-nav", "kill-search-v2", "--until", "off", "--wait", "0")
    assert (done.code, done.out) == (7, "")
    assert done.err == "flagtui: not off after 0 s: new-nav. Nothing was changed.\n"


@pytest.mark.parametrize(("keys", "code"), [(("new-nav",), 0), (("new-nav", "kill-search-v2"), 7)])
def test_exit_status_of_get_tests_whether_flags_are_on(
    signed_in: Run, keys: tuple[str, ...], code: int
) -> None:
    done = signed_in("flags", "get", *keys, "--exit-status", "--fields", "key")
    assert (done.code, done.out.split()) == (code, [*keys])


COSTLY = next(number for number, each in enumerate(EXPENSIVE) if each.pattern == "(a|aa)+$")
WORDS = "too costly to evaluate here: (a|aa)+$"


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    application = create_service(tmp_path_factory.mktemp("costly") / "service.db", key=KEY)
    asyncio.run(store_expensive(application, KEY))
    with reachable(application) as url:
        yield url
    close_service(application)


@pytest.fixture
def timed(run: Run, address: str) -> Run:
    """Runs one command, which must end within a second: of the processor, since other programs run too."""
    require_done(run("auth", "login", "--with-token", "--host", address, "--keep", "file", stdin=KEY + "\n"))

    def run_timed(*words: str, **more: bool) -> Done:
        start = process_time()
        done = run(*words, **more)
        assert process_time() - start < 1, words
        assert done.code == 0, done.err
        return done

    run_timed("flags", "list")
    return run_timed


def test_fifty_expensive_flags_are_right_or_named_as_costly(timed: Run) -> None:
    lines = timed("flags", "evaluate", "--for", "ada", "--ndjson").out.splitlines()
    records = {record["key"]: record for record in map(json.loads, lines)}
    for number, expensive in enumerate(EXPENSIVE):
        record = records[f"costly-{number}"]
        assert record["value"] in (None, expensive.is_match)
        assert (record["value"] is None) == ("too costly to evaluate here" in record["explanation"])
    for person in ("ada", f"eve p{COSTLY}={'a' * 80}!"):
        explained = timed("flags", "explain", f"costly-{COSTLY}", "--for", person, is_shown=True).out
        assert WORDS in " ".join(explained.split())
        shown = timed("flags", "evaluate", f"costly-{COSTLY}", "--for", person, "--json").out
        (record,) = json.loads(shown)["records"]
        assert (record["value"], record["explanation"]) == (None, WORDS)
