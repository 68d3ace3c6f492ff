"""The inbox: decisions by single keys, kept until they are applied together, and undone together."""

import asyncio
import re

import httpx
from msgspec.structs import replace
from tests.doubles.whole_program import Program, Setting, running, words
from tests.journeys.standing import stand_on_event, stored_event

from flagtui.app.events.inbox_screen import InboxScreen


async def open_inbox(program: Program) -> InboxScreen:
    await program.press("3", "i")
    screen = program.front(InboxScreen)
    assert screen.case is not None
    return screen


async def stand_on(program: Program, screen: InboxScreen, name: str) -> None:
    assert screen.rows.select(next(case.id for case in screen._cases if case.name == name))
    await program.settle()


def decided_names(program: Program) -> list[str]:
    screen = program.front(InboxScreen)
    return [decision.name for decision in screen._triage.by_id.values()]


def progress(program: Program) -> list[int]:
    """How many events of the reason in front are decided, and how many there are."""
    return [int(number) for number in re.findall(r"(\d+) of (\d+)", program.screen)[0]]


async def test_decisions_are_applied_together_and_taken_back_together(any_mode: Setting) -> None:
    async with running(any_mode) as program:
        screen = await open_inbox(program)
        await program.press("j")
        assert screen.rows.place == 1
        await program.press("G")
        assert screen.rows.place == program.rows.shown - 1
        await program.press("g")
        assert screen.rows.place == 0
        await stand_on(program, screen, "checkout_completed")
        seen = words(str(screen.query_one("#proposed").render()))
        assert "M same as checkout completed verified" in seen
        assert "Order paid from checkout completed" in seen
        await program.press("M")
        await stand_on(program, screen, "btn_click_1")
        await program.press("H")
        await stand_on(program, screen, "btn_click_2")
        await program.press("V")
        assert decided_names(program) == ["checkout_completed", "btn_click_1", "btn_click_2"]
        assert "3 of " in program.screen
        before = progress(program)
        program.timing.now += 120
        await program.press("tab")
        assert "2 per minute" in program.screen
        assert progress(program) == before, "a skipped event is not decided"
        for _ in range(3):
            await program.press("r")
            done, total = progress(program)
            assert total - done == program.rows.shown
        await program.press("r", "r", "r")
        assert progress(program) == before
        assert not program.wire.writes()
        await program.press("u")
        assert decided_names(program) == ["checkout_completed", "btn_click_1"]
        await program.press("V", "A")
        assert "Tidy up 3 event definitions in TEST" in program.screen
        await program.press("y")
        assert not decided_names(program)
        twin = await stored_event(program, "checkout_completed")
        assert twin.hidden
        assert (twin.description or "").startswith("Same as checkout completed.")
        assert (await stored_event(program, "btn_click_1")).hidden
        assert (await stored_event(program, "btn_click_2")).verified
        assert any("3 changed" in notice for notice in program.notices)
        assert "btn_click_2" not in (case.name for case in screen._cases)
        await program.press("u")
        await program.press("y")
        await stand_on(program, screen, "btn_click_2")
        assert progress(program) == [before[0] - 3, before[1]]
        assert not (await stored_event(program, "checkout_completed")).hidden
        assert not (await stored_event(program, "btn_click_2")).verified
        for size in ((80, 24), (60, 15)):
            await program.pilot.resize_terminal(*size)
            await program.settle()
            assert "Inbox" in program.screen
            assert "WHY" in program.screen
        await program.press("r")
        assert "look-alike" in program.screen
        await program.press("escape")
        assert not isinstance(program.app.screen, InboxScreen)


async def test_what_a_dropped_link_left_goes_on_later(any_mode: Setting) -> None:
    async with running(any_mode) as program:
        screen = await open_inbox(program)
        for name in ("btn_click_1", "btn_click_2", "btn_click_3"):
            await stand_on(program, screen, name)
            await program.press("H")
        sent: list[str] = []

        def drop(request: httpx.Request) -> Exception | None:
            if request.method == "PATCH":
                sent.append(request.url.path)
                if len(sent) == 2:
                    return httpx.ConnectError("the link is down", request=request)
            return None

        program.wire.before = drop
        await program.press("A")
        await program.press("y")
        assert "btn_click_3 not sent" in words(program.screen)
        assert any("1 hidden, 1 failed, 1 not sent" in notice for notice in program.notices)
        await program.press("escape")
        assert len(decided_names(program)) == 2
        assert len(sent) == 2
        detail = {"type": "authentication_error", "code": "permission_denied", "detail": "No experiments."}
        program.wire.before = lambda request: httpx.Response(403, json=detail)
        await stand_on(program, screen, "checkout_completed")
        assert "USED BY not known: Not allowed (403): No experiments." in words(
            str(screen.query_one("#proposed").render())
        )
        program.wire.before = lambda request: None
    async with running(any_mode) as program:
        await open_inbox(program)
        assert len(decided_names(program)) == 2
        assert any("decided last time and not applied" in notice for notice in program.notices)
        await program.press("A")
        await program.press("y")
        assert not decided_names(program)
        assert (await stored_event(program, "btn_click_3")).hidden


