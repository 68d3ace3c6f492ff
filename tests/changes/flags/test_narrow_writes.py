"""Requests that change one narrow part of a flag: one share, everyone, tags by name."""

import copy
from pathlib import Path
from typing import Any, Final

import pytest
from tests.changes.conftest import flag, make_plan, plan_change
from tests.changes.office import Office
from tests.doubles.expected import expect
from tests.doubles.tables import table
from tests.doubles.targeting import group, variants

from flagtui.api import errors
from flagtui.changes.flags.flag_context import Context
from flagtui.changes.flags.flag_entries import undo_of
from flagtui.changes.flags.flag_intent import Intent, set_all_rollouts, set_field, set_rollout, targeting
from flagtui.changes.flags.flag_plan import Plan
from flagtui.changes.flags.narrow_writes import NarrowWrite, narrow_write
from flagtui.changes.proposal import Outcome
from flagtui.models.flag import Flag
from flagtui.models.json_value import JSON

TWO: Final[dict[str, JSON]] = {
    "groups": [group(10, {"key": "email", "type": "person", "value": "x"}), group(5, variant=None)],
    "payloads": {},
    "mystery": {"kept": 1},
}
SPLIT: Final[dict[str, JSON]] = {**TWO, "multivariate": variants(control=60, test=40)}
OPEN: Final[dict[str, JSON]] = {"properties": [], "rollout_percentage": 100}


def open_to(filters: dict[str, Any], **shares: float) -> dict[str, Any]:
    """The filters with everyone let in first, and these shares."""
    split = {"multivariate": variants(**shares)} if shares else {}
    return {**filters, **split, "groups": [OPEN, *filters["groups"]]}


def first_at(percent: float) -> list[JSON]:
    """The conditions with another share for the first."""
    return [{**TWO["groups"][0], "rollout_percentage": percent}, *TWO["groups"][1:]]


def narrow(fresh: Flag, intent: Intent) -> NarrowWrite | None:
    return narrow_write(make_plan(intent, fresh))


def narrow_filters(before: dict[str, Any], after: dict[str, Any]) -> NarrowWrite | None:
    fresh = flag(filters=before)
    return narrow(fresh, targeting(fresh, after))


def test_one_share_and_everyone_are_narrow_writes() -> None:
    fresh = flag(filters=TWO)
    for percent in (0, 12.5, 100):
        assert narrow(fresh, set_rollout(fresh, 1, percent)) == NarrowWrite(1, percent)
    bare = flag(filters={"groups": [{"properties": []}]})
    assert narrow(bare, set_rollout(bare, 0, 50)) == NarrowWrite(0, 50)
    assert narrow_filters(TWO, open_to(TWO)) == NarrowWrite()
    assert narrow_filters(SPLIT, open_to(SPLIT, control=0, test=100)) == NarrowWrite(variant="test")


WIDE: Final = flag(filters=SPLIT)


def change(**parts: JSON) -> Intent:
    """Replace these parts of the wide flag's filters."""
    return targeting(WIDE, {**SPLIT, **parts})


@table("fresh, intent", {
    "every share": (WIDE, set_all_rollouts(WIDE, 50)),
    "a share and a payload": (WIDE, change(groups=first_at(50), payloads={"test": "1"})),
    "everyone, and the split kept": (WIDE, change(**open_to(SPLIT, control=60, test=40))),
    "everyone last": (WIDE, change(groups=[*TWO["groups"], OPEN])),
    "a share taken away": (WIDE, change(groups=[TWO["groups"][0], {"properties": []}])),
    "a condition removed": (WIDE, change(groups=TWO["groups"][1:])),
    "another field": (WIDE, set_field(WIDE.id, "name", WIDE.name, "Better")),
    "everyone, who is let in already": (flag(filters=open_to(TWO)), targeting(flag(), open_to(open_to(TWO)))),
    "everyone, and early access": (flag(filters={**TWO, "feature_enrollment": True}),
                                   targeting(flag(), open_to({**TWO, "feature_enrollment": True}))),
})  # fmt: skip
def test_other_changes_are_sent_as_an_update(fresh: Flag, intent: Intent) -> None:
    assert narrow(fresh, intent) is None


@pytest.fixture
def newest(tmp_path: Path) -> Office:
    office = Office(tmp_path, filters=TWO)
    office.server.has_narrow_writes = True
    return office


async def set_share(office: Office, percent: float) -> Outcome:
    return await office.change(set_rollout(await office.ada.get(812), 0, percent))


def share(office: Office) -> JSON:
    return office.server.stored[812]["filters"]["groups"][0]["rollout_percentage"]


async def test_a_share_and_its_undo_carry_no_filters(newest: Office) -> None:
    saved = await set_share(newest, 50)
    assert (saved.ending, saved.remarks) == ("saved", ())
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


@pytest.mark.parametrize(("fault", "version"), [
    (None, 12), ("lose the answer", 12), (errors.Invalid("Not these."), 13),
])  # fmt: skip
async def test_tags_and_their_undo_keep_those_of_others(fault: Any, version: int, newest: Office) -> None:
    stored, tags = newest.server.stored[812], ["bob", "checkout"]
    newest.ada.faults = [fault] if fault else []
    plan = await newest.plan(set_field(812, "tags", ["checkout"], ["checkout", "ada"]))
    if version == 12:
        stored["tags"] = tags[:]
    saved = await newest.save(plan)
    assert (saved.ending, saved.remarks, stored["version"]) == ("saved", (), version)
    context = Context(now=newest.clock.time(), dependents=())
    [entry] = newest.journal.entries()
    undo = expect(plan_change(undo_of(entry), await newest.ada.get(812), context), Plan)
    stored["tags"] = [*tags, "ada"]
    assert (await newest.save(undo, undoes=entry.id)).is_saved
    assert stored["tags"] == tags


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
