"""What a list of rows tells its screen."""

from textual.message import Message
from textual.widget import Widget

from flagtui.app.widgets.column_layout import RecordId


class _FromRows(Message):
    def __init__(self, rows: Widget) -> None:
        super().__init__()
        self.rows = rows

    @property
    def control(self) -> Widget:
        return self.rows


class Highlighted(_FromRows, namespace="row_list"):
    """The cursor is on another record; `record` is its id, None when the list became empty."""

    def __init__(self, rows: Widget, record: RecordId | None) -> None:
        super().__init__(rows)
        self.record = record


class Opened(_FromRows, namespace="row_list"):
    """The person wants to see this record."""

    def __init__(self, rows: Widget, record: RecordId) -> None:
        super().__init__(rows)
        self.record = record


class MarksChanged(_FromRows, namespace="row_list"):
    """Other records are marked now."""

    def __init__(self, rows: Widget, marks: frozenset[RecordId]) -> None:
        super().__init__(rows)
        self.marks = marks


class SortAsked(_FromRows, namespace="row_list"):
    """The person clicked the title of a column."""

    def __init__(self, rows: Widget, column: str) -> None:
        super().__init__(rows)
        self.column = column
