"""The inbox: decisions by single keys, kept until they are applied together, and undone together."""

import asyncio
import re

import httpx
from msgspec.structs import replace
from tests.doubles.expected import require
from tests.doubles.whole_program import Program, Setting, running, words
from tests.journeys.steps import stand_on_event, stored_event

from flagtui.app.events.inbox_screen import InboxScreen


async def open_inbox(program: Program) -> InboxScreen:
    await program.press("3", "i")
    screen = program.front(InboxScreen)
    assert screen.case is not None
    return screen


async def stand_on(program: Program, name: str, *keys: str) -> str:
    """Put the cursor on the event, press keys there, and return what is proposed for it."""
    screen = program.front(InboxScreen)
    assert screen.rows.select(next(case.id for case in screen._cases if case.name == name))
    await program.settle()
    proposed = words(str(screen.query_one("#proposed").render()))
    if keys:
        await program.press(*keys)
    return proposed


async def hide(program: Program, *names: str) -> None:
    for name in names:
        await stand_on(program, name, "H")


def decided_names(program: Program) -> list[str]:
    screen = program.front(InboxScreen)
    return [decision.name for decision in screen._triage.by_id.values()]


def progress(program: Program) -> list[int]:
    """How many events of the reason in front are decided, and how many there are."""
    return [int(number) for number in re.findall(r"(\d+) of (\d+)", program.screen)[0]]


async def test_decisions_are_applied_together_and_taken_back_together(any_mode: Setting) -> None:
    async with running(any_mode) as program:
        screen = await open_inbox(program)
        as_before = await states(program)
        for key, place in (("j", 1), ("G", program.rows.shown - 1), ("g", 0)):
            await program.press(key)
            assert screen.rows.place == place
        seen = await stand_on(program, "checkout_completed", "M")
        assert "M same as checkout completed verified" in seen
        assert "Order paid from checkout completed" in seen
        await hide(program, "btn_click_1")
        await stand_on(program, "btn_click_2", "V")
        assert decided_names(program) == ["checkout_completed", "btn_click_1", "btn_click_2"]
        program.see("3 of ")
        before = progress(program)
        program.timing.now += 120
        await program.press("tab", shows="2 per minute")
        assert progress(program) == before, "a skipped event is not decided"
        for _ in range(3):
            await program.press("r")
            done, total = progress(program)
            assert total - done == program.rows.shown
        await program.press("r", "r", "r")
        assert progress(program) == before
        program.see(sent=0)
        await program.press("u")
        assert decided_names(program) == ["checkout_completed", "btn_click_1"]
        await program.press("V", "A", shows="Tidy up 3 event definitions in TEST")
        await program.press("y", toasts="3 changed")
        assert not decided_names(program)
        twin = await stored_event(program, "checkout_completed")
        assert (twin.description or "").startswith("Same as checkout completed.")
        assert await states(program) == [(True, False), (True, False), (False, True)]
        assert "btn_click_2" not in (case.name for case in screen._cases)
        await program.press("u", "y")
        await stand_on(program, "btn_click_2")
        assert progress(program) == [before[0] - 3, before[1]]
        assert await states(program) == as_before
        for size in ((80, 24), (60, 15)):
            await program.pilot.resize_terminal(*size)
            await program.settle(shows=("Inbox", "WHY"))
        await program.press("r", shows="look-alike")
        await program.press("escape")
        assert not isinstance(program.app.screen, InboxScreen)


async def states(program: Program) -> list[tuple[bool, bool]]:
    """Return whether each of the three events is hidden and verified."""
    names = ("checkout_completed", "btn_click_1", "btn_click_2")
    events = [await stored_event(program, name) for name in names]
    return [(event.hidden, event.verified) for event in events]


