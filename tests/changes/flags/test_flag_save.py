"""One approved plan, one request, a true report, and what an earlier run left open."""

import copy
from pathlib import Path
from typing import Any, Final

import pytest
from msgspec.structs import replace
from tests.changes.conftest import flag, make_plan, plan_change
from tests.changes.office import ENTRY, HERE, NOW, Office
from tests.changes.writing import Rooms, recover
from tests.doubles.expected import expect, require
from tests.doubles.flag_server import FlagServer, raw_flag
from tests.doubles.tables import table
from tests.doubles.targeting import group, variants

from flagtui.api import errors
from flagtui.changes.entry_kind import RecoveryVerdict
from flagtui.changes.flags.flag_context import Context
from flagtui.changes.flags.flag_entries import undo_of
from flagtui.changes.flags.flag_intent import Intent, set_all_rollouts, set_field, set_rollout, targeting
from flagtui.changes.flags.flag_plan import Plan
from flagtui.changes.flags.flag_save import NarrowWrite, narrow_write
from flagtui.changes.journal import Journal
from flagtui.changes.journal_entries import Signature
from flagtui.changes.proposal import NOT_KEPT, Outcome
from flagtui.changes.recovery import read_for_undo
from flagtui.changes.skipped import Blocked
from flagtui.changes.undo import why_not
from flagtui.models.flag import Flag
from flagtui.models.json_value import JSON


async def test_saved_toggle_is_off_on_server_and_closed_in_journal(office: Office) -> None:
    outcome = await office.change()
    assert outcome.is_saved
    assert outcome.record is not None
    assert (outcome.record.active, outcome.record.version, outcome.remarks) == (False, 13, ())
    assert (outcome.plan.verb.done, outcome.undo_words) == ("is off", "turn it on again")
    entry = office.journal.entries()[0]
    assert (entry.ending, entry.saved_version, entry.signature) == ("saved", 13, HERE)
    assert office.server.log == [("ada@acme.test", 812, {"active": False})]


async def test_a_version_gap_says_that_somebody_else_wrote_too(office: Office) -> None:
    office.ada.before_update = lambda: office.bob_writes(name="Bob's words")
    outcome = await office.change()
    assert outcome.is_saved
    assert outcome.remarks == (
        "saved; it was changed meanwhile, 1 time",
        "changed outside the plan: description: New checkout → Bob's words",
    )


RENAMED = set_field(812, "name", "New checkout", "Ada's words")


async def test_a_conflict_brings_both_sides(office: Office) -> None:
    office.ada.before_update = lambda: office.bob_writes(name="Bob's words")
    outcome = await office.change(RENAMED)
    assert outcome.ending == office.journal.entries()[0].ending == "conflicted"
    assert require(outcome.record).name == "Bob's words"
    (conflict,) = outcome.conflicts
    assert (conflict.seen, conflict.mine, conflict.theirs) == ("New checkout", "Ada's words", "Bob's words")
    assert outcome.reason == "bob@acme.test changed the same thing first"


async def test_conflict_without_a_change_is_a_refusal(office: Office) -> None:
    office.ada.faults = [errors.Conflict("409", facts=errors.ErrorFacts(detail="It is locked."))]
    outcome = await office.change(RENAMED)
    assert (outcome.ending, outcome.next, office.server.log) == ("refused", "try again", [])
    assert outcome.reason == "the server reports a conflict (409), but the flag is unchanged: It is locked"


async def test_a_conflict_over_our_own_success_delivered_twice_is_saved(office: Office) -> None:
    def deliver_before() -> None:
        sent = {"name": "Ada's words", "version": 12, "original_flag": {"name": "New checkout"}}
        office.server.apply("ada@acme.test", 812, {**sent})

    office.ada.before_update = deliver_before
    office.ada.faults = [errors.Conflict("The feature flag was updated by ada@acme.test.")]
    assert (await office.change(RENAMED)).is_saved


async def test_tags_which_the_server_cannot_compare_are_read_again_first(office: Office) -> None:
    plan = await office.plan(set_field(812, "tags", ["checkout"], ["checkout", "ada"]))
    office.server.stored[812]["tags"] = ["checkout", "bob"]
    assert (await office.save(plan)).ending == "conflicted"
    assert office.server.stored[812]["tags"] == ["checkout", "bob"]


