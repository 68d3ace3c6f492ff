"""Details of one flag, and the few requests for them."""

from collections.abc import Callable, Mapping
from typing import Any

import httpx
import pytest
from tests.app.flags.paths import Paths
from tests.doubles.expected import require
from tests.doubles.servers import MakeClient

from flagtui.app.flags.flag_preview_lines import total_pieces, variant_bar
from flagtui.details.flag_inspector import COUNTED, FEW, Inspector
from flagtui.models.condition_queries import TOO_LONG
from flagtui.models.filters import Variant
from flagtui.models.flag import Flag
from flagtui.models.flag_details import CountedReach, FlagDetails
from flagtui.models.json_value import JSON
from flagtui.text.flag_sentences import plain

LONG_VALUE = {"key": "p", "type": "person", "operator": "exact", "value": ["x"] * 10_001}
OPTED_IN = {"feature_enrollment": True}
REFUSAL = 403, {"type": "authentication_error", "detail": "Not you."}


class Looking:
    """A flag on a server of its own, looked at by an inspector."""

    def __init__(self, make_client: MakeClient, raw: Mapping[str, Any], fails_after: int = 10_000) -> None:
        self.fails_after = fails_after
        self.server = Paths({
            "/user_blast_radius/": self._count,
            "/dependent_flags/": [],
            "/activity/": {"results": [{"activity": "created"}]},
            "/local_evaluation/": {"flags": [], "group_type_mapping": {"0": "company"}},
            "/7/": raw,
            "/status/": {"status": "active", "reason": "because"},
            "": {"count": 0, "next": None, "previous": None, "results": []},
        })  # fmt: skip
        self.inspector = Inspector(make_client(self.server))
        self.row = Flag.of(raw).row()

    def _count(self, request: httpx.Request) -> httpx.Response:
        if self.counted > self.fails_after:
            return httpx.Response(REFUSAL[0], json=REFUSAL[1])
        return httpx.Response(200, json={"affected": 300, "total": 1000})

    @property
    def counted(self) -> int:
        """How many conditions the server was asked to count."""
        return self.server.counts["/user_blast_radius/"]

    async def glance(self) -> list[FlagDetails]:
        """All that the pane beside the list shows, one after another."""
        return [details async for details in self.inspector.load(self.row)]

    async def open(self) -> list[FlagDetails]:
        return [details async for details in self.inspector.load_all(self.row)]


Look = Callable[..., Looking]


@pytest.fixture
def look(make_client: MakeClient) -> Look:
    return lambda raw, **how: Looking(make_client, raw, **how)


def reaches(shown: list[FlagDetails]) -> list[CountedReach]:
    """Every reach that is shown, one after another."""
    return [reach for reach in dict.fromkeys(details.reach for details in shown) if reach is not None]


def raw_flag(*groups: dict[str, Any], **filters: Any) -> dict[str, Any]:
    return {"id": 7, "key": "k", "active": True, "version": 3, "filters": {"groups": list(groups), **filters}}


def asks(number: int, share: JSON = 10) -> dict[str, Any]:
    item = {"key": f"p{number}", "type": "person", "operator": "is_set", "value": "is_set"}
    return {"properties": [item], "rollout_percentage": share}


async def test_same_properties_are_counted_once_also_at_a_glance(look: Look) -> None:
    (reach,) = reaches(await look(raw_flag(asks(1), asks(2))).glance())
    assert (reach.affected, reach.is_bound, reach.uncounted) == (60, True, 0)
    looking = look(raw_flag(*(asks(1, share) for share in range(1, 10))))
    assert len(reaches(await looking.open())[-1].parts) == 9
    assert looking.counted == 1


async def test_expired_details_are_read_again_and_shown_until_then(look: Look) -> None:
    looking = look(raw_flag(asks(1)))
    whole = (await looking.open())[-1]
    looking.server.answers["/dependent_flags/"] = [{"id": 8, "key": "later"}]
    assert await looking.open() == [whole]
    looking.inspector.expire([7])
    assert looking.inspector.cached_details(looking.row) == whole
    last = (await looking.open())[-1]
    assert last.dependents == ("later",)
    assert looking.inspector.cached_details(looking.row) == last
    looking.server.answers["/activity/"] = REFUSAL
    looking.inspector.expire([7])
    last = (await looking.open())[-1]
    assert last.changes == whole.changes != ()
    assert last.no_changes


async def test_many_conditions_are_counted_on_opening_with_progress(look: Look) -> None:
    looking = look(raw_flag(*map(asks, range(2 * FEW + 3))))
    (glance,) = reaches(await looking.glance())
    assert (glance.reason, looking.counted) == ("15 conditions, counted when it is opened", 0)
    counts = reaches(await looking.open())
    expected = ["6 of 15 conditions counted so far", "12 of 15 conditions counted so far"]
    assert [reach.reason for reach in counts[1:3]] == expected
    assert (counts[-1].affected, len(counts[-1].parts), counts[-1].uncounted) == (450, 15, 0)
    assert looking.counted == 15


async def test_a_refusal_midway_keeps_what_was_counted_and_says_why(look: Look) -> None:
    last = reaches(await look(raw_flag(*map(asks, range(10))), fails_after=FEW).open())[-1]
    assert (last.affected, len(last.parts), last.uncounted) == (None, FEW, 0)
    assert last.reason


