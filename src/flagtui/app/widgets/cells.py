"""What stands in one cell of a row: a few pieces of text, each with a look, cut and padded by cell width."""

from collections.abc import Iterable
from typing import Literal, get_args

from rich.cells import cell_len, set_cell_size

from flagtui.text.styled import Look

LOOKS: tuple[Look, ...] = get_args(Look)

CellPiece = tuple[str, Look]
Cell = tuple[CellPiece, ...]
Align = Literal["left", "right"]


def fit(cell: Cell, width: int, align: Align, ellipsis: str) -> Cell:
    """The cell in exactly `width` cells: padded on its free side, or cut and ended with the ellipsis."""
    spare = width - sum(cell_len(text) for text, _ in cell)
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
            yield set_cell_size(text, room), look
            break
        yield text, look
        room -= length
    if width > 0:
        yield ellipsis, look
