"""Dependencies and cohorts of a condition: by name, with as few questions as that takes."""

import asyncio
from contextlib import suppress
from typing import Any

import httpx
import pytest
from tests.app.flags.paths import Paths
from tests.doubles.counted_calls import counted_calls
from tests.doubles.expected import require
from tests.doubles.log_entries import log_entry
from tests.doubles.servers import MakeClient
from tests.doubles.targeting import asks, asks_cohort, asks_flag, group

from flagtui.details.flag_names import CIRCULAR, MISSING, MISSING_BEYOND, names_about
from flagtui.details.local_definitions import LocalDefinitions, ProjectCohorts
from flagtui.details.subject_evaluations import definitions_of, with_cohort_names
from flagtui.evaluate.definitions import Definitions
from flagtui.evaluate.explanation import describe
from flagtui.evaluate.flags import evaluate
from flagtui.evaluate.run import Person
from flagtui.models.filters import Property
from flagtui.models.flag import Flag
from flagtui.models.flag_details import NO_NAMES, Names
from flagtui.text.flag_sentences import plain, who_sees_it
from flagtui.text.property_sentences import property_pieces

JSON = Any


def flag(id: int, *dependencies: tuple[int, JSON], active: bool = True) -> dict[str, JSON]:
    """A flag with a condition for each dependency; without any, for everyone."""
    groups = [group(100, asks_flag(str(other), value)) for other, value in dependencies] or [group(100)]
    return {"id": id, "key": f"flag-{id}", "active": active, "filters": {"groups": groups}}


def sentence(raw: dict[str, JSON], *others: dict[str, JSON], is_complete: bool = True) -> list[str]:
    here = Flag.of(raw)
    rows = [Flag.of(record).row() for record in (raw, *others)]
    names = names_about(here, NO_NAMES, rows, is_complete=is_complete)
    return [line.strip() for line in plain(who_sees_it(here.targeting, names)).splitlines()[1:]]


def value(raw: dict[str, JSON], *others: dict[str, JSON]) -> JSON:
    definitions = Definitions.of([raw, *others])
    return evaluate(raw["key"], Person("p", is_complete=True), definitions).value


OFF_9 = flag(9, active=False)


@pytest.mark.parametrize(("dependency", "others", "name", "problem", "serves"), [
    pytest.param(2, [flag(2)], "flag-2", "", True, id="present"),
    pytest.param(2, [flag(2, (9, True), active=False)], "flag-2", "", False, id="off, needs a missing"),
    pytest.param(2, [flag(2, (1, True), active=False)], "flag-2", "", False, id="off, circular"),
    pytest.param(9, [], "9", MISSING, None, id="missing"),
    pytest.param(9, [OFF_9], "flag-9", "", False, id="missing before it was listed"),
    pytest.param(2, [flag(2, (9, True))], "flag-2", MISSING_BEYOND, None, id="needs a missing"),
    pytest.param(2, [flag(2, (9, True)), OFF_9], "flag-2", "", False, id="needs one that is off"),
    pytest.param(1, [], "flag-1", CIRCULAR, None, id="itself"),
    pytest.param(2, [flag(2, (2, True))], "flag-2", CIRCULAR, None, id="one that needs itself"),
    pytest.param(2, [flag(2, (1, True))], "flag-2", CIRCULAR, None, id="back to the first"),
    pytest.param(
        2, [flag(2, (3, True)), flag(3, (4, True)), flag(4, (3, True))], "flag-2", CIRCULAR, None,
        id="circular further on",
    ),
])  # fmt: skip
@pytest.mark.parametrize("required_value", [True, False])
def test_dependency_is_named_and_evaluated(
    dependency: int, others: JSON, name: str, problem: str, serves: bool | None, required_value: bool
) -> None:
    raw = flag(1, (dependency, required_value))
    words = f"flag {name} is {'on' if required_value else 'off'}{f' ({problem})' if problem else ''}"
    assert sentence(raw, *others) == [words]
    assert value(raw, *others) is (required_value is serves)
    if problem:
        raw["filters"]["groups"].append({})
        assert value(raw, *others) is False, "whatever else the flag says"


def test_deleted_unloaded_and_chained_dependencies_are_named() -> None:
    raw = flag(1, (9, True))
    assert sentence(raw, {**flag(9), "deleted": True}) == [f"flag flag-9 is on ({MISSING})"]
    assert sentence(raw, is_complete=False) == ["flag 9 is on"]
    others = [flag(number, (number + 1, True)) for number in range(2, 1_500)]
    assert sentence(flag(1, (2, True)), *others, flag(1_500)) == ["flag flag-2 is on"]


def test_circles_among_hundreds_of_flags_take_linear_work() -> None:
    def work(count: int) -> int:
        raw = flag(1, *((other, True) for other in range(2, count)))
        asked_with = [flag(other, (1, True)) for other in range(2, count)]
        rows = [Flag.of(record).row() for record in (raw, *asked_with)]
        here = Flag.of(raw)
        return counted_calls(lambda: names_about(here, NO_NAMES, rows, is_complete=True))

    assert work(600) < 2.3 * work(300)


IN_31, EMAIL = asks_cohort(31), asks("email", "exact", "a")
PAYERS = {"31": {"type": "AND", "values": [EMAIL]}}


