"""A write whose answer is lost: looked up, watched, never sent again."""

import pytest
from tests.changes.office import Office
from tests.doubles.flag_server import Fault

from flagtui.changes.flags import flag_intent

LOST: list[Fault] = ["lose the answer", "5xx applied"]


@pytest.mark.parametrize("fault", LOST)
async def test_a_lost_answer_is_found_out_by_reading_and_never_sent_again(
    office: Office, fault: Fault
) -> None:
    office.ada.faults = [fault]
    outcome = await office.turn_off()
    assert outcome.is_saved
    assert office.ada.sends == 1
    assert office.journal.entries()[0].ending == "saved"


async def test_reads_that_fail_are_tried_at_0_1_2_4_and_8_seconds(office: Office) -> None:
    plan = await office.plan()
    office.ada.faults = ["lose the answer"]
    office.ada.unreadable = 4
    outcome = await office.save_context.save(office.approve(plan))
    assert outcome.is_saved
    assert office.clock.slept == [0, 1, 1, 2, 4]


async def test_a_write_that_arrives_late_is_noticed_while_watching(office: Office) -> None:
    office.ada.faults = ["apply late"]
    office.clock.at(30, office.ada.deliver_late)
    outcome = await office.turn_off()
    assert outcome.ending == "unknown"
    assert office.journal.entries()[0].ending == "unknown"
    found = await office.save_context.settle(outcome)
    assert found.is_saved
    assert office.journal.entries()[0].ending == "saved"
    assert office.ada.sends == 1


@pytest.mark.parametrize("fault", ["never arrives", "5xx"])
async def test_a_write_that_never_arrived_has_failed_after_a_minute(office: Office, fault: Fault) -> None:
    office.ada.faults = [fault]
    outcome = await office.turn_off()
    assert outcome.ending == "unknown"
    found = await office.save_context.settle(outcome)
    assert found.ending == "failed"
    assert 60 <= office.clock.now - office.clock.began <= 70
    assert (office.journal.entries()[0].ending, office.ada.sends) == ("failed", 1)
    assert any("is not there so far at version 12" in words for words in office.told)


async def test_a_record_that_can_never_be_read_stays_unknown(office: Office) -> None:
    plan = await office.plan()
    office.ada.faults = ["lose the answer"]
    office.ada.unreadable = 1000
    outcome = await office.save_context.save(office.approve(plan))
    assert outcome.ending == "unknown"
    found = await office.save_context.settle(outcome)
    assert found.ending == "unknown"
    assert [entry.ending for entry in office.journal.unresolved()] == ["unknown"]


async def test_a_write_that_may_be_hidden_under_anothers_stays_unknown(office: Office) -> None:
    plan = await office.plan(flag_intent.set_field(812, "name", "New checkout", "Ada's words"))
    office.ada.faults = ["lose the answer"]
    office.ada.unreadable = 1
    office.clock.at(1, lambda: office.bob_writes(name="Bob's words"))
    outcome = await office.save_context.save(office.approve(plan))
    assert outcome.ending == "unknown"
    found = await office.save_context.settle(outcome)
    assert found.ending == "unknown"
    assert office.server.log[0] == ("ada@acme.test", 812, {"name": "Ada's words"})
    assert office.journal.entries()[0].is_open