@pytest.mark.parametrize(
    ("own", "level", "unit"),
    [({}, 0, "groups"), ({"aggregation_group_type_index": None}, 0, "users"), ({}, None, "users")],
    ids=["as the flag says", "for people all the same", "nothing said"],
)
async def test_a_condition_is_counted_for_what_it_is_about(
    own: Any, level: Any, unit: str, look: Look
) -> None:
    raw = raw_flag(asks(1) | own, aggregation_group_type_index=level)
    assert reaches(await look(raw).open())[-1].unit == unit


async def test_leaving_stops_the_counting(look: Look) -> None:
    looking = look(raw_flag(*map(asks, range(4 * FEW))))
    steps = looking.inspector.load_all(looking.row)
    async for details in steps:
        if details.reach is not None and details.reach.parts:
            break
    await steps.aclose()  # type: ignore[attr-defined]  # a generator, as leaving a worker closes it
    assert looking.counted == FEW


async def test_group_names_are_loaded_where_conditions_need_them(look: Look) -> None:
    about_group = {"key": "plan", "type": "group", "group_type_index": 0, "value": "pro"}
    for raw, names in (
        (raw_flag(asks(1), aggregation_group_type_index=0), {0: "company"}),
        (raw_flag(asks(1)), {}),
        (raw_flag({"properties": [about_group]}), {0: "company"}),
    ):
        looking = look(raw)
        await looking.glance()
        assert looking.inspector.definitions.names.groups == names


async def test_dependents_are_unknown_where_the_server_fails(look: Look) -> None:
    looking = look(raw_flag(asks(1)))
    looking.server.answers["/dependent_flags/"] = 500, {"detail": "A server error occurred."}
    details = (await looking.glance())[-1]
    assert details.dependents is None
    assert details.no_dependents


@pytest.mark.parametrize(("raw", "reason"), [
    ({"filters": {"version": 2, "rules": []}}, "not counted for rules"),
    (raw_flag(*map(asks, range(COUNTED + 1))), f"{COUNTED + 1:,} conditions are too many to count"),
    (raw_flag(asks(1), {**asks(2), "aggregation_group_type_index": 0}), "some conditions count groups"),
    (raw_flag({"properties": [LONG_VALUE], "rollout_percentage": 10}), TOO_LONG),
], ids=["rules", "many conditions", "groups and users", "a long condition"])  # fmt: skip
async def test_reach_that_cannot_be_counted_has_a_reason(raw: Any, reason: str, look: Look) -> None:
    (reach,) = reaches(await look({"id": 7, "key": "k", "active": True, "version": 3, **raw}).open())
    assert reach.reason.startswith(reason)


@pytest.mark.parametrize(("filters", "reason"), [
    ({}, "no one: it has no condition"),
    ({"groups": "text"}, "no one: its conditions cannot be read, groups is not a list"),
    ({"groups": [asks(1, "50")]}, "no one: condition 1 is malformed and ends the evaluation"),
    (OPTED_IN, "those who opted in to early access, not counted by the server"),
])  # fmt: skip
async def test_flag_without_conditions_names_its_reach_in_words(
    filters: dict[str, JSON], reason: str, look: Look
) -> None:
    reach = require((await look(raw_flag(**filters)).glance())[-1].reach)
    assert (reach.affected, reach.reason) == (None, reason)


@pytest.mark.parametrize(("share", "filters", "words"), [
    (10, {}, "about 30 of 1,000 users"),
    (10, OPTED_IN, "up to 30 of 1,000 users, plus those who opted in to early access"),
    (0, OPTED_IN, "0 of 1,000 users, plus those who opted in to early access"),
    (100, {"holdout": {"id": 3, "exclusion_percentage": 5}}, "up to 300 of 1,000 users"),
    (100, {"holdout": {"id": 3, "exclusion_percentage": 0}}, "300 of 1,000 users"),
])  # fmt: skip
async def test_reach_names_users_kept_from_the_conditions(
    share: float, filters: dict[str, JSON], words: str, look: Look
) -> None:
    reach = require((await look(raw_flag(asks(1, share), **filters)).glance())[-1].reach)
    assert plain([total_pieces(reach, "")]) == words
    words = plain([total_pieces(reach, "turned on")])
    assert words.startswith("no one · ")
    assert " of 1,000 users if turned on" in words


def test_variants_are_told_apart_without_colours() -> None:
    bars: dict[tuple[float, ...], str] = {
        (50, 50): "━━━━ ━━━━━",
        (30, 30, 40): "━━ ━━ ━━━━",
        **dict.fromkeys([(100, 0), (0, 100), (10, 90)], "━━━━━━━━━━"),
        (90, 10): "━━━━━━━━ ━",
        (0, 0): "",
    }
    for shares, drawn in bars.items():
        variants = tuple(Variant(f"v{place}", "", share) for place, share in enumerate(shares))
        pieces = [*variant_bar(variants, 10)]
        assert plain([pieces]) == drawn
        assert len({style for text, style in pieces if text}) == sum(share > 0 for share in shares)