async def test_decisions_in_flight_are_not_forgotten_and_not_applied_twice(setting: Setting) -> None:
    async with running(setting) as program:
        screen = await open_inbox(program)
        for name in ("btn_click_1", "btn_click_2"):
            await stand_on(program, screen, name)
            await program.press("H")
        await program.press("A")
        program.timing.now += 1
        program.wire.held = lambda request: request.method == "PATCH"
        await program.press_without_waiting("y")
        await asyncio.wait_for(program.wire.is_holding.wait(), 5)
        await program.press_without_waiting("u")
        assert "the decisions are being applied; wait for the result" in program.notices[-1]
        for key in ("escape", "i"):
            await program.press_without_waiting(key)
        assert len(decided_names(program)) == 2
        await program.let_go()
        assert decided_names(program) == []
        assert len(program.wire.writes()) == 2


async def test_keys_for_an_event_leave_an_empty_queue(setting: Setting) -> None:
    async with running(setting) as program:
        screen = await open_inbox(program)
        assert "V verify" in program.last_line
        await program.press(*"rrrrr")
        assert screen.case is None
        assert "verify" not in program.last_line
        assert "r reason" in program.last_line
        await program.press("V")
        assert "V: no event is left to decide here" in program.notices[-1]
        await program.press("r")
        assert "V verify" in program.last_line


async def test_typed_tags_are_for_the_event_that_was_asked_about(setting: Setting) -> None:
    async with running(setting) as program:
        screen = await open_inbox(program)
        await stand_on(program, screen, "btn_click_1")
        await program.press("T")
        case = screen.case
        assert case is not None
        await program.colleague().event_definitions.update(case.id, {"hidden": True})
        await program.app.server.reload()
        await program.settle()
        assert screen.case != case
        await program.press(*"a, -a", "enter")
        assert "both added and removed" in program.screen
        await program.press("ctrl+u", *"+web", "enter")
        assert decided_names(program) == ["btn_click_1"]


async def test_queue_follows_a_refresh_and_names_deleted_events(setting: Setting) -> None:
    async with running(setting) as program:
        screen = await open_inbox(program)
        _, total = progress(program)
        await stand_on(program, screen, "btn_click_1")
        await program.press("H")
        definitions = program.colleague().event_definitions
        await definitions.create("made meanwhile")
        await program.press("f5")
        assert progress(program) == [1, total + 1]
        assert screen.rows.select(next(case.id for case in screen._cases if case.name == "made meanwhile"))
        await program.press("A")
        await definitions.delete(next(iter(screen._triage.by_id)))
        await program.press("y")
        assert decided_names(program) == ["btn_click_1"]
        await program.press("f5", "A")
        assert "btn_click_1: It is not there" in words(program.notices[-1])


async def test_decision_is_kept_while_its_change_is_staged(setting: Setting) -> None:
    async with running(setting) as program:
        screen = await open_inbox(program)
        await stand_on(program, screen, "btn_click_1")
        await program.press("H", "escape")
        await stand_on_event(program, "btn_click_1", "plus", "H")
        await open_inbox(program)
        await program.press("f5")
        assert decided_names(program) == ["btn_click_1"]


async def test_an_unlicensed_server_keeps_the_decisions_and_says_why(setting: Setting) -> None:
    async with running(replace(setting, options=(("unlicensed", True),))) as program:
        await open_inbox(program)
        await program.press("V", "V", "A")
        await program.press("y", "escape")
        assert len(decided_names(program)) == 2
        assert any("licence" in notice for notice in program.notices)
        await program.press("A")
        assert isinstance(program.app.screen, InboxScreen)
