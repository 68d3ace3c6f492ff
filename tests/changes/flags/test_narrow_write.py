"""Which changes go without `filters`, and what happens where a server does not take them so."""

import copy
from pathlib import Path
from typing import Any, Final

import pytest
from tests.changes.conftest import flag, make_plan, plan_change
from tests.changes.office import Office
from tests.changes.writing import edit_draft
from tests.doubles.expected import expect
from tests.doubles.targeting import group

from flagtui.api import errors
from flagtui.changes.flags import flag_intent
from flagtui.changes.flags.flag_context import Context
from flagtui.changes.flags.flag_entries import undo_of
from flagtui.changes.flags.flag_intent import Intent
from flagtui.changes.flags.flag_plan import Plan
from flagtui.changes.flags.flag_save import NarrowWrite, narrow_write
from flagtui.changes.proposal import Outcome
from flagtui.models.flag import Flag
from flagtui.models.json_value import JSON

TWO: Final[dict[str, JSON]] = {
    "groups": [group(10, {"key": "email", "type": "person", "value": "x"}), group(5, variant=None)],
    "payloads": {},
    "mystery": {"kept": 1},
}
SPLIT: Final[dict[str, JSON]] = {
    **TWO,
    "multivariate": {
        "variants": [
            {"key": "control", "rollout_percentage": 60, "name": "Control"},
            {"key": "test", "rollout_percentage": 40},
        ]
    },
}
OPEN: Final[dict[str, JSON]] = {"properties": [], "rollout_percentage": 100}


def change_filters(flag: Flag, **parts: JSON) -> Intent:
    return flag_intent.targeting(flag, {**flag.filters, **parts})


def open_to(filters: dict[str, Any], **shares: float) -> dict[str, Any]:
    targeting = copy.deepcopy(filters)
    targeting["groups"].insert(0, dict(OPEN))
    for variant in targeting.get("multivariate", {}).get("variants", ()):
        variant["rollout_percentage"] = shares[variant["key"]]
    return targeting


def first_at(percent: float) -> list[JSON]:
    """The conditions with another share for the first."""
    return [{**TWO["groups"][0], "rollout_percentage": percent}, *TWO["groups"][1:]]


@pytest.mark.parametrize("percent", [0, 12.5, 100])
def test_one_share_is_a_narrow_write(percent: float) -> None:
    fresh = flag(filters=TWO)
    assert narrow_write(make_plan(flag_intent.set_rollout(fresh, 1, percent), fresh)) == NarrowWrite(
        1, percent
    )


def test_first_share_and_everyone_are_narrow_writes() -> None:
    fresh = flag(filters={"groups": [{"properties": []}]})
    assert narrow_write(make_plan(flag_intent.set_rollout(fresh, 0, 50), fresh)) == NarrowWrite(0, 50)
    fresh = flag(filters=TWO)
    assert narrow_write(make_plan(change_filters(fresh, **open_to(TWO)), fresh)) == NarrowWrite()
    fresh = flag(filters=SPLIT)
    filters = open_to(SPLIT, control=0, test=100)
    assert narrow_write(make_plan(change_filters(fresh, **filters), fresh)) == NarrowWrite(variant="test")


def test_what_is_more_than_one_thing_is_none() -> None:
    fresh = flag(filters=SPLIT)
    at_once = {
        "every share": flag_intent.set_all_rollouts(fresh, 50),
        "a share and a payload": change_filters(
            fresh,
            groups=[{**TWO["groups"][0], "rollout_percentage": 50}, TWO["groups"][1]],
            payloads={"test": "1"},
        ),
        "everyone, and the split kept": change_filters(fresh, **open_to(SPLIT, control=60, test=40)),
        "everyone last": edit_draft(fresh, lambda copy: copy.change("filters", "groups").append(dict(OPEN))),
        "a share taken away": change_filters(fresh, groups=[TWO["groups"][0], {"properties": []}]),
        "a condition removed": edit_draft(fresh, lambda copy: copy.remove_condition(0)),
        "another field": flag_intent.set_field(fresh.id, "name", fresh.name, "Better"),
    }
    assert {words for words, intent in at_once.items() if narrow_write(make_plan(intent, fresh))} == set()


@pytest.mark.parametrize("fields", [
    {"filters": {**TWO, "groups": [OPEN, *TWO["groups"]]}},
    {"filters": {**TWO, "feature_enrollment": True}},
])  # fmt: skip
def test_narrow_write_is_unused_where_the_server_would_differ(fields: dict[str, Any]) -> None:
    fresh = flag(**fields)
    filters = {**fresh.filters, "groups": [OPEN, *fresh.filters["groups"]]}
    assert narrow_write(make_plan(flag_intent.targeting(fresh, filters), fresh)) is None


@pytest.fixture
def newest(tmp_path: Path) -> Office:
    office = Office(tmp_path, filters=TWO)
    office.server.has_narrow_writes = True
    return office


async def set_share(office: Office, percent: float) -> Outcome:
    return await office.change(flag_intent.set_rollout(await office.ada.get(812), 0, percent))


def share(office: Office) -> JSON:
    return office.server.stored[812]["filters"]["groups"][0]["rollout_percentage"]


async def test_a_share_and_its_undo_carry_no_filters(newest: Office) -> None:
    saved = await set_share(newest, 50)
    assert saved.is_saved
    assert saved.remarks == ()
    context = Context(now=newest.clock.time(), dependents=())
    [entry] = newest.journal.entries()
    undo = expect(plan_change(undo_of(entry), await newest.ada.get(812), context), Plan)
    await newest.save(undo, undoes=entry.id)
    assert share(newest) == 10
    assert (newest.ada.sends, newest.ada.sent_filters) == (2, 0)


async def test_missing_endpoint_falls_back_to_update_silently(office: Office) -> None:
    office.server.stored[812]["filters"] = copy.deepcopy(TWO)
    assert (await set_share(office, 50)).is_saved
    assert (share(office), office.ada.sends, office.ada.sent_filters) == (50, 1, 1)
    assert office.notices == []


async def test_fractions_use_an_update_where_servers_take_whole_shares(newest: Office) -> None:
    facts = errors.ErrorFacts(status=400, attr="rollout_percentage", detail="A valid integer is required.")
    newest.ada.faults = [errors.Invalid("A valid integer is required.", facts=facts)]
    assert (await set_share(newest, 12.5)).is_saved
    assert (share(newest), newest.ada.sent_filters) == (12.5, 1)


async def test_another_refusal_stands(newest: Office) -> None:
    newest.ada.faults = [errors.Invalid("It has 1.")]
    assert (await set_share(newest, 50)).ending == "refused"
    assert (share(newest), newest.ada.sent_filters) == (10, 0)


async def test_whoever_comes_second_is_given_both_sides(newest: Office) -> None:
    newest.ada.before_update = lambda: newest.bob_writes(filters={**TWO, "groups": first_at(30)})
    lost = await set_share(newest, 50)
    assert lost.ending == "conflicted"
    [conflict] = lost.conflicts
    sides = [side["rollout_percentage"] for side in (conflict.seen, conflict.mine, conflict.theirs)]
    assert (share(newest), sides) == (30, [10, 50, 30])
