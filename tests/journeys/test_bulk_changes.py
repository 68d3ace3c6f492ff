"""Many flags at once: ranges, all shown, results for each, and the failures tried again alone."""

import asyncio

import httpx
from tests.doubles import quiet
from tests.doubles.whole_program import Setting, running, words

from flagtui.app.widgets.row_list import RowList
from flagtui.app.writing.question import ConfirmScreen
from flagtui.app.writing.results_screen import ResultsScreen


async def test_a_range_and_all_shown_are_changed_together(any_mode: Setting) -> None:
    async with running(any_mode) as program:
        await program.go_to("type:boolean is:off")
        await program.press("x", "down", "X")
        rows = program.rows
        marked = [row.key for row in rows.marked_rows()]
        assert len(marked) == 3
        await program.press("d")
        effect = "can destroy the deleted one for good"
        assert words(program.screen).count(effect) == 1, "an effect on all of them is named once"
        await program.press("y")
        assert "3 deleted · u to undo" in program.notices[-1]
        assert not rows.marks
        asked = len(program.wire.passed)
        await program.press("u")
        read = program.wire.passed[asked:]
        assert len([line for line in read if line.startswith("GET")]) == 3
        assert [line for line in read if line.startswith("POST")] == [], "nobody is counted"
        assert "Undo: restore 3 flags in TEST" in words(program.screen)
        await program.press("y")
        assert "3 undone · U redoes it" in program.notices[-1]
        await program.press("escape")
        await program.go_to("checkout-g")
        await program.press("ctrl+a", "T", *"seen", "enter", "y")
        for row in rows.marked_rows():
            assert "seen" in (await program.stored(row.key)).tags


async def test_failed_changes_are_listed_with_reasons_and_retried_alone(setting: Setting) -> None:
    refusal = {"type": "validation_error", "code": "invalid_input", "detail": "Not this one.", "attr": None}
    async with running(setting) as program:
        refused = program.row("export-parquet").id

        def fault(request: httpx.Request) -> httpx.Response | None:
            is_it = request.method == "PATCH" and request.url.path.endswith(f"/{refused}/")
            return httpx.Response(400, json=refusal) if is_it else None

        program.wire.before = fault
        for key in ("new-nav", "export-parquet", "replay-canvas"):
            await program.go_to(key)
            await program.press("x")
        await program.press("space", "y")
        assert isinstance(program.app.screen, ResultsScreen)
        shown = words(program.screen)
        assert "✗ export-parquet refused" in shown
        assert "Not this one" in shown
        assert "✓ new-nav saved" in shown
        listed = next(screen for screen in program.app.screen_stack if screen.query(RowList))
        assert [row.key for row in listed.query_one(RowList).marked_rows()] == ["export-parquet"]
        before = len(program.wire.writes())
        program.wire.before = lambda request: None
        asked = len(program.wire.passed)
        await program.press("R")
        read = {
            line for line in program.wire.passed[asked:] if line.endswith(f"/{program.row('new-nav').id}/")
        }
        assert read == set()
        assert "Turn OFF in TEST" in words(program.screen)
        await program.press("y")
        assert len(program.wire.writes()) == before + 1
        assert not (await program.stored("export-parquet")).active
        assert not isinstance(program.app.screen, ResultsScreen)


async def test_lost_connection_stops_the_rest_which_can_continue_later(setting: Setting) -> None:
    async with running(setting) as program:
        keys = ("new-nav", "export-parquet", "replay-canvas")
        for key in keys:
            await program.go_to(key)
            await program.press("x")
        program.wire.before = lambda request: (
            httpx.ConnectError("down") if request.method == "PATCH" else None
        )
        await program.press("space", "y", "escape")
        assert not program.app.screen.is_modal, "results are closed without trying again"
        assert program.row("new-nav").active
        await program.press("a", "y")
        shown = words(program.screen)
        assert "1 failed, 2 not sent" in shown
        assert all(key in shown for key in keys)
        program.wire.before = lambda request: None
        await program.press("R", "y")
        assert "3 archived" in program.notices[-1]
        for key in keys:
            assert (await program.stored(key, archived=True)).archived


async def test_marks_with_changes_in_flight_get_no_second_question(setting: Setting) -> None:
    async with running(setting) as program:
        await program.go_to("type:boolean is:on")
        await program.press("x", "x", "space")
        program.timing.now += 1
        program.wire.held = lambda _request: len(program.wire.writes()) > 1
        await program.press_without_waiting("y")
        await asyncio.wait_for(program.wire.is_holding.wait(), 5)
        program.wire.held = lambda request: request.method != "GET"
        await program.press_without_waiting("space")
        await asyncio.wait_for(program.app.runner.prepared.wait(), 5)
        await quiet.settle(program.app)
        assert not isinstance(program.app.screen, ConfirmScreen)
        assert "some of these records are still being saved.\nWait" in program.notices[-1]
        program.wire.let_go.set()
        await program.settle()
        assert "2 off" in program.notices[-1]
        assert "still being saved" not in words(program.screen)
