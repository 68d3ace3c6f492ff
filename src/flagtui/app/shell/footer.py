"""Keys that are named: the last line of a screen, read from its bindings, and the lower edge of a dialog."""

from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import replace
from operator import itemgetter
from typing import Any, Final

from rich.cells import cell_len
from textual import events
from textual.binding import ActiveBinding, Binding
from textual.dom import DOMNode
from textual.keys import key_to_character
from textual.screen import Screen
from textual.widget import Widget

from flagtui.app.commands.command import RECORDS, SIGNS, display_key
from flagtui.app.commands.command_table import COMMANDS
from flagtui.app.widgets.field import Field
from flagtui.app.widgets.line import BETWEEN_KEYS, Line, Spot, cells_of, styled
from flagtui.text.styled import Piece

ALWAYS: Final = ("undo", "app.palette", "app.help", "app.back", "form.back")
"""Commands at the end of every footer, as far as they work there; `undo` covers any record."""
KEPT: Final = ("app.back", "form.back", "app.help")
"""Of those, the ones that stay longest, after the first key of the screen."""
LEAST: Final = 12
"""Cells that the first key leaves to the way out."""
MOVES: Final = frozenset(
    command.id for command in COMMANDS if command.handler in ("rows", "tab", "query", "step_tab", "scroll")
)
"""Ids of commands that everybody tries without a hint."""
OF_CURSOR: Final = frozenset(command.id for command in COMMANDS if command.applies_to == "cursor")
"""Ids of commands that are for the row under the cursor, whatever is marked."""
ACTING: Final = frozenset(
    command.id
    for command in COMMANDS
    if command.shown and command.writes and not {*command.places} & {*RECORDS}
)
"""Ids of commands that change something from a log or a history: `z` there."""
ORDER: Final = {command.id: place for place, command in enumerate(COMMANDS)}
"""Textual puts a key that the settings moved behind all others of its screen."""
Shown = tuple[Piece, Piece]
Run = tuple[str, DOMNode]
"""An action, and where it belongs."""


class KeyLine(Line):
    """`space off  ⏎ open …  u undo  : commands  ? help  esc back`, as many as fit; disabled ones faint.

    First come the keys a screen needs next, then those its commands are shown with, then all others. However
    narrow the line is, the first key stays, the way out, the help and the key that acts on an entry of a log.
    """

    _shown: "list[Shown]" = []
    _last: "list[Shown]" = []
    _kept: "list[str]" = []
    """The keys that stay longest, as they are drawn."""
    _runs: "dict[str, Run]" = {}
    """By key as it is drawn: what a click on it does."""
    _is_requested = False
    """Whether the keys are to be drawn soon."""

    def on_mount(self) -> None:
        self.screen.bindings_updated_signal.subscribe(self, lambda _screen: self.request_keys())
        self.call_after_refresh(self.show_keys)

    def on_resize(self, _event: events.Resize) -> None:
        self.request_keys()

    def request_keys(self) -> None:
        """Draw the keys soon, once for all requests until then: a screen that opens sends several."""
        if not self._is_requested:
            self._is_requested = self.call_later(self._answer_request)

    def _answer_request(self) -> None:
        if self._is_requested:
            self.show_keys()

    def show_keys(self) -> None:
        """Draw the keys that work now."""
        self._is_requested = False
        if not self.screen.is_active:
            self._show_dialog_keys(self.app.screen)
            return
        field = self.screen.focused if isinstance(self.screen.focused, Field) else None
        own, leaves = (list(field.key_words()), ["esc"]) if field is not None else ([], [])
        taken = {key for key, _ in own}
        bindings = list(self._find_bindings(field is not None))
        placed = [(_place_at_end(binding.binding), binding) for binding in bindings]
        last = [binding for place, binding in sorted(placed, key=itemgetter(0)) if place >= 0]
        first: list[str] = ["app.stage"] if self._own_title("app.stage") else []
        first += getattr(self.screen, "next_commands", ())
        nodes = [*dict.fromkeys(binding.node for binding in bindings)]
        rest = sorted(
            (binding for place, binding in placed if place < 0),
            key=lambda binding: (
                first.index(binding.binding.id) if binding.binding.id in first else len(first),
                not binding.binding.show,
                nodes.index(binding.node),
                ORDER.get(binding.binding.id or "", -1),
            ),
        )
        self._runs = {}
        self._last = self._draw_keys(last, taken)
        keys: list[Shown] = [((key, "bold"), (f" {words}  ", "$text-muted")) for key, words in own]
        self._shown = [*keys, *self._draw_keys(rest, taken)]
        ends = [binding.binding for id in KEPT for binding in last if binding.binding.id == id]
        acts = [sign for (sign, look), _ in self._shown if look == "bold"][:1]
        acting = [binding.binding for binding in rest if binding.binding.id in ACTING][:1]
        self._kept = [*acts, *leaves, *(display_key(self.app, binding) for binding in (*ends, *acting))]
        self._fit()

    def _show_dialog_keys(self, dialog: Screen[Any]) -> None:
        """Draw the keys of the dialog in front; the others do nothing there."""
        # Loading the class of dialogs would delay the first rows.
        key_words: Callable[[], Sequence[str]] | None = getattr(dialog, "key_words", None)
        if key_words is not None:
            pairs = (part.partition(" ")[::2] for part in key_words())
            self._shown = [((key, "bold"), (f" {words}  ", "$text-muted")) for key, words in pairs]
            self._runs, self._last = {}, []
            signs = [sign for (sign, _), _ in self._shown]
            self._kept = [*(["⏎"] if "⏎" in signs else signs[:1]), "esc"]
        self._fit()

    def _find_bindings(self, is_typing: bool) -> Iterator[ActiveBinding]:
        seen: set[str] = set()
        leaves_out: Callable[[str], bool] = getattr(self.screen, "leaves_out", lambda _id: False)
        for key, active in self.screen.active_bindings.items():
            binding = active.binding
            if is_typing and (key_to_character(key) or "\0").isprintable():
                continue
            is_more = binding.id and binding.tooltip and binding.id not in MOVES and not is_typing
            if binding.action in seen or not (binding.show or is_more) or leaves_out(binding.id or ""):
                continue
            seen.add(binding.action)
            # The letter it is usually shown with would be typed.
            yield active._replace(binding=replace(binding, key_display=None)) if is_typing else active

    def _draw_keys(self, bindings: Iterable[ActiveBinding], taken: Container[str]) -> list[Shown]:
        drawn, own_title = [], self._own_title
        has_marks = getattr(self.screen, "marked", False)
        for binding in bindings:
            key = display_key(self.app, binding.binding)
            if key in taken:
                continue
            bold, muted = ("bold", "$text-muted") if binding.enabled else ("$faint", "$faint")
            title = own_title(binding.binding.id or "") or binding.binding.description
            # Such a key does not act on the marked records.
            where = " at cursor" if has_marks and binding.binding.id in OF_CURSOR else ""
            drawn.append(((key, bold), (f" {title}{where}  ", muted)))
            if binding.enabled:
                self._runs[key] = (binding.binding.action, binding.node)
        return drawn

    @property
    def _own_title(self) -> Callable[[str], str]:
        """Returns the word that the screen has for a command now; empty where it is that of the command."""
        title_of: Callable[[str], str] = getattr(self.screen, "title_of", lambda _id: "")
        return title_of

    def keys_in(self, width: int) -> Sequence[Shown]:
        """Return the keys in a line of this width, in the order in which they are drawn."""
        return _fitting(self._shown, self._last, self._kept, width - 2)

    def _fit(self) -> None:
        end, pieces, spots = 1, list[Piece](), list[Spot]()
        for pair in self.keys_in(self.size.width):
            end += cells_of(pair)
            pieces += pair
            spots.append(Spot(end, *self._runs.get(pair[0][0], ("",))))
        self.show(styled(" ", *pieces), spots=spots)


