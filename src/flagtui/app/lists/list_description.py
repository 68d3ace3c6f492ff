"""A list as data: columns, orders, filters, words. The list screen does the rest."""

from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from typing import Final, Generic

from msgspec import Struct, field

from flagtui.app.widgets.column_layout import Column
from flagtui.models.rows import Row
from flagtui.store.sort_orders import Listing, Sort

PEOPLE = ("by", "owner")
"""Qualifiers that take a person."""
QUERY_KEYS: Final = 5
"""How many saved searches have a tab."""


class ListDescription(Struct, Generic[Row], frozen=True):
    """One kind of list. Texts taken from rows are raw."""

    name: str
    """What settings and memory call it."""
    what: str
    """What its rows are, in the plural, for sentences."""
    hint: str
    """Placeholder of the empty search line."""
    listing: Listing[Row]
    orders: tuple[str, ...]
    """Orders that the sort key cycles through, the default first."""
    columns: tuple[Column[Row], ...]
    """Those shown unless others were chosen."""
    key: Callable[[Row], str] = attrgetter("key")
    """The name of a row, which the copy key copies."""
    filters: Mapping[str, str] = field(default_factory=dict)
    """By the name of a filter key, the qualifier it cycles."""
    values: Mapping[str, Callable[[Row], str | tuple[str, ...]]] = field(default_factory=dict)
    """By qualifier, the texts of a row that Tab offers after it."""
    more_columns: tuple[Column[Row], ...] = ()
    """What else can be chosen."""
    always: tuple[str, ...] = ()
    """Columns that are always shown."""
    near: Mapping[str, str] = field(default_factory=dict)
    """By the name of an order, the column that shows the same under another name."""
    names_order: bool = True
    """Whether an order that no visible column has is named above the rows."""
    title: str = ""
    """The word on its tab, for a list above the others."""
    nothing: str = ""
    """Text of the empty list."""

    @property
    def sort(self) -> Sort:
        """Its own order; another one is remembered."""
        return Sort(self.orders[0])

    def column_of(self, order: str) -> str:
        """Return the name of the column that shows what this order compares."""
        return self.near.get(order, order)

    def visible_orders(self, shown: Sequence[str]) -> tuple[str, ...]:
        """Return the orders that these columns show, in the order of the sort key; all if none is shown."""
        return tuple(order for order in self.orders if self.column_of(order) in shown) or self.orders

    @property
    def column_names(self) -> tuple[str, ...]:
        """The names of every column that can be chosen."""
        return tuple(column.name for column in (*self.columns, *self.more_columns))

    def completions(self, rows: Sequence[Row]) -> dict[str, list[str]]:
        """Return the completions after each qualifier; after one for people, the user first."""
        offers: dict[str, list[str]] = {}
        for name, of in self.values.items():
            values = map(of, rows)
            texts = {text for value in values for text in ((value,) if isinstance(value, str) else value)}
            offers[name] = [*["me"] * (name in PEOPLE), *sorted(texts - {""})]
        return offers

    def columns_named(
        self, names: Sequence[str], columns: Sequence[Column[Row]] | None = None
    ) -> tuple[Column[Row], ...]:
        """Return the columns with these names, after the ones that are always shown; else the list's own.

        `columns` are all of them, where they are drawn otherwise.
        """
        by_name = {column.name: column for column in columns or (*self.columns, *self.more_columns)}
        named = [name for name in names if name in by_name] or [column.name for column in self.columns]
        missing = [name for name in self.always if name not in named]
        return tuple(by_name[name] for name in (*missing, *named))
