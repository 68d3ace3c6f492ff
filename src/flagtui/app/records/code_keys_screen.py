"""Keys that code uses and that have no record, as of the last scan; enter opens the first use."""

from collections.abc import Iterator, Sequence
from typing import Final

from flagtui.app.commands.command_table import bindings_of
from flagtui.app.lists.list_description import ListDescription
from flagtui.app.lists.read_list import ReadList
from flagtui.app.records.code_pane import progress_words, short_path
from flagtui.app.records.code_scanning import open_place, search_of, start_scan
from flagtui.app.widgets.column_layout import Column, text_cell, words_cell
from flagtui.local_time import ago
from flagtui.models.code_uses import MissingKey
from flagtui.safe_text import safe_text
from flagtui.store.query.value_tests import fold
from flagtui.store.query.vocabulary import Vocabulary, being, by_name, choices
from flagtui.store.sort_orders import Listing, Order
from flagtui.text.empty_states import Words
from flagtui.text.formats import count
from flagtui.text.key_signs import key_sign
from flagtui.text.styled import Piece

SHOWN: Final = 12
"""Places of a key that the pane lists."""


def _text(row: MissingKey) -> str:
    return "\0".join((row.key, row.rule, *(place.path for place in row.places)))


CODE_KEYS: Final = ListDescription[MissingKey](
    name="code",
    what="keys in code without a record",
    hint="search   words in key or path  is:unknown  is:deleted  kind:event",
    listing=Listing(
        Vocabulary(
            by_name(
                choices(
                    "is",
                    "why it has no record",
                    {
                        "unknown": lambda row: row.rule == "unknown-key",
                        "deleted": lambda row: row.rule == "deleted-key",
                    },
                ),
                choices("kind", "what the code asks for", being("flag", "event"), of=lambda row: row.subject),
            ),
            _text,
        ),
        {"uses": Order(lambda row: len(row.places), is_descending=True), "key": Order()},
        lambda row: fold(row.key),
    ),
    orders=("uses", "key"),
    columns=(
        Column("key", "KEY", text_cell("key", "strong"), 15, grow=4, most=48),
        Column("rule", "PROBLEM", text_cell("rule", "warn"), 12, gap=2, sortable=False),
        Column("subject", "KIND", text_cell("subject"), 6, gap=2, from_width=54, sortable=False),
        Column("uses", "USES", words_cell(lambda row: f"{len(row.places):,}", "plain"), 6, align="right"),
        Column(
            "place",
            "FIRST USE",
            words_cell(lambda row: row.places[0].place),
            20,
            grow=4,
            gap=2,
            from_width=70,
            sortable=False,
        ),
    ),
    always=("key",),
    filters={"state": "is", "type": "kind"},
    title="Keys without a record",
    nothing="Every key in code has a record, or a comment that accepts it.",
)


class CodeKeysScreen(ReadList[MissingKey]):
    """Lists unknown and deleted keys that code uses."""

    BINDINGS = bindings_of("code_keys", "lists", "everywhere")
    description = CODE_KEYS
    place = "code_keys"
    tab = "F6"
    _shown: object = None
    """The drawn scan."""

    async def read(self) -> Sequence[MissingKey] | Words:
        search = search_of(self._app_state)
        if search is None:
            return Words(("No code belongs to this profile.",))
        await search.load()
        if search.scan is not None:
            return search.scan.missing_keys()
        folder = short_path(search.source.folder)
        next = search.obstacle or f"{key_sign('code.scan')} scans it now, in the background"
        return Words((f"No scan of {folder} yet.", "", next, f"{key_sign('app.back')} goes back"))

    def count_words(self) -> str:
        search = self._app_state.code_search
        if search is not None and search.is_running:
            return progress_words(search)
        if search is None or search.scan is None:
            return ""
        return f"{super().count_words()}  scanned {ago(search.scan.taken_at, self._app_state.session.now())}"

    def update_from_state(self) -> None:
        super().update_from_state()
        search = self._app_state.code_search
        shown = None if search is None else (search.scan, search.is_running, search.trouble)
        if shown != self._shown:
            self._shown = shown
            self.read_again()
        else:
            self.reframe()

    def about(self, row: MissingKey) -> Iterator[list[Piece]]:
        yield [(safe_text(row.key, 200), "bold"), (f"  {row.subject}", "$text-muted")]
        yield [(safe_text(row.message, 300), "$warning")]
        yield []
        yield [(count(len(row.places), "use").upper(), "$text-muted")]
        for place in row.places[:SHOWN]:
            yield [("  ", ""), (safe_text(place.place, 300), "")]
        if len(row.places) > SHOWN:
            yield [(f"  and {len(row.places) - SHOWN:,} more", "$faint")]
        yield []
        yield [(key_sign("lists.open"), "bold"), ("  opens the first use in your editor", "$text-muted")]

    # Keys

    def action_open(self) -> None:
        search, row = self._app_state.code_search, self.record
        if row is not None and search is not None and search.scan is not None:
            open_place(self._runner, search.scan, row.places[0])

    def action_scan_code(self) -> None:
        """Scan the folder in the background."""
        start_scan(self._app_state, self._runner)

    def leave_rows(self) -> None:
        search = self._app_state.code_search
        if search is None or not search.cancel():
            super().leave_rows()