async def test_what_a_dropped_link_left_goes_on_later(any_mode: Setting) -> None:
    async with running(any_mode) as program:
        await open_inbox(program)
        await hide(program, "btn_click_1", "btn_click_2", "btn_click_3")
        down = httpx.ConnectError("the link is down")
        program.wire.before = lambda request: (
            down if request.method == "PATCH" and len(program.wire.writes()) == 2 else None
        )
        await program.press("A", "y", shows="btn_click_3 not sent", toasts="1 hidden, 1 failed, 1 not sent")
        await program.press("escape")
        assert (len(decided_names(program)), len(program.wire.writes())) == (2, 2)
        detail = {"type": "authentication_error", "code": "permission_denied", "detail": "No experiments."}
        program.wire.answer("", httpx.Response(403, json=detail))
        seen = await stand_on(program, "checkout_completed")
        assert "USED BY not known: Not allowed (403): No experiments." in seen
        program.wire.heal()
    async with running(any_mode) as program:
        await open_inbox(program)
        assert len(decided_names(program)) == 2
        program.see(toasts="decided last time and not applied")
        await program.press("A", "y")
        assert not decided_names(program)
        assert (await stored_event(program, "btn_click_3")).hidden


async def test_decisions_in_flight_are_not_forgotten_and_not_applied_twice(program: Program) -> None:
    await open_inbox(program)
    await hide(program, "btn_click_1", "btn_click_2")
    await program.press("A")
    program.wire.hold("PATCH")
    await program.press_without_waiting("y")
    await asyncio.wait_for(program.wire.is_holding.wait(), 5)
    await program.press_without_waiting("u", toast="the decisions are being applied; wait for the result")
    await program.press_without_waiting("escape", "i")
    assert len(decided_names(program)) == 2
    await program.let_go()
    assert (decided_names(program), len(program.wire.writes())) == ([], 2)


async def test_keys_for_an_event_leave_an_empty_queue(program: Program) -> None:
    screen = await open_inbox(program)
    assert "V verify" in program.last_line
    await program.press(*"rrrrr")
    assert screen.case is None
    assert program.last_line.startswith("A apply  r reason")
    await program.press("V", toast="V: no event is left to decide here")
    await program.press("r")
    assert "V verify" in program.last_line


async def test_typed_tags_are_for_the_event_that_was_asked_about(program: Program) -> None:
    screen = await open_inbox(program)
    await stand_on(program, "btn_click_1", "T")
    case = require(screen.case)
    await program.colleague().event_definitions.update(case.id, {"hidden": True})
    await program.app.server.reload()
    await program.settle()
    assert screen.case != case
    await program.press(*"a, -a", "enter", shows="both added and removed")
    await program.press("ctrl+u", *"+web", "enter")
    assert decided_names(program) == ["btn_click_1"]


async def test_queue_follows_a_refresh_and_names_deleted_events(program: Program) -> None:
    screen = await open_inbox(program)
    _, total = progress(program)
    await hide(program, "btn_click_1")
    definitions = program.colleague().event_definitions
    await definitions.create("made meanwhile")
    await program.press("f5")
    assert progress(program) == [1, total + 1]
    await stand_on(program, "made meanwhile", "A")
    await definitions.delete(next(iter(screen._triage.by_id)))
    await program.press("y")
    assert decided_names(program) == ["btn_click_1"]
    await program.press("f5", "A", toast="btn_click_1: It is not there")


async def test_decision_is_kept_while_its_change_is_staged(program: Program) -> None:
    await open_inbox(program)
    await hide(program, "btn_click_1")
    await program.press("escape")
    await stand_on_event(program, "btn_click_1", "plus", "H")
    await open_inbox(program)
    await program.press("f5")
    assert decided_names(program) == ["btn_click_1"]


async def test_an_unlicensed_server_keeps_the_decisions_and_says_why(setting: Setting) -> None:
    async with running(replace(setting, options=(("unlicensed", True),))) as program:
        await open_inbox(program)
        await program.press("V", "V", "A", "y", "escape")
        assert len(decided_names(program)) == 2
        program.see(toasts="licence")
        await program.press("A", front=InboxScreen)