def filters(*properties: JSON) -> JSON:
    return {"groups": [group(100, *properties)]}


def project(status: int = 200, flags: JSON = None, **fields: JSON) -> Paths:
    """Lists one cohort, if the status lets it, and a flag that depends on it."""
    flags = flags or [{"id": 1, "key": "k", "active": True, "filters": filters(IN_31)}]
    page = {"next": None, "results": [{"id": 31, "name": "Payers"}]}
    definitions = {"flags": flags, "cohorts": PAYERS, "group_type_mapping": {"0": "company"}}
    return Paths(
        {
            "/local_evaluation/": definitions,
            "/api/projects/1/": (status, {"id": 1, **fields}),
            "": (status, page),
        }
    )


@pytest.mark.parametrize(("status", "names"), [(200, {31: "Payers"}), (403, {})])
async def test_names_are_asked_for_once_whatever_the_server_says(
    status: int, names: JSON, make_client: MakeClient
) -> None:
    server = project(status)
    cohorts = ProjectCohorts(make_client(server))
    for _ in range(2):
        await cohorts.learn()
    assert cohorts.names == names
    [request] = server.requests
    assert request.url.params["hide_behavioral_cohorts"] == "true"


async def test_a_question_that_was_given_up_is_asked_again(make_client: MakeClient) -> None:
    server, is_waiting = project(), asyncio.Event()

    async def wait(request: httpx.Request) -> httpx.Response:
        is_waiting.set()
        await asyncio.Event().wait()
        raise AssertionError

    page, server.answers[""] = server.answers[""], wait
    cohorts = ProjectCohorts(make_client(server))
    asking = asyncio.create_task(cohorts.learn())
    await is_waiting.wait()
    asking.cancel()
    with suppress(asyncio.CancelledError):
        await asking
    assert cohorts.names == {}
    server.answers[""] = page
    await cohorts.learn()
    assert cohorts.names == {31: "Payers"}


async def test_what_a_flag_says_of_its_cohorts_is_heard(make_client: MakeClient) -> None:
    cohorts = ProjectCohorts(make_client(project()))
    named = filters(IN_31 | {"cohort_name": "Payers"})
    cohorts.learn_names(Flag.of({"id": 1, "key": "k", "filters": named}))
    assert cohorts.names == {31: "Payers"}
    words = plain([property_pieces(Property.of(IN_31), Names(cohorts=cohorts.names))])
    assert words == "users in Payers"


@pytest.mark.parametrize("status", [200, 403])
async def test_log_requests_unnamed_cohorts_once(status: int, make_client: MakeClient) -> None:
    server = project(status)
    cohorts = ProjectCohorts(make_client(server))
    for before, is_learned in (
        ({}, False),
        (filters(EMAIL), False),
        (filters(IN_31), True),
        (filters(IN_31), False),
    ):
        assert await cohorts.learn_those_in([log_entry(filters=(before, {}))]) is is_learned
    assert len(server.requests) == 1


async def definitions_from(server: Paths, make_client: MakeClient, *newer: JSON) -> Definitions:
    client = make_client(server)
    return require(await definitions_of(LocalDefinitions(client, ProjectCohorts(client)), newer))


async def test_the_reason_of_a_flag_names_the_cohort(make_client: MakeClient) -> None:
    definitions = await definitions_from(project(), make_client)
    evaluation = evaluate("k", Person("p", {"email": "b"}, is_complete=True), definitions)
    assert "is in cohort Payers: no" in describe(evaluation)


async def test_flag_without_a_text_key_leaves_the_others(make_client: MakeClient) -> None:
    odd: JSON = [{"key": ["k"], "active": True, "filters": {}}, {"key": "on", "active": True}]
    newer = ({"key": {"a": 1}}, {"key": "new", "active": True})
    for flags, expected in ((odd, {"on", "new"}), (5, {"new"})):
        definitions = await definitions_from(project(flags=flags), make_client, *newer)
        assert expected <= set(definitions.flags)


def test_flags_without_cohorts_are_not_copied() -> None:
    plain_flag: dict[str, Any] = {"key": "k", "filters": filters(EMAIL)}
    assert with_cohort_names(plain_flag, {31: "Payers"}) is plain_flag
    asking: dict[str, Any] = {"key": "k", "filters": filters(IN_31, EMAIL)}
    named = with_cohort_names(asking, {31: "Payers"})
    assert named["filters"]["groups"][0]["properties"] == [IN_31 | {"cohort_name": "Payers"}, EMAIL]
    assert "cohort_name" not in asking["filters"]["groups"][0]["properties"][0]


@pytest.mark.parametrize(("status", "zone"), [(200, "America/New_York"), (403, "UTC")])
async def test_dates_use_the_project_time_zone_requested_once(
    status: int, zone: str, make_client: MakeClient
) -> None:
    since_may = filters(asks("joined", "is_date_after", "2026-05-01"))
    flag = {"id": 1, "key": "k", "active": True, "filters": since_may}
    server = project(status, [flag], timezone="America/New_York")
    client = make_client(server)
    local = LocalDefinitions(client, ProjectCohorts(client))
    for _ in range(2):
        assert require(await definitions_of(local)).time_zone == zone
    assert (server.counts["/api/projects/1/"], local.trouble) == (1, None)
