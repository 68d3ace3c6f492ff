"""Columns of a list: which of them a width has room for, and how wide each becomes."""

from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter
from typing import Any, Generic, Literal

from msgspec import Struct
from rich.cells import cell_len

from flagtui.app.widgets.glyphs import Glyphs
from flagtui.app.widgets.line import cells_of, fit_cells
from flagtui.local_time import age
from flagtui.models.editable_fields import EditableField
from flagtui.models.rows import Row, StagedRow
from flagtui.safe_text import safe_text
from flagtui.text.styled import Look

CellPiece = tuple[str, Look]
Cell = tuple[CellPiece, ...]
Align = Literal["left", "right"]


def fit(cell: Cell, width: int, align: Align, ellipsis: str) -> Cell:
    """Return the cell in exactly `width` cells: padded on its free side, or cut with the ellipsis."""
    spare = width - cells_of(cell)
    if spare == 0:
        return cell
    if spare < 0:
        return tuple(_cut(cell, width, ellipsis))
    blank: CellPiece = (" " * spare, "plain")
    return (blank, *cell) if align == "right" else (*cell, blank)


def _cut(cell: Cell, width: int, ellipsis: str) -> Iterable[CellPiece]:
    room = width - 1
    look: Look = "plain"
    for text, look in cell:
        length = cell_len(text)
        if length > room:
            yield fit_cells(text, room), look
            break
        yield text, look
        room -= length
    if width > 0:
        yield ellipsis, look


RecordId = int | str
"""Event definitions are known by a UUID, everything else by a number."""


class Slot(Struct, frozen=True):
    """The place of a cell, and the state of its row at this moment."""

    width: int
    glyphs: Glyphs
    now: float
    pending: bool = False
    """An edit of this record is in flight."""
    changed: bool = False
    """Someone else changed this record since the cursor was last on it."""
    staged: StagedRow | None = None
    """The server's state of a record with a staged change."""

    @property
    def sign(self) -> CellPiece:
        """The glyph before a record for that."""
        if self.pending:
            return self.glyphs.pending, "info"
        if self.staged is not None:
            return (self.glyphs.outdated, "bad") if self.staged.is_outdated else (self.glyphs.staged, "info")
        if self.changed:
            return self.glyphs.changed, "warn"
        return " ", "plain"


Draw = Callable[[Row, Slot], Cell]


def words_cell(of: Callable[[Any], str], look: Look = "muted") -> Draw[Any]:
    """Return the raw value that `of` returns for the row."""
    return lambda row, slot: ((safe_text(of(row)), look),)


def text_cell(attribute: str, look: Look = "muted") -> Draw[Any]:
    """Return a text of the row, which is raw."""
    return words_cell(attrgetter(attribute), look)


def age_cell(attribute: str) -> Draw[Any]:
    """Return a drawing function for the age of a moment of the row; empty when it is not known."""
    return lambda row, slot: ((age(getattr(row, attribute), slot.now), "faint"),)


def state_cell(glyph: Callable[[Row, Slot], CellPiece]) -> Draw[Row]:
    """Return the glyph of the row's state, and beside it whether an edit is in flight or it was changed."""
    return lambda row, slot: (glyph(row, slot), slot.sign)


def id_cell(row: Any, slot: Slot) -> Cell:
    """Draw `#812`."""
    return ((f"#{row.id}", "faint"),)


def tags_cell(row: Any, slot: Slot) -> Cell:
    """Draw as many tags as there may be room for."""
    return ((" ".join(f"#{safe_text(tag, slot.width + 1)}" for tag in row.tags[: slot.width]), "muted"),)


def version_cell(attribute: str) -> Draw[Any]:
    """Draw `v12`; nothing where records have no versions."""

    def draw(row: Any, slot: Slot) -> Cell:
        version = getattr(row, attribute)
        return (("" if version is None else f"v{version}", "faint"),)

    return draw


class Column(Struct, Generic[Row], frozen=True):
    """One column. Widths and the gap before it are in cells."""

    name: str
    title: str
    draw: Draw[Row]
    width: int
    grow: int = 0
    """Its share of the cells left over, against the other columns' shares."""
    most: int = 1000
    align: Align = "left"
    gap: int = 1
    from_width: int = 0
    """The narrowest list that still shows it."""
    sortable: bool = True


def shown_column(field: EditableField, grow: int = 0, most: int = 1000, from_width: int = 0) -> Column[Any]:
    """Return the column of a field that lists show."""
    if field.shown is None:
        raise ValueError(f"no list shows {field.name}")
    shown = field.shown
    return Column(
        shown.name,
        shown.title,
        text_cell(shown.attribute),
        shown.width,
        grow=grow,
        most=most,
        from_width=from_width,
        sortable=bool(field.takes.options),
    )


class Placed(Struct, Generic[Row], frozen=True):
    """A column with the width it got."""

    column: Column[Row]
    width: int


def lay_out(columns: Sequence[Column[Row]], width: int) -> tuple[Placed[Row], ...]:
    """Return the columns a list of this width shows, never wider than it together."""
    chosen = [column for column in columns if width >= column.from_width]
    while len(chosen) > 1 and _total_width(chosen) > width:
        chosen.pop()
    widths = [min(column.width, max(0, width - column.gap)) for column in chosen]
    _share(chosen, widths, width - _total_width(chosen))
    return tuple(Placed(column, got) for column, got in zip(chosen, widths, strict=True))


def _total_width(columns: Sequence[Column[Row]]) -> int:
    return sum(column.width + column.gap for column in columns)


def _share(columns: Sequence[Column[Row]], widths: list[int], spare: int) -> None:
    """Distribute the spare cells by share; distribute those that a full column does not take again."""
    while spare > 0:
        hungry = [i for i, column in enumerate(columns) if column.grow and widths[i] < column.most]
        shares = sum(columns[i].grow for i in hungry)
        if not hungry:
            return
        given = 0
        for i in hungry:
            extra = min(spare * columns[i].grow // shares, columns[i].most - widths[i])
            widths[i] += extra
            given += extra
        if given == 0:
            widths[hungry[0]] += 1
            given = 1
        spare -= given
