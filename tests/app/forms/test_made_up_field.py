"""A made-up field is declared once: its line, question, JSON, words, comparison, order and column follow."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from textual.screen import Screen

from flagtui.app.dialogs.picker import PickerScreen
from flagtui.app.forms.completion import complete_tags
from flagtui.app.forms.form_lines import FieldAnswer, ask_field, field_line
from flagtui.app.widgets.column_layout import Slot, shown_column
from flagtui.app.widgets.glyphs import UNICODE
from flagtui.app.writing.change_runner import ChangeRunner
from flagtui.changes.difference import field_words
from flagtui.changes.editor_text import Faulty, RecordText
from flagtui.models.editable_fields import EditableField, FieldColumn, FieldTable, Option, one_of, texts
from flagtui.models.record_fields import FLAG_FIELDS
from flagtui.store.sort_orders import field_order
from flagtui.text.flag_sentences import plain

SOURCE = Path(__file__).parents[3] / "src" / "flagtui"
TASTE = EditableField(
    "flavour_of_it",
    "flavour",
    one_of(Option("sweet", "sweet", "with sugar"), Option("salty", "salty")),
    "sweet",
    "tastes",
    shown=FieldColumn("flavour", "TASTES", 6),
)
MADE_UP = FieldTable(TASTE, EditableField("spices", "spices", texts(), []))


@dataclass(frozen=True)
class Dish:
    flavour: str


class Answering(ChangeRunner):
    """Answers every question in the same way, and keeps what was asked."""

    def __init__(self, answer: str) -> None:
        self.answer = answer
        self.asked: list[Screen[Any]] = []

    async def ask(self, screen: Screen[Any]) -> Any:
        self.asked.append(screen)
        return self.answer


def test_field_has_a_form_line_a_column_and_an_order() -> None:
    assert plain([field_line(TASTE, None).pieces]).split() == ["tastes", "with", "sugar"]
    column = shown_column(MADE_UP.shown_field("flavour"))
    assert (column.title, plain([column.draw(Dish("salty"), Slot(6, UNICODE, 0.0))])) == ("TASTES", "salty")
    order = field_order(TASTE)
    dishes = sorted((Dish("salty"), Dish("sweet")), key=lambda dish: order.rank(dish, is_reversed=False))
    assert [dish.flavour for dish in dishes] == ["sweet", "salty"]


async def test_it_is_asked_for() -> None:
    runner = Answering("salty")
    assert await ask_field(runner, TASTE, "sweet") == FieldAnswer("salty")
    assert isinstance(runner.asked[0], PickerScreen)


def test_it_is_edited_as_json() -> None:
    record = RecordText("soup", "dish 1", "dish-1", {"flavour_of_it": "sweet"}, MADE_UP.problems)
    assert record.read('{"flavour_of_it": "salty"}') == {"flavour_of_it": "salty"}
    wrong = record.read('{"flavour_of_it": "blue"}')
    assert isinstance(wrong, Faulty)
    assert wrong.reasons == ("flavour_of_it must be sweet, salty or null",)


def test_field_is_described_and_compared_in_its_way() -> None:
    assert field_words(MADE_UP, "flavour_of_it", None, "salty") == "flavour: sweet → salty"
    assert field_words(MADE_UP, "spices", ["salt"], ["mint", "salt"]) == "spices: + mint"
    assert MADE_UP.comparable("spices", ["b", "a"]) == MADE_UP.comparable("spices", ["a", "b"])
    assert MADE_UP.comparable("flavour_of_it", "sweet") == "sweet"


@pytest.mark.parametrize(
    ("name", "most"),
    [("evaluation_runtime", 4), ("ensure_experience_continuity", 7), ("bucketing_identifier", 7)],
)
def test_a_field_is_named_in_few_files(name: str, most: int) -> None:
    """Record, row, body of a request and declaration; more where something is decided by it."""
    assert name in FLAG_FIELDS
    client = [
        path for path in SOURCE.rglob("*.py") if "service" not in path.parts and name in path.read_text()
    ]
    assert 0 < len(client) <= most, client


async def test_suggested_tags_are_added_by_the_line_that_names_them() -> None:
    tags = [["web", "-1", "a, b"], ["web", "= all"], ["+plus", "two words", "line\none"]]
    suggestions = await complete_tags(tags, "flag").suggest("")
    assert [each.text for each in suggestions.items] == ["web", "two words"]
