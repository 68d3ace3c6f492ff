"""One approved plan, one request, a true report, and what an earlier run left open."""

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from tests.changes.office import ENTRY, HERE, NOW, Office
from tests.changes.writing import Rooms, recover
from tests.doubles.expected import expect, require
from tests.doubles.flag_server import FlagServer, raw_flag
from tests.doubles.tables import table

from flagtui.api import errors
from flagtui.changes.entry_kind import RecoveryVerdict
from flagtui.changes.flags.flag_intent import set_field
from flagtui.changes.journal import Journal
from flagtui.changes.journal_entries import Signature
from flagtui.changes.proposal import NOT_KEPT
from flagtui.changes.recovery import read_for_undo
from flagtui.changes.skipped import Blocked
from flagtui.changes.undo import why_not
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
    "tags by name": ({"tags": ["ada", "bob"], "version": 12}, 600, "applied", "saved"),
    "done and more since": ({"active": False, "version": 15}, 600, "applied", "saved"),
    "untouched": ({"version": 12}, 600, "not applied", "failed"),
    "untouched, but it may still come": ({"version": 12}, 20, "not known", ""),
    "one other write": ({"name": "Bob's", "version": 13}, 600, "not applied", "failed"),
    "several writes, not as wanted": ({"version": 14}, 600, "changed since", ""),
})  # fmt: skip
async def test_the_record_tells_what_became_of_it(
    tmp_path: Path, fields: dict[str, JSON], age: float, verdict: RecoveryVerdict, ending: str
) -> None:
    tags = {"before": {"tags": []}, "after": {"tags": ["ada"]}} if "tags" in fields else {}
    journal, server = left_open(tmp_path, age, **tags), FlagServer(raw_flag(**fields))
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
