"""`flagtui undo`: through the pipeline of changes, with both sides where the record was changed since."""

import asyncio
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.exceptions import Abort, Exit
from msgspec.structs import replace
from tests.changes.flags.test_flag_undo import NO_DEPENDENTS
from tests.cli.conftest import Run, Scripted, Service, require_done
from tests.doubles.expected import expect
from tests.doubles.flag_server import raw_flag

from flagtui.api.client import Client
from flagtui.changes.flags.flag_intent import Intent
from flagtui.changes.flags.flag_plan import Plan, plan_flag
from flagtui.changes.guard import Approved, Confirmation, GuardRules, Level, NotYet, Question, guard
from flagtui.changes.journal import Journal
from flagtui.changes.journal_entries import Entry, Signature
from flagtui.changes.planner import Planned
from flagtui.cli.plumbing.change_records import ChangeResult
from flagtui.cli.plumbing.change_report import STOPPED, ChangeReport
from flagtui.cli.plumbing.confirmation import ask_person
from flagtui.cli.plumbing.output.printer import Printer
from flagtui.models.flag import Flag


@dataclass(frozen=True)
class Machine:
    """A machine with a journal and a flag that was turned off from here."""

    service: Service
    journal: Journal
    key: str

    def flag(self) -> Flag:
        async def read(client: Client) -> Flag:
            page = await client.flags.page({"search": self.key})
            return await client.flags.get(next(row.id for row in page.rows if row.key == self.key))

        return self.service.ask(read)

    def turn_off(self, id: str, batch: str = "") -> None:
        """A change of ours, in the journal and on the server."""
        before = self.flag()
        here = Signature("ada@acme.test", "x", self.service.ask(host), "1")
        sides: dict[str, Any] = {"before": {"active": True}, "after": {"active": False}}
        at = self.journal.clock()
        self.journal.begin(
            Entry(id, at, before.id, self.key, "turn off", here, version=before.version, batch=batch, **sides)
        )
        self.journal.finish(id, "saved", self.change(active=False))

    def change(self, **values: bool) -> Flag:
        id = self.flag().id
        return self.service.ask(lambda client: client.flags.update(id, values))


async def host(client: Client) -> str:
    return str(client.host)


@pytest.fixture
def machine(request: pytest.FixtureRequest, service: Service, home: Path) -> Machine:
    key = f"undo-{abs(hash(request.node.name))}"
    machine = Machine(service, Journal(home / ".local" / "state" / "flagtui" / "journal"), key)
    service.ask(lambda client: client.flags.create({"key": key, "active": True}))
    return machine


