"""JSON as lines: nothing is lost, and a long record is laid out a part at a time."""

import json
from collections.abc import AsyncIterator
from random import Random
from typing import Any

import pytest
from tests.doubles import heavy_records as heavy
from tests.doubles import quiet, random_flags
from tests.doubles.flag_app import FlagApp
from tests.doubles.quiet import run_quietly

from flagtui.app.records.json_pane import STEP, JsonPane
from flagtui.app.records.json_reading import JsonLines, JsonReading
from flagtui.app.widgets.field import Field
from flagtui.text.flag_sentences import plain

JSON = Any


def test_lines_of_json_are_that_json() -> None:
    random = Random(7)
    for _ in range(100):
        # Characters a terminal would obey are shown as what they are, which is not JSON.
        value = json.loads(json.dumps(random_flags.document(random)).replace("\\u2028", ""))
        reading = JsonReading(value)
        while not reading.is_whole:
            reading.read(random.randrange(1, 50))
        assert json.loads(plain(JsonLines(reading)[:])) == value


def test_reading_keeps_a_path_and_the_lines_with_the_words() -> None:
    value = {"groups": [{"share": place} for place in range(1_000)], "name": "last"}
    reading = JsonReading(value, (), "share", ("name",))
    reading.read(10)
    assert not reading.has_line(0)
    assert reading.matches == [3, 6, 9]
    reading.read(10_000)
    assert reading.is_whole
    assert reading.place == len(reading.rows) - 2
    assert len(reading.matches) == 1_000


def test_count_of_lines_agrees_with_its_verb() -> None:
    counts = {
        ("", 99): "4 lines",
        ("", 1): "1 line so far",
        ("a", 99): "1 line has it",
        ("{", 2): "1 line has it so far",
        (":", 99): "2 lines have it",
        ("z", 99): "0 lines have it",
    }
    for (words, lines), shown in counts.items():
        reading = JsonReading({"a": 1, "b": 2}, (), words)
        reading.read(lines)
        assert reading.count_words == shown


def test_lines_are_put_together_for_what_is_in_sight() -> None:
    reading = JsonReading(heavy.with_conditions(2_000))
    reading.read(1_000_000)
    lines = JsonLines(reading)
    assert len(lines) == len(reading.rows) > 20_000
    assert plain(lines[:2]) == '{\n  "id": 901,'
    assert plain([lines[-1]]) == "}"


@pytest.fixture
async def pane() -> AsyncIterator[JsonPane]:
    async with run_quietly(FlagApp(JsonPane("json")), size=(80, 24)) as pilot:
        yield pilot.app.query_one(JsonPane)


async def show(pane: JsonPane, value: JSON) -> int:
    """Show a long record and return how many lines it has."""
    pane.show_value(value)
    assert len(pane.view._lines) == STEP
    await pane.app.workers.wait_for_complete()
    return len(pane.view._lines)


async def test_heavy_record_is_laid_out_between_keys(pane: JsonPane) -> None:
    count = await show(pane, heavy.with_conditions(2_000))
    assert count > 20_000
    pane.move("last")
    assert pane.view.place == count - 1
    for words in ("plan-1999", '"id": 901'):
        pane.query_one(Field).value = words
        await quiet.settle(pane.app)
        await pane.app.workers.wait_for_complete()
        assert words in plain(pane.view._lines[pane.view.place : pane.view.place + 1])


async def test_fold_far_below_keeps_the_cursor_on_its_line(pane: JsonPane) -> None:
    opening = await show(pane, heavy.with_conditions(2_000)["filters"]) - 4 - 12
    place = next(n for n in range(opening, 0, -1) if plain(pane.view._lines[n : n + 1]) == "    {")
    pane.view.go_to(place)
    for words in ("    { … 3 }", "    {"):
        pane.action_fold()
        await pane.app.workers.wait_for_complete()
        assert pane.view.place == place
        assert plain(pane.view._lines[place : place + 1]) == words


async def test_search_typed_before_the_record_arrives_is_applied_later() -> None:
    async with run_quietly(FlagApp(JsonPane("json")), size=(80, 24)) as pilot:
        pane = pilot.app.query_one(JsonPane)
        pane.query_one(Field).focus()
        await pilot.press(*"web", "enter")
        pane.show_value({"key": "checkout", "tags": ["web"]})
        await pilot.press("enter")
        assert pane.query_one(Field).value == "web"
        assert pane.view.place == 3


async def test_line_at_the_cursor_is_as_wide_as_its_pane(pane: JsonPane) -> None:
    pane.show_value(["short", "x" * 200])
    await quiet.settle(pane.app)
    for place in (1, 2):
        pane.view.go_to(place)
        line = pane.view.render().split("\n")[place]
        assert line.cell_length == pane.view.content_size.width > 40
