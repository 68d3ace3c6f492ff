"""`flagtui activity` and `flagtui revert`: how far back changes are listed, and that they are reverted."""

import json
from collections.abc import Sequence
from pathlib import Path

import httpx
import pytest
from tests.cli.conftest import Run, Service, require_done, run_at
from tests.doubles.faults import FAULTS
from tests.doubles.faulty_service import FaultyService, serve
from tests.doubles.servers import MakeClient, clock, make_client

from flagtui import local_time
from flagtui.api.client import Client
from flagtui.cli.plumbing.activity_selection import SEARCHED, select_changes
from flagtui.cli.plumbing.errors import Trouble
from flagtui.cli.plumbing.project_session import ProjectSession
from flagtui.cli.plumbing.record_history import read_changes
from flagtui.models.activity_rows import ChangeRow
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
    listed = signed_in("activity", *query, "--json").records
    assert [change["change"] for change in listed] == ["turned on"]
    planned = signed_in("revert", *query, "--dry-run", is_shown=True)
    assert (planned.code, now(service, flag).active) == (0, True), planned.err
    assert "Turn OFF" in planned.out
    done = signed_in("revert", *query, "--yes", "--json")
    assert (done.code, now(service, flag).active) == (0, False), done.err
    assert now(service, flag).name == "what it is for"
    [record] = done.records
    assert (record["key"], record["ending"]) == (flag.key, "saved")


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
    require_done(signed_in("revert", *query, "--yes", is_shown=True))
    assert (now(service, flag).active, now(service, flag).name) == (False, "")


def test_dry_run_plans_the_newest_change_of_each_record(signed_in: Run, service: Service, flag: Flag) -> None:
    async def change(client: Client) -> None:
        other = await client.flags.create({"key": f"{flag.key}-b", "active": False})
        await client.flags.update(other.id, {"name": "newest of all"})

    service.ask(change)
    planned = signed_in("revert", f"flag:{flag.key}", "--dry-run", "--json")
    assert [plan["key"] for plan in planned.records] == [f"{flag.key}-b", flag.key]
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
    assert (kept.code, len(kept.records)) == (0, 2), kept
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
    assert (done.endings[before.name], done.endings[event]) == ("saved", "skipped"), done.err
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
    endings = [record["ending"] for record in done.records]
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


__all__ = ["clock", "make_client"]
NEWEST = 1_774_742_340
"""2026-03-28 23:59 UTC."""
SEARCHED_TO = "flagtui: only the newest 5,000 changes were searched, those after 2026-03-25 12:39 UTC.\n"


def logged_change(id: str, name: str, **detail: object) -> dict[str, object]:
    return {"id": id, "activity": "updated", "item_id": "1", "detail": {"name": name, **detail}}


async def selected(client: Client, *words: str) -> Sequence[ChangeRow]:
    """The newest fifty changes that match."""
    session = ProjectSession(None, client)  # type: ignore[arg-type]  # no profile is asked for here
    return (await select_changes(session, words, 50))[0]


def page(request: httpx.Request) -> httpx.Response:
    """Answer with a page of a log that goes back a minute with each entry, and never ends."""
    limit, number = int(request.url.params["limit"]), int(request.url.params["page"])
    places = range((number - 1) * limit, number * limit)
    entries = [
        logged_change(f"e{place}", "nav" if place < SEARCHED else "old")
        | {"created_at": local_time.iso(NEWEST - place * local_time.MINUTE)}
        for place in places
    ]
    return httpx.Response(200, json={"results": entries, "total_count": 10**6, "next": "there"})


@pytest.mark.parametrize("number", ["NaN", "-Infinity", "1e999"])
async def test_invalid_number_hides_the_values_of_its_change_alone(
    number: str, make_client: MakeClient
) -> None:
    groups: dict[str, object] = {"groups": [{}]}
    sides: list[tuple[object, object]] = [(groups, {"x": "NUMBER"}), ({}, groups)]
    changes = [{"field": "filters", "before": before, "after": after} for before, after in sides]
    entries = [logged_change(f"e{place}", "nav", changes=[each]) for place, each in enumerate(changes)]
    text = json.dumps({"results": entries, "next": None}).replace('"NUMBER"', number)
    rows = await selected(make_client(lambda _request: httpx.Response(200, content=text)))
    values = [(change.before, change.after) for row in rows for change in row.entry.changes]
    assert values == [(None, None), ({}, groups)]


@pytest.mark.parametrize(
    ("words", "warning"),
    [(["old"], SEARCHED_TO), (["nav"], ""), (["old", "since:2026-03-27"], ""), ([], "")],
)
async def test_a_query_names_where_its_search_ended(
    words: list[str], warning: str, make_client: MakeClient, capsys: pytest.CaptureFixture[str]
) -> None:
    changes = await selected(make_client(page), *words)
    assert {change.key for change in changes} <= {"nav"}
    assert len(changes) == (0 if "old" in words else 50)
    assert capsys.readouterr().err == warning


@pytest.mark.parametrize("records", ["flags", "experiments"])
async def test_a_history_names_changes_beyond_its_limit(
    records: str, make_client: MakeClient, capsys: pytest.CaptureFixture[str]
) -> None:
    changes = await read_changes(getattr(make_client(page), records), [1, 2], 150)
    assert [change.entry.id for change in changes] == [f"e{place}" for place in range(150)] * 2
    line = "flagtui: more than 150 changes match; the others are not printed. To print more: --limit 1500\n"
    assert capsys.readouterr().err == 2 * line


def log_without_its_reader(request: httpx.Request) -> httpx.Response:
    """Answer with one change, and refuse to name the owner of the key."""
    if request.url.path.endswith("/@me/"):
        return httpx.Response(403, json={"type": "authentication_error", "detail": "Not you."})
    switch = {"field": "active", "before": True, "after": False}
    results = [logged_change("e1", "nav", changes=[switch])]
    return httpx.Response(200, json={"results": results, "total_count": 1, "next": None})


@pytest.mark.parametrize("word", ["by:me", "by:ada,me", "-by:me"])
async def test_changes_of_an_unknown_owner_are_refused(word: str, make_client: MakeClient) -> None:
    with pytest.raises(Trouble, match="by:me cannot be known with this key"):
        await selected(make_client(log_without_its_reader), word)


@pytest.mark.parametrize(("words", "count"), [(["turned", "off"], 1), (["turned on"], 0), (["nav"], 1)])
async def test_words_match_the_change_as_it_is_printed(
    words: list[str], count: int, make_client: MakeClient
) -> None:
    assert len(await selected(make_client(log_without_its_reader), *words)) == count


async def test_deletions_in_effect_match_and_unread_kinds_are_named(
    make_client: MakeClient, capsys: pytest.CaptureFixture[str]
) -> None:
    log = [
        {"id": f"e{place}", "activity": activity, "item_id": item, "detail": {"name": name}}
        for place, (activity, item, name) in enumerate(
            [("restored", "1", "back"), ("deleted", "2", "gone"), ("deleted", "1", "back")]
        )
    ]
    answer = {"results": log, "total_count": 3, "next": None}
    client = make_client(lambda _request: httpx.Response(200, json=answer))
    assert [change.key for change in await selected(client, "is:deleted")] == ["gone"]
    for words, is_named in (("kind:launched", True), ("-kind:event gone-too", False)):
        assert await selected(client, words) == []
        assert ("are listed around a moment only" in capsys.readouterr().err) is is_named