def _place_at_end(binding: Binding) -> int:
    id = binding.id or ""
    name = "undo" if id.endswith(".undo") else id
    return ALWAYS.index(name) if name in ALWAYS else -1


def _fitting(shown: Sequence[Shown], last: Sequence[Shown], kept: Sequence[str], width: int) -> list[Shown]:
    """Return the keys with room, as they are drawn: first the kept ones, then those at the end.

    The words of the first two kept keys are cut where there is no room for both.
    """
    keys = [*shown, *last]
    signs = [sign for (sign, _), _ in keys]
    places = [signs.index(sign) for sign in kept if sign in signs]
    if len(places) > 1:
        act, leave = places[:2]
        keys[act] = _cut(keys[act], width - min(cells_of(keys[leave]), LEAST))
        keys[leave] = _cut(keys[leave], width - cells_of(keys[act]))
    widths = [*map(cells_of, keys)]
    room, fitting = width, set[int]()
    for place in dict.fromkeys((*places, *range(len(shown), len(keys)), *range(len(shown)))):
        if widths[place] <= room:
            room -= widths[place]
            fitting.add(place)
    return [keys[place] for place in sorted(fitting)]


def _cut(pair: Shown, width: int) -> Shown:
    """Return the key with as many of its words as fit; the two cells after them count too."""
    (sign, look), (words, muted) = pair
    room = width - len(sign) - 2
    if len(words) - 2 <= room:
        return pair
    return (sign, look), (f"{words[: room - 1].rstrip()}…  " if room > 3 else "  ", muted)


END: Final = 3
"""Cells from the end of the text to the right end of the edge."""
NAMES: Final = {sign: name for name, sign in SIGNS.items()} | {name: name for name in ("space", "tab")}


def key_at(box: Widget | None, x: int, y: int) -> str:
    """Return the key named in that cell of the screen, as Textual calls it; empty for other cells."""
    text = box.border_subtitle if box is not None else None
    if box is None or not text or y != box.region.bottom - 1:
        return ""
    at = x - (box.region.right - END - cell_len(text))
    for part in text.split(BETWEEN_KEYS):
        if 0 <= at < cell_len(part):
            sign = part.partition(" ")[0]
            is_key = len(sign) == 1 or sign.startswith("ctrl+")
            return NAMES.get(sign, sign if is_key else "")
        at -= cell_len(part) + len(BETWEEN_KEYS)
    return ""
