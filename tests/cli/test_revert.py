"""`flagtui revert`: the changes that `flagtui activity` lists, by any user, whatever the kind of record."""

import json
from pathlib import Path

import pytest
from tests.cli.conftest import Run, Service, run_at
from tests.doubles.faults import FAULTS
from tests.doubles.faulty_service import FaultyService, serve

from flagtui.api.client import Client
from flagtui.models.experiment import Experiment
from flagtui.models.flag import Flag


@pytest.fixture
def flag(request: pytest.FixtureRequest, service: Service) -> Flag:
    """A flag that another program has described and turned on."""
    key = f"reverted-{abs(hash(request.node.name))}"

    async def make(client: Client) -> Flag:
        made = await client.flags.create({"key": key, "active": False})
        await client.flags.update(made.id, {"name": "what it is for"})
        return await client.flags.update(made.id, {"active": True})

    return service.ask(make)


def now(service: Service, flag: Flag) -> Flag:
    return service.ask(lambda client: client.flags.get(flag.id))


def test_revert_restores_what_activity_lists(signed_in: Run, service: Service, flag: Flag) -> None:
    query = (f"flag:{flag.key}", "kind:switch", "--limit", "1")
    listed = json.loads(signed_in("activity", *query, "--json").out)["records"]
    assert [change["change"] for change in listed] == ["turned on"]
    planned = signed_in("revert", *query, "--dry-run", is_shown=True)
    assert (planned.code, now(service, flag).active) == (0, True), planned.err
    assert "Turn OFF" in planned.out
    done = signed_in("revert", *query, "--yes", "--json")
    assert (done.code, now(service, flag).active) == (0, False), done.err
    assert now(service, flag).name == "what it is for"
    [record] = json.loads(done.out)["records"]
    assert (record["key"], record["ending"]) == (flag.key, "saved")


def test_revert_without_a_query_changes_nothing(signed_in: Run) -> None:
    done = signed_in("revert", "--yes")
    assert (done.code, "no change is named; nothing was sent" in done.err) == (2, True)
    unmatched = signed_in("revert", "nothing-like-this", "--yes")
    words = "flagtui: no change in the activity matches; nothing was sent.\n"
    assert (unmatched.code, unmatched.err) == (3, words)


def test_several_changes_of_a_flag_are_reverted_newest_first(
    signed_in: Run, service: Service, flag: Flag
) -> None:
    query = (f"flag:{flag.key}", "--limit", "2")
    for number, words in ((2, "1 older change"), (3, "2 older changes")):
        planned = signed_in("revert", query[0], "--limit", str(number), "--dry-run")
        words = f"flagtui: {words} of the same records: planned once the newer ones are reverted.\n"
        assert planned.err == words
    limited = signed_in("revert", *query, "--yes", "--max-changes", "1")
    assert (limited.code, "2 changes would be reverted" in limited.err) == (3, True), limited.err
    done = signed_in("revert", *query, "--yes", is_shown=True)
    assert done.code == 0, done.err
    assert (now(service, flag).active, now(service, flag).name) == (False, "")


def test_dry_run_plans_the_newest_change_of_each_record(signed_in: Run, service: Service, flag: Flag) -> None:
    async def change(client: Client) -> None:
        other = await client.flags.create({"key": f"{flag.key}-b", "active": False})
        await client.flags.update(other.id, {"name": "newest of all"})

    service.ask(change)
    planned = signed_in("revert", f"flag:{flag.key}", "--dry-run", "--json")
    assert [plan["key"] for plan in json.loads(planned.out)["records"]] == [f"{flag.key}-b", flag.key]
    assert planned.err.startswith("flagtui: 3 older changes of the same records: ")