def test_last_change_is_undone_once_and_by_its_id(
    signed_in: Run, machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    machine.turn_off("aaaa1111")
    refused = signed_in("undo")
    assert (refused.code, machine.flag().active) == (3, False)
    assert "nothing was sent. To agree: --yes" in refused.err
    done = require_done(signed_in("undo", "--yes", is_shown=True))
    for words in (f"Undo: turn {machine.key} on again", "off → on", f"{machine.key} is on"):
        assert words in done.out
    assert machine.flag().active is True
    newest = machine.journal.entries()[0]
    assert newest.undoes == "aaaa1111"
    lines = signed_in("journal", is_shown=True).out.splitlines()
    assert [line for line in lines if line.startswith(newest.id[:8]) and line.endswith("undoes aaaa1111")]
    assert [line for line in lines if line.startswith("aaaa1111") and line.endswith(", undone")]
    again = signed_in("undo", "aaaa", "--yes")
    assert (again.code, "already undone" in again.err) == (3, True)
    assert signed_in("undo", newest.id[:8], "--yes", "--json").endings == {machine.key: "saved"}
    assert machine.flag().active is False


def test_undo_never_passes_a_change_that_is_not_known(signed_in: Run, machine: Machine) -> None:
    machine.turn_off("adad1111", batch="b")
    saved = machine.journal.entries()[0]
    lost = replace(saved, version=saved.saved_version, before={"name": ""}, after={"name": "lost"})
    for later in (
        replace(lost, id="adad2222", at=saved.at - 1),
        replace(lost, id="adad3333", at=saved.at + 1, batch=""),
    ):
        machine.journal.begin(replace(later, ending=""))
        machine.journal.finish(later.id, "unknown")
        refused = signed_in("undo", "--yes")
        assert (refused.code, machine.flag().active) == (3, False), refused.err
        assert f"{machine.key}, turn off: whether it was applied is not known, so nothing was" in refused.err
        assert "Try again in a minute." in refused.err
        machine.journal.finish(later.id, "failed")
    waiting = replace(saved, id="adad4444", at=saved.at + 1, verb="turn on", batch="", after={"active": True})
    machine.journal.begin(waiting)
    machine.journal.finish(waiting.id, "awaiting approval")
    refused = signed_in("undo", "--yes")
    assert f"{machine.key}, turn on: it waits for approval, so nothing was undone. To undo an" in refused.err
    machine.journal.begin(replace(lost, id="adad5555", at=saved.at + 1))
    assert signed_in("undo", "adad1111", "--yes").code == 0
    assert machine.flag().active is True


def test_undo_looks_up_what_was_left_open(signed_in: Run, machine: Machine) -> None:
    machine.turn_off("abcd1111")
    saved = machine.journal.entries()[0]
    lost = replace(saved, id="abcd2222", at=saved.at + 600, version=2, after={"name": "lost"})
    done = replace(saved, id="abcd3333", at=saved.at + 700, version=4)
    for entry, words in (
        (lost, "“turn off” was not applied; it is unchanged at version 3."),
        (done, "“turn off” was done at version 5."),
    ):
        machine.change(active=False)
        machine.journal.begin(replace(entry, ending=""))
        undone = require_done(signed_in("undo", "--yes"))
        assert f"{machine.key}: {words}" in undone.err
        assert machine.flag().active is True
    assert {entry.id: entry.ending for entry in machine.journal.entries()}["abcd2222"] == "failed"


def test_unreadable_journal_is_not_reported_as_empty(signed_in: Run, machine: Machine) -> None:
    machine.turn_off("abab1111")
    machine.journal.path.unlink()
    machine.journal.path.mkdir()
    sentence = f"the journal cannot be read: {machine.journal.path}: it is no file.\n"
    for command in (("undo", "--yes"), ("redo", "--yes"), ("journal",)):
        assert signed_in(*command).err == f"flagtui: {sentence}"
    report = signed_in("doctor", "--offline", is_shown=True)
    assert "✗ journal           cannot be read" in report.out
    assert "0 changes" not in report.out


def test_undone_change_is_redone_until_something_else_changes(signed_in: Run, machine: Machine) -> None:
    machine.turn_off("ffff1111")
    assert signed_in("redo", "--yes").code == 3
    assert signed_in("undo", "--yes").code == 0
    assert "you have no change to undo" in signed_in("undo", "--yes").err
    again = signed_in("redo", "--yes", is_shown=True)
    assert (again.code, machine.flag().active) == (0, False), again.err
    assert f"Redo: turn {machine.key} off again" in again.out
    assert (signed_in("undo", "--yes").code, machine.flag().active) == (0, True)
    machine.turn_off("ffff2222")
    refused = signed_in("redo", "--yes")
    assert (refused.code, "nothing was undone since your last change" in refused.err) == (3, True)


def test_undo_keeps_later_changes_of_others_without_overwrite(signed_in: Run, machine: Machine) -> None:
    flag = machine.flag()
    here = Signature("ada@acme.test", "x", machine.service.ask(host), "1")
    sides: dict[str, Any] = {"before": {"name": "Old"}, "after": {"name": "Mine"}}
    machine.journal.begin(Entry("bbbb1111", 1.0, flag.id, machine.key, "change description", here, **sides))
    machine.journal.finish("bbbb1111", "saved")
    machine.service.ask(lambda client: client.flags.update(flag.id, {"name": "Theirs"}))
    kept = signed_in("undo", "bbbb1111", "--yes", is_shown=True)
    assert (kept.code, machine.flag().name) == (4, "Theirs")
    assert all(words in kept.out for words in ("was", "Mine", "now", "Theirs", "new", "Old"))
    assert "this was changed since, so nothing was sent; your change was not saved" in kept.err
    assert kept.err.endswith("To agree: --yes --overwrite.\n")
    records = signed_in("undo", "bbbb1111", "--yes", "--json").records
    sides = {"was": "Mine", "yours": "Old", "theirs": "Theirs"}
    assert records[0]["conflicts"] == [{"where": "name", **sides, "by_you": False}]
    done = signed_in("undo", "bbbb1111", "--yes", "--overwrite")
    assert (done.code, machine.flag().name) == (0, "Old")


def test_no_op_undo_points_to_the_change_before(signed_in: Run, machine: Machine) -> None:
    machine.turn_off("eeee1111")
    machine.change(active=True)
    already = require_done(signed_in("undo", "--yes"))
    assert f"{machine.key}\tunchanged\tit already has the values to restore" in already.out
    assert "flagtui journal shows the ids" in already.out
    named = signed_in("undo", "eeee1111", "--yes")
    assert (named.code, "it already has the values to restore" in named.out) == (0, True)
    assert "flagtui journal" not in named.out
    assert len(machine.journal.entries()) == 1


def test_refused_undo_names_the_way_to_other_changes(signed_in: Run, machine: Machine) -> None:
    machine.turn_off("ffff1111")
    machine.change(deleted=True)
    refused = signed_in("undo", "--yes")
    way = "restore it first, or undo another change by its id, which flagtui journal shows"
    assert (refused.code, way in refused.out) == (3, True), refused
    assert "flagtui journal" not in signed_in("undo", "ffff1111", "--yes").out


def test_impossible_undo_is_one_sentence_and_changes_nothing(signed_in: Run, machine: Machine) -> None:
    assert signed_in("undo").err == "flagtui: you have no change to undo in this project.\n"
    machine.turn_off("cccc1111")
    machine.turn_off("cccc2222")
    for arguments, words, code in (
        (("undo", "dddd"), "no change dddd is in the journal", 6),
        (("undo", "cccc"), "2 changes begin with cccc", 2),
        (("--read-only", "undo", "--yes"), "read-only", 3),
        (("undo", "cccc1111", "--project", "2", "--yes"), "flagtui undo cccc1111 --project 1", 3),
    ):
        done = signed_in(*arguments)
        assert (done.code, done.err.count("\n"), words in done.err) == (code, 1, True), done.err
    assert machine.flag().active is False


def question_of(level: Level, *, reason: bool = False, conflict: bool = False) -> Question[Plan]:
    fresh = Flag.of(raw_flag(id=7, key="checkout", name="Theirs"))
    seen = {"name": "Mine"} if conflict else {}
    plan = expect(plan_flag(Intent(7, {"name": "Old"}, "edit", seen=seen), fresh, NO_DEPENDENTS), Plan)
    question = guard(Planned(None, [plan]), GuardRules(level, require_reason=reason))
    assert isinstance(question, Question)
    return question


def settle(question: Question[Any], given: Confirmation, person: Scripted) -> Approved[Any] | NotYet:
    return question.settle(ask_person(question, given, person))


def test_a_person_is_asked_for_what_the_options_leave_open() -> None:
    strict = question_of(Level.STRICT, reason=True)
    says = {"Why": "incident 7", "To confirm, type checkout": "checkout"}
    assert expect(settle(strict, Confirmation(), Scripted(says=says)), Approved).reason == "incident 7"
    assert isinstance(settle(strict, Confirmation(yes=True), Scripted(says={"Why": "x"})), NotYet)
    plain = question_of(Level.GUARDED)
    assert isinstance(settle(plain, Confirmation(), Scripted()), Approved)
    assert isinstance(settle(plain, Confirmation(), Scripted(yes=False)), NotYet)


def test_overwriting_somebody_is_a_question_of_its_own() -> None:
    clashing = question_of(Level.GUARDED, conflict=True)
    assert isinstance(settle(clashing, Confirmation(yes=True), Scripted(yes=False)), NotYet)
    assert isinstance(settle(clashing, Confirmation(), Scripted(yes=True)), Approved)
    assert isinstance(settle(clashing, Confirmation(overwrite=True), Scripted(yes=False)), NotYet)


def test_leaving_a_later_question_says_that_something_was_done(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(Abort), ChangeReport(Printer("ndjson")):
        raise Abort
    for leaving in (Abort, asyncio.CancelledError):
        report = ChangeReport(Printer("ndjson"))
        report.results([ChangeResult("checkout", "saved", "is on")])
        with pytest.raises(Exit) as end, report:
            raise leaving
        output = capsys.readouterr()
        assert (end.value.exit_code, json.loads(output.out)["ending"]) == (STOPPED, "saved")
        assert output.err == "flagtui: stopped; changes made until then are reported.\n"
