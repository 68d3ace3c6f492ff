from itertools import product
from typing import Any

import pytest
from tests.store.conftest import ADA, DAY, NOW

from flagtui.models.rows import EventDefinitionRow, ExperimentRow
from flagtui.store.event_listing import EVENT_LISTING, EVENTS
from flagtui.store.experiment_listing import EXPERIMENT_LISTING, EXPERIMENT_ORDERS, EXPERIMENTS
from flagtui.store.finder import Finder
from flagtui.store.flag_listing import FLAGS
from flagtui.store.inbox import Inbox
from flagtui.store.query.language import read_line
from flagtui.store.query.line_edits import complete, cycle, describe
from flagtui.store.query.vocabulary import Vocabulary
from flagtui.store.sort_orders import Sort

EXPERIMENT_ROWS = [
    ExperimentRow(1, "Checkout redesign", status="running", started_at=NOW - 12 * DAY, creator_id=7),
    ExperimentRow(2, "Pricing page", key="pricing", status="exposure_frozen", creator="bob@acme.test"),
    ExperimentRow(3, "Old checkout", key="old", status="stopped", conclusion="won", ended_at=NOW - DAY),
    ExperimentRow(4, "Idea", status="draft", type="web", updated_at=NOW),
    ExperimentRow(5, "Halted", status="paused"),
    ExperimentRow(6, "Shelved", status="stopped", archived=True),
]
EVENT_ROWS = [
    EventDefinitionRow("a", "checkout_started", "Begins", ("web",), verified=True, seen_at=NOW, owner_id=7),
    EventDefinitionRow("b", "checkout_done", "  ", seen_at=NOW - 31 * DAY, owner="bob@acme.test"),
    EventDefinitionRow("c", "$pageview", hidden=True, created_at=NOW - 400 * DAY),
    EventDefinitionRow("d", "new", "Never came"),
]


@pytest.mark.parametrize(("line", "expected"), [
    ("", [1, 2, 3, 4, 5]), ("checkout", [1, 3]),
    ("is:running", [1, 2]), ("is:draft,paused,frozen", [2, 4, 5]), ("-is:stopped", [1, 2, 4, 5]),
    ("-is:ended", [1, 2, 4, 5]),
    ("is:archived", [6]),
    ("flag:pric", [2]), ("flag:/^(old|pricing)$/", [2, 3]),
    ("by:bob", [2]), ("by:me", [1]),
    ("result:won", [3]), ("result:none is:running", [1, 2]),
    ("type:web", [4]),
    ("started:>7d", [1]),
    ("ended:<7d", [3]),
    ("started:never", [2, 3, 4, 5]),
    ("updated:<1h", [4]),
    ("id:1,6", [1]),
    ("is:on", [1, 2, 3, 4, 5]),
])  # fmt: skip
def test_a_line_finds_the_experiments_it_asks_for(line: str, expected: list[int]) -> None:
    finder = Finder(EXPERIMENT_ROWS, listing=EXPERIMENT_LISTING, sort=Sort("name"), clock=lambda: NOW)
    finder.set_user(ADA)
    assert sorted(finder.rows[index].id for index in finder.find(line)) == expected
    assert bool(finder.query.problems) is (line == "is:on")


@pytest.mark.parametrize(("line", "expected"), [
    ("", "abcd"), ("check start", "a"),
    ("is:verified", "a"), ("is:unverified", "bcd"), ("is:hidden", "c"), ("is:stale", "b"),
    ("-is:stale", "acd"), ("is:stale,hidden", "bc"), ("is:undescribed", "bc"),
    ("kind:custom", "abd"), ("kind:posthog", "c"),
    ("owner:me", "a"), ("owner:bob", "b"),
    ("tag:we", "a"),
    ("seen:never", "cd"), ("seen:<7d", "a"),
    ("created:>1y", "c"),
    ("name:/_(started|done)$/", "ab"),
    ("begins", ""),
    ("by:me", "abcd"),
])  # fmt: skip
def test_a_line_finds_the_events_it_asks_for(line: str, expected: str) -> None:
    finder = Finder(EVENT_ROWS, listing=EVENT_LISTING, sort=Sort("name"), clock=lambda: NOW)
    finder.set_user(ADA)
    assert "".join(sorted(finder.rows[index].id for index in finder.find(line))) == expected
    assert bool(finder.query.problems) is (line == "by:me")


@pytest.mark.parametrize("line", ["is:unverified", "is:undescribed", "seen:never", "is:stale"])
def test_what_a_server_does_not_send_matches_no_state(line: str) -> None:
    bare = EventDefinitionRow("a", "paid", not_sent=("description", "verified", "last_seen_at"))
    finder = Finder([bare], listing=EVENT_LISTING, sort=Sort("name"), clock=lambda: NOW)
    assert ([*finder.find(line)], Inbox([bare], NOW).cases) == ([], [])


def test_keys_and_chips_are_those_of_their_list() -> None:
    for line, following in (("new", "new is:draft"), ("is:stopped", "is:archived"), ("is:archived", "")):
        assert cycle(line, "is", EXPERIMENTS) == following
    assert cycle("", "result", EXPERIMENTS) == "result:won"
    assert cycle("", "kind", EVENTS) == "kind:custom"
    assert complete("is:un", 5, {}, EVENTS) == ["is:unverified", "is:undescribed"]
    assert [chip.label for chip in describe(read_line("is:draft", EXPERIMENTS))] == ["state", "type"]
    assert [chip.label for chip in describe(read_line("", EVENTS))] == ["state", "kind"]


@pytest.mark.parametrize(
    ("order", "first"), [("name", 1), ("state", 1), ("started", 1), ("ended", 3), ("updated", 4)]
)
def test_experiments_have_their_own_orders(order: str, first: int) -> None:
    finder = Finder(EXPERIMENT_ROWS, listing=EXPERIMENT_LISTING, sort=Sort(order))
    assert finder.rows[finder.find("")[0]].id == first


def test_experiments_that_run_come_first_and_deleted_ones_last() -> None:
    states = ("running", "paused", "draft", "stopped", "unheard-of")
    rows = [ExperimentRow(9, "deleted", deleted=True), ExperimentRow(8, "archived", archived=True)]
    rows += [ExperimentRow(number, state, status=state) for number, state in enumerate(reversed(states))]
    ranked = sorted(rows, key=lambda row: EXPERIMENT_ORDERS["state"].rank(row, is_reversed=False))
    assert [row.name for row in ranked] == [*states, "archived", "deleted"]


@pytest.mark.parametrize(("order", "last"), [("name", "d"), ("seen", "d"), ("verified", "d")])
def test_events_have_their_own_orders(order: str, last: str) -> None:
    finder = Finder(EVENT_ROWS, listing=EVENT_LISTING, sort=Sort(order))
    assert finder.rows[finder.find("")[-1]].id == last


@pytest.mark.parametrize(
    ("vocabulary", "line"),
    [*product([EXPERIMENTS], ['flag:""', "flag:"]), *product([FLAGS], ["refs:many", "refs:-1", "refs:>"])],
)
def test_value_of_another_form_is_a_problem(vocabulary: Vocabulary[Any], line: str) -> None:
    (problem,) = read_line(line, vocabulary).problems
    assert (problem.start, problem.end) == (0, len(line))
