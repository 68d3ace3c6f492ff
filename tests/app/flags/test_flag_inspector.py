"""Details of one flag, and the few requests for them."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from typing import Any

import httpx
import pytest
from tests.doubles.expected import require
from tests.doubles.whole_program import HOST, KEY

from flagtui.api import Client
from flagtui.app.flags.flag_preview_lines import total_pieces, variant_bar
from flagtui.details.flag_inspector import COUNTED, FEW, Inspector
from flagtui.models.condition_queries import TOO_LONG
from flagtui.models.filters import Variant
from flagtui.models.flag import Flag
from flagtui.models.flag_details import CountedReach, FlagDetails
from flagtui.models.json_value import JSON

FITTING = 300
LONG_VALUE = {"key": "p", "type": "person", "operator": "exact", "value": ["x"] * 10_001}


class Counting(httpx.AsyncBaseTransport):
    """Answers what an inspector asks; keeps the bodies of what was counted."""

    def __init__(self, raw: Mapping[str, Any]) -> None:
        self.raw = raw
        self.counted: list[JSON] = []
        self.fails_after = 10_000
        self.dependents: tuple[int, JSON] = 200, []
        self.activity: tuple[int, JSON] = 200, {"results": [{"activity": "created"}]}

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        path = request.url.path
        if path.endswith("/user_blast_radius/"):
            self.counted.append(request.read())
            if len(self.counted) > self.fails_after:
                return httpx.Response(403, json={"type": "authentication_error", "detail": "Not you."})
            return httpx.Response(200, json={"affected": FITTING, "total": 1000})
        if path.endswith("/dependent_flags/"):
            status, body = self.dependents
            return httpx.Response(status, json=body)
        if path.endswith("/activity/"):
            status, body = self.activity
            return httpx.Response(status, json=body)
        if path.endswith("/local_evaluation/"):
            return httpx.Response(200, json={"flags": [], "group_type_mapping": {"0": "company"}})
        if path.endswith(f"/{self.raw['id']}/"):
            return httpx.Response(200, json=self.raw)
        if path.endswith("/status/"):
            return httpx.Response(200, json={"status": "active", "reason": "because"})
        return httpx.Response(200, json={"count": 0, "next": None, "previous": None, "results": []})


def raw_flag(*groups: dict[str, Any], **filters: Any) -> dict[str, Any]:
    return {"id": 7, "key": "k", "active": True, "version": 3, "filters": {"groups": list(groups), **filters}}


def asks(number: int, share: float = 10) -> dict[str, Any]:
    item = {"key": f"p{number}", "type": "person", "operator": "is_set", "value": "is_set"}
    return {"properties": [item], "rollout_percentage": share}


async def reaches(server: Counting, closer: bool = True) -> list[CountedReach]:
    """Every reach that is shown, one after another."""
    async with Client(HOST, KEY, 1, transport=server) as client:
        inspector = Inspector(client)
        row = Flag.of(server.raw).row()
        looking: AsyncIterator[FlagDetails] = inspector.load_all(row) if closer else inspector.load(row)
        shown_reaches = [details.reach async for details in looking]
        return [reach for reach in dict.fromkeys(shown_reaches) if reach is not None]


async def test_same_properties_are_counted_once_also_at_a_glance() -> None:
    (reach,) = await reaches(Counting(raw_flag(asks(1), asks(2))), closer=False)
    assert (reach.affected, reach.is_bound, reach.uncounted) == (60, True, 0)
    server = Counting(raw_flag(*(asks(1, share) for share in range(1, 10))))
    assert len((await reaches(server))[-1].parts) == 9
    assert len(server.counted) == 1


async def test_expired_details_are_read_again_and_shown_until_then() -> None:
    server = Counting(raw_flag(asks(1)))
    async with Client(HOST, KEY, 1, transport=server) as client:
        inspector, row = Inspector(client), Flag.of(server.raw).row()
        (*_, whole) = [details async for details in inspector.load_all(row)]
        server.dependents = 200, [{"id": 8, "key": "later"}]
        assert [details async for details in inspector.load_all(row)] == [whole]
        inspector.expire([row.id])
        assert inspector.cached_details(row) == whole
        (*_, last) = [details async for details in inspector.load_all(row)]
        assert last.dependents == ("later",)
        assert inspector.cached_details(row) == last
        server.activity = 403, {"type": "authentication_error", "detail": "Not you."}
        inspector.expire([row.id])
        (*_, last) = [details async for details in inspector.load_all(row)]
        assert last.changes == whole.changes != ()
        assert last.no_changes


async def test_many_conditions_are_counted_on_opening_with_progress() -> None:
    server = Counting(raw_flag(*(asks(number) for number in range(2 * FEW + 3))))
    (glance,) = await reaches(server, closer=False)
    assert glance.reason == "15 conditions, counted when it is opened"
    assert server.counted == []
    counts = await reaches(server)
    expected = ["6 of 15 conditions counted so far", "12 of 15 conditions counted so far"]
    assert [reach.reason for reach in counts[1:3]] == expected
    assert (counts[-1].affected, len(counts[-1].parts), counts[-1].uncounted) == (450, 15, 0)
    assert len(server.counted) == 15


async def test_a_refusal_midway_keeps_what_was_counted_and_says_why() -> None:
    server = Counting(raw_flag(*(asks(number) for number in range(10))))
    server.fails_after = FEW
    last = (await reaches(server))[-1]
    assert (last.affected, len(last.parts), last.uncounted) == (None, FEW, 0)
    assert last.reason


@pytest.mark.parametrize(
    ("own", "level", "unit"),
    [({}, 0, "groups"), ({"aggregation_group_type_index": None}, 0, "users"), ({}, None, "users")],
    ids=["as the flag says", "for people all the same", "nothing said"],
)
async def test_a_condition_is_counted_for_what_it_is_about(own: Any, level: Any, unit: str) -> None:
    server = Counting(raw_flag(asks(1) | own, aggregation_group_type_index=level))
    assert (await reaches(server))[-1].unit == unit


def test_leaving_stops_the_counting() -> None:
    async def leave_midway() -> int:
        server = Counting(raw_flag(*(asks(number) for number in range(4 * FEW))))
        async with Client(HOST, KEY, 1, transport=server) as client:
            looking = Inspector(client).load_all(Flag.of(server.raw).row())
            async for details in looking:
                if details.reach is not None and details.reach.parts:
                    break
            await looking.aclose()  # type: ignore[attr-defined]  # a generator, as leaving a worker closes it
        return len(server.counted)

    assert asyncio.run(leave_midway()) == FEW


async def looked_at(server: Counting) -> FlagDetails:
    """The last that the pane beside the list shows."""
    async with Client(HOST, KEY, 1, transport=server) as client:
        return [details async for details in Inspector(client).load(Flag.of(server.raw).row())][-1]


async def test_group_names_are_loaded_where_conditions_need_them() -> None:
    async def groups_after(server: Counting) -> Mapping[int, str]:
        async with Client(HOST, KEY, 1, transport=server) as client:
            inspector = Inspector(client)
            assert [details async for details in inspector.load(Flag.of(server.raw).row())]
            return inspector.definitions.names.groups

    assert await groups_after(Counting(raw_flag(asks(1), aggregation_group_type_index=0))) == {0: "company"}
    assert not await groups_after(Counting(raw_flag(asks(1))))
    properties = [{"key": "plan", "type": "group", "group_type_index": 0, "value": "pro"}]
    assert await groups_after(Counting(raw_flag({"properties": properties}))) == {0: "company"}


async def test_dependents_are_unknown_where_the_server_fails() -> None:
    server = Counting(raw_flag(asks(1)))
    server.dependents = 500, {"detail": "A server error occurred."}
    details = await looked_at(server)
    assert details.dependents is None
    assert details.no_dependents


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        ({"filters": {"version": 2, "rules": []}}, "not counted for rules"),
        (raw_flag(*map(asks, range(COUNTED + 1))), f"{COUNTED + 1:,} conditions are too many to count"),
        (raw_flag(asks(1), {**asks(2), "aggregation_group_type_index": 0}), "some conditions count groups"),
        (raw_flag({"properties": [LONG_VALUE], "rollout_percentage": 10}), TOO_LONG),
    ],
    ids=["rules", "many conditions", "groups and users", "a long condition"],
)
async def test_reach_that_cannot_be_counted_has_a_reason(raw: dict[str, Any], reason: str) -> None:
    (reach,) = await reaches(Counting({"id": 7, "key": "k", "active": True, "version": 3, **raw}))
    assert reach.reason.startswith(reason)


@pytest.mark.parametrize(
    ("filters", "reason"),
    [
        ({}, "no one: it has no condition"),
        ({"groups": "text"}, "no one: its conditions cannot be read, groups is not a list"),
        (
            {"groups": [{"rollout_percentage": "50"}]},
            "no one: condition 1 is malformed and ends the evaluation",
        ),
        ({"feature_enrollment": True}, "those who opted in to early access, not counted by the server"),
    ],
)
async def test_flag_without_conditions_names_its_reach_in_words(
    filters: dict[str, JSON], reason: str
) -> None:
    reach = require((await looked_at(Counting(raw_flag(**filters)))).reach)
    assert (reach.affected, reach.reason) == (None, reason)


@pytest.mark.parametrize(
    ("share", "filters", "words"),
    [
        (10, {}, "about 30 of 1,000 users"),
        (
            10,
            {"feature_enrollment": True},
            "up to 30 of 1,000 users, plus those who opted in to early access",
        ),
        (0, {"feature_enrollment": True}, "0 of 1,000 users, plus those who opted in to early access"),
        (100, {"holdout": {"id": 3, "exclusion_percentage": 5}}, "up to 300 of 1,000 users"),
        (100, {"holdout": {"id": 3, "exclusion_percentage": 0}}, "300 of 1,000 users"),
    ],
)
async def test_reach_names_users_kept_from_the_conditions(share: float, filters: JSON, words: str) -> None:
    reach = require((await looked_at(Counting(raw_flag(asks(1, share), **filters)))).reach)
    assert "".join(text for text, _ in total_pieces(reach, "")) == words
    words = "".join(text for text, _ in total_pieces(reach, "turned on"))
    assert words.startswith("no one · ")
    assert " of 1,000 users if turned on" in words


@pytest.mark.parametrize(
    ("shares", "drawn"),
    [
        ((50, 50), "━━━━ ━━━━━"),
        ((30, 30, 40), "━━ ━━ ━━━━"),
        ((100, 0), "━━━━━━━━━━"),
        ((0, 100), "━━━━━━━━━━"),
        ((90, 10), "━━━━━━━━ ━"),
        ((10, 90), "━━━━━━━━━━"),
        ((0, 0), ""),
    ],
)
def test_variants_are_told_apart_without_colours(shares: tuple[float, ...], drawn: str) -> None:
    variants = tuple(Variant(f"v{place}", "", share) for place, share in enumerate(shares))
    pieces = list(variant_bar(variants, 10))
    assert "".join(text for text, _ in pieces) == drawn
    assert len({style for text, style in pieces if text}) == sum(share > 0 for share in shares)