@pytest.mark.parametrize(("name", "seen", "blank", "new"), [
    ("name", None, "", "Words"), ("tags", [], [], ["ada"]),
])  # fmt: skip
async def test_null_that_no_request_sets_is_an_empty_value(
    name: str, seen: JSON, blank: JSON, new: JSON, office: Office
) -> None:
    office.server.stored[812][name] = None
    outcome = await office.change(set_field(812, name, seen, new))
    assert (outcome.ending, outcome.plan.before) == ("saved", {name: blank})
    assert office.server.stored[812][name] == new


async def test_a_yes_that_changed_nothing_is_refused(office: Office) -> None:
    tags = set_field(812, "tags", ["checkout"], ["checkout", "ada"])
    for intent, next in (RENAMED, "an approval may be pending"), (tags, "may not have tagging"):
        office.ada.faults = ["ignore it"]
        outcome = await office.change(intent)
        assert (outcome.ending, outcome.reason) == ("refused", NOT_KEPT)
        assert next in outcome.next


def left_open(folder: Path, age: float = 600.0, **fields: Any) -> Journal:
    journal = Journal(folder, clock=lambda: NOW)
    journal.begin(replace(ENTRY, at=NOW - age, **fields))
    return journal


WORDS = {
    "applied": "checkout-v2: “turn off” was done at version ",
    "not applied": "“turn off” was not applied; it is unchanged at version ",
    "changed since": "could not confirm whether “turn off” was applied",
    "not known": "whether “turn off” was done is still not known",
}


@table("fields, age, verdict, ending", {
    "done": ({"active": False, "version": 13}, 600, "applied", "saved"),
    "done and more since": ({"active": False, "version": 15}, 600, "applied", "saved"),
    "untouched": ({"version": 12}, 600, "not applied", "failed"),
    "untouched, but it may still come": ({"version": 12}, 20, "not known", ""),
    "one other write": ({"name": "Bob's", "version": 13}, 600, "not applied", "failed"),
    "several writes, not as wanted": ({"version": 14}, 600, "changed since", ""),
})  # fmt: skip
async def test_the_record_tells_what_became_of_it(
    tmp_path: Path, fields: dict[str, JSON], age: float, verdict: RecoveryVerdict, ending: str
) -> None:
    journal, server = left_open(tmp_path, age), FlagServer(raw_flag(**fields))
    ada = server.person("ada@acme.test")
    (recovery,) = await recover(journal, HERE, flags=ada)
    assert recovery.verdict == verdict
    assert WORDS[verdict] in recovery.words
    assert journal.entries()[0].ending == ending
    assert (ada.sends, server.log) == (0, [])


async def test_change_that_waited_for_approval_is_saved_once_applied(tmp_path: Path) -> None:
    journal = left_open(tmp_path)
    journal.finish(ENTRY.id, "awaiting approval")
    server = FlagServer(raw_flag(version=12))
    client: Any = Rooms(flags=server.person("ada@acme.test"))
    (waiting,) = await read_for_undo(journal, client, HERE)
    assert expect(why_not(waiting, HERE), Blocked).reason.startswith("it waits for approval")
    # A change of another user, which left it waiting.
    server.apply("bob@acme.test", 812, {"name": "Bob's"})
    assert await recover(journal, HERE, flags=client.flags) == []
    server.apply("ada@acme.test", 812, {"active": False})
    (saved,) = await read_for_undo(journal, client, HERE)
    assert (saved.ending, saved.saved_version, why_not(saved, HERE)) == ("saved", 14, None)


async def test_gone_flags_and_replaced_payloads_have_their_verdict(tmp_path: Path) -> None:
    (recovery,) = await recover(left_open(tmp_path), HERE, flags=FlagServer().person("ada@acme.test"))
    assert recovery.verdict == "gone"
    before, after = ({"groups": [], "payloads": {"true": text}} for text in ('"hunter1"', '"hunter2"'))
    sides: dict[str, Any] = {"before": {"filters": before}, "after": {"filters": after}}
    journal = left_open(tmp_path / "secret", is_secret=True, **sides)
    ada = FlagServer(raw_flag(filters=after, version=13)).person("ada@acme.test")
    (recovery,) = await recover(journal, HERE, flags=ada)
    assert recovery.verdict == "changed since"


async def test_unread_records_and_other_projects_stay_open(tmp_path: Path) -> None:
    journal, ada = left_open(tmp_path), FlagServer(raw_flag()).person("ada@acme.test")
    assert await recover(journal, Signature(host=HERE.host, project="2"), flags=ada) == []
    assert ada.reads == 0
    ada.unreadable = 1
    (recovery,) = await recover(journal, HERE, flags=ada)
    assert (recovery.verdict, journal.entries()[0].is_open) == ("not known", True)


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
