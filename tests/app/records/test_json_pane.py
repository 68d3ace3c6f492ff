"""The JSON tab while its record is still on the way."""

from tests.doubles.flag_app import FlagApp
from textual.app import ComposeResult

from flagtui.app.records.json_pane import JsonPane
from flagtui.app.widgets.field import Field


class OnePane(FlagApp):
    def compose(self) -> ComposeResult:
        yield JsonPane("json")


async def test_search_typed_before_the_record_arrives_is_applied_later() -> None:
    app = OnePane()
    async with app.run_test(size=(80, 24)) as pilot:
        pane = app.query_one(JsonPane)
        pane.query_one(Field).focus()
        await pilot.press(*"web", "enter")
        pane.show_value({"key": "checkout", "tags": ["web"]})
        await pilot.press("enter")
        assert pane.query_one(Field).value == "web"
        assert pane.view.place == 3