def test_reverts_of_several_kinds_are_one_change_set(
    signed_in: Run, service: Service, flag: Flag, tmp_path: Path
) -> None:
    async def change(client: Client) -> str:
        row = (await client.experiments.page({"limit": 2})).rows[1]
        name = f"Experiment of {flag.key}"
        await client.experiments.update(row.id, {"name": name, "description": "goes into a set"})
        await client.flags.update(flag.id, {"name": "goes into a set"})
        return name

    experiment, file = service.ask(change), tmp_path / "set.json"
    query = ("@", "1m", flag.key, "kind:description,experiment")
    kept = signed_in("revert", *query, "--dry-run", "--out", str(file), "--json")
    assert (kept.code, len(json.loads(kept.out)["records"])) == (0, 2), kept
    assert {change["key"] for change in json.loads(file.read_text())["changes"]} == {experiment, flag.key}


def test_revert_reaches_experiments_and_names_unlogged_changes(signed_in: Run, service: Service) -> None:
    async def change(client: Client) -> tuple[Experiment, str]:
        row = (await client.experiments.page({"limit": 1})).rows[0]
        event = (await client.event_definitions.page({"limit": 1})).rows[0]
        await client.event_definitions.update(event.id, {"description": "changed just now"})
        before = await client.experiments.get(row.id)
        await client.experiments.update(row.id, {"description": "reverted-text"})
        return before, event.name

    before, event = service.ask(change)
    done = signed_in("revert", "@", "1m", "kind:experiment,event", "--yes", "--json")
    endings = {record["key"]: record["ending"] for record in json.loads(done.out)["records"]}
    assert (endings[before.name], endings[event]) == ("saved", "skipped"), done.err
    assert "what it changed is not logged" in done.out
    fresh = service.ask(lambda client: client.experiments.get(before.id))
    assert (fresh.description or "") == (before.description or "")


def test_revert_names_the_fields_that_stay(signed_in: Run, service: Service, flag: Flag) -> None:
    async def change(client: Client) -> None:
        await client.flags.update(flag.id, {"name": "newer", "rollback_conditions": [{"threshold": 5}]})
        row = (await client.experiments.page({"limit": 1})).rows[0]
        planned = {"exposure_estimate_config": None, "minimum_detectable_effect": 7}
        body = {"description": "newer", "running_time_calculation": planned}
        await client.experiments.update(row.id, body)

    service.ask(change)
    words = "not reverted, since it cannot be set again: {}"
    for query, field in (
        ((f"flag:{flag.key}", "--limit", "1"), "rollback conditions"),
        (("@", "1m", "kind:experiment"), "running time calculation"),
    ):
        assert words.format(field) in signed_in("revert", *query, "--dry-run", is_shown=True).out
        done = signed_in("revert", *query, "--yes", is_shown=True)
        assert words.format(field) in done.out + done.err, done
    assert now(service, flag).name == "what it is for"


@pytest.mark.usefixtures("flag")
def test_failure_outranks_a_skipped_change_of_another_kind(
    run: Run, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def change(client: Client) -> None:
        row = (await client.experiments.page({"limit": 1})).rows[0]
        await client.experiments.update(row.id, {"description": "is not reverted"})

    service.ask(change)
    line = FaultyService(service.application)
    line.fail(FAULTS["redirect"], "PATCH .*/experiments/")
    with serve(line) as address:
        done = run_at(address, run, monkeypatch)("revert", "@", "1m", "--yes", "--json")
    endings = [record["ending"] for record in json.loads(done.out)["records"]]
    assert (done.code, {"skipped", "refused"} <= {*endings}) == (1, True), done.err


def test_more_changes_than_the_limit_are_reported(signed_in: Run, service: Service, flag: Flag) -> None:
    async def change(client: Client) -> None:
        for number in range(49):
            await client.flags.update(flag.id, {"name": f"name {number}"})

    service.ask(change)
    words = "flagtui: more than 50 changes match; the others stay. To revert more: --limit 500\n"
    for limit, is_reported in (("50", True), ("1", False), ("500", False)):
        planned = signed_in("revert", f"flag:{flag.key}", "--limit", limit, "--dry-run")
        assert planned.err.startswith(words) == is_reported
        listed = signed_in("activity", f"flag:{flag.key}", "--limit", limit)
        assert listed.err.startswith("flagtui: more than 50 changes match; ") == is_reported
