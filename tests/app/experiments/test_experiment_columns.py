"""Cells of the list of experiments."""

import pytest

from flagtui.app.experiments.experiment_columns import experiment_columns
from flagtui.app.widgets.column_layout import Slot
from flagtui.app.widgets.glyphs import UNICODE
from flagtui.models.rows import ExperimentRow
from flagtui.text.judgement import Leading

FORMS = ("b +43.8 % (−2.1 to +89.0 %) · win 95.8 %", "b +43.8 % · win 95.8 %", "b +43.8 %", "+43.8 %")


@pytest.mark.parametrize(
    ("width", "age", "form"),
    [(40, "", FORMS[0]), (39, "", FORMS[1]), (25, "3h", FORMS[2]), (9, "", FORMS[2]), (3, "", FORMS[3])],
)
def test_result_is_shown_in_its_longest_form(width: int, age: str, form: str) -> None:
    columns = experiment_columns(lambda row: Leading("", FORMS, age=age))
    result = next(column for column in columns if column.name == "result")
    assert result.draw(ExperimentRow(1, "One"), Slot(width, UNICODE, now=0.0))[0][0] == form
