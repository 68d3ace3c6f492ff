"""Event definitions as text: the list, one of them, and the inbox with decisions waiting."""

from msgspec.structs import replace
from tests.doubles.expected import expect
from tests.doubles.whole_program import Setting, running
from tests.golden.conftest import SIZES, Golden, draw

from flagtui.app.events.event_list import EventsScreen
from flagtui.app.events.inbox_screen import InboxScreen


async def test_events_are_drawn_as_they_were_at_every_size(setting: Setting, golden: Golden) -> None:
    async with running(replace(setting, size=SIZES[0])) as program:
        page = await program.colleague().experiments.page({"limit": 1})
        source = {"kind": "EventsNode", "event": "checkout_completed", "math": "total"}
        metric = {"kind": "ExperimentMetric", "metric_type": "mean", "source": source}
        await program.colleague().experiments.update(page.rows[0].id, {"metrics": [metric]})
        await program.press("3")
        screen = expect(program.app.screen, EventsScreen)
        screen.go_to(next(row.id for row in screen.rows._rows if row.name == "checkout completed"))
        await draw(program, golden, "events")
        await program.press("enter")
        await draw(program, golden, "event")
        await program.press("escape", "i")
        inbox = expect(program.app.screen, InboxScreen)
        for name, key in (("btn_click_1", "H"), ("btn_click_2", "V")):
            assert inbox.rows.select(next(case.id for case in inbox._cases if case.name == name))
            await program.press(key)
        inbox.rows.select(next(case.id for case in inbox._cases if case.name == "checkout_completed"))
        await program.settle()
        await draw(program, golden, "inbox")
