"""The first two lines of every screen: where we are, how fresh it is, and the tabs."""

from collections.abc import Mapping
from typing import Final

from msgspec import Struct
from rich.cells import cell_len
from textual.content import Content

from flagtui.app.state.go_to import TABS
from flagtui.app.widgets.glyphs import LINK_SIGNS, LinkKind
from flagtui.app.widgets.line import APART, Line, Spot, cells_of, cut, styled
from flagtui.safe_text import safe_text
from flagtui.text.key_signs import key_sign
from flagtui.text.styled import Piece

DROPPED: Final = ("host", "user", "organization", "overridden", "brand", "number", "project")
"""Parts hidden on narrow screens, the least needed first. Badge, staged changes and link stay."""
SHORTEST: Final = 6
"""Cells below which a project's name is not recognisable."""
RECOGNISED: Final = 12
"""Cells of the name of a search in front for which lists give way."""
SHORTEST_LIST: Final = 4
"""Cells of the title of a list that are left, `Exp…`."""
_FROM: Final = {"organization": 70, "overridden": 90, "host": 100, "user": 110}
"""Columns from which there is usually room."""
LISTS: Final = len(TABS)
"""Tabs that are lists; those after them are saved searches of the list in front."""
TAB_GAP: Final = 2
_GAP: Final[Piece] = ("  ", "")

_LINK_COLOURS: Final[Mapping[LinkKind, str]] = {
    "synced": "$success",
    "loading": "$primary",
    "retrying": "$warning",
    "offline": "$warning",
    "read-only": "$text-muted",
    "signed-out": "$error",
}


COMMAND_OF: Final[Mapping[str, str]] = {
    "1": "app.flags",
    "2": "app.experiments",
    "3": "app.events",
    "4": "app.activity",
    "J": "app.journal",
    "&": "app.staged",
    "F6": "app.code",
    "F7": "flags.due",
    "^r": "flags.deleted",
    "#": "flags.ids",
    "I": "flags.my_values",
    **{f"{key}": f"lists.query_{key}" for key in range(5, 10)},
}
"""By key of a tab: the command that opens it."""


class Link(Struct, frozen=True):
    """The state of the connection: how current the rows on screen are, as a mark and a few words."""

    kind: LinkKind
    words: str


class Location(Struct, frozen=True):
    """The place where changes go. Names are raw; the header makes them safe."""

    badge: str
    colour: str
    """A theme variable without its dollar, such as `error` for a production profile."""
    organization: str = ""
    project: str = ""
    project_id: int | None = None
    host: str = ""
    user: str = ""
    overridden: str = ""
    """The environment variables that override the profile."""
    staged: int | None = 0
    """How many changes are staged; None where the set cannot be read."""
    is_staging: bool = False
    """Whether keys stage changes instead of sending them."""


class Tab(Struct, frozen=True):
    """A tab with an honest count: `248`, `10,000+` when the server caps it, empty while unknown."""

    key: str
    title: str
    count: str = ""

    @property
    def sign(self) -> str:
        """The key that the user chose for the tab, as the footer writes it."""
        command = COMMAND_OF.get(self.key, "")
        return key_sign(command).replace("ctrl+", "^") if command else self.key


MORE: Final = Tab("", "…")
"""In the place of saved searches for which there is no room."""


Parts = dict[str, Piece]


class Header(Line):
    """`flagtui PROD acme › Web app #1234 host … user ● synced 4 s ago`; drops the least needed first."""

    def show_location(self, location: Location, link: Link) -> None:
        """Draw this location and link; called again on resize."""
        width = self.app.size.width
        mark: Piece = (f"{LINK_SIGNS[link.kind]} ", _LINK_COLOURS[link.kind])
        state = [mark, (f"{safe_text(link.words, 60)} ", "$text-muted")]
        parts, dropped = _parts_of(location, width), Parts()
        while (over := _missing_cells(parts, state, width)) > 0:
            least = next((name for name in DROPPED if name in parts), "")
            if not least:
                break
            text, style = dropped[least] = parts.pop(least)
            if least == "project" and cell_len(text) - over >= SHORTEST:
                parts[least] = (cut(text, cell_len(text) - over), style)
        # A part that was dropped can have room in the place of a longer one.
        for name in reversed(dropped):
            if name not in parts and _missing_cells({**parts, name: dropped[name]}, state, width) <= 0:
                parts[name] = dropped[name]
        self.show(styled(*_left_part(parts)), styled(*_right(parts, state)))


def _missing_cells(parts: Parts, state: list[Piece], width: int) -> int:
    return cells_of(_left_part(parts)) + cells_of(_right(parts, state)) + APART - width


def _parts_of(location: Location, width: int) -> Parts:
    """Return every part that could be shown at this width, by name."""
    number = f"#{location.project_id}" if location.project_id is not None else ""
    # The badge is the host's name where no profile is for it.
    staged = "?" if location.staged is None else f"{location.staged:,}"
    host = location.host if location.host != location.badge else ""
    parts = {
        "brand": (" flagtui ", "bold $badge-text on $primary"),
        "badge": (
            f" {_short(location.badge, max(12, width // 4))} ",
            f"bold $badge-text on ${location.colour}",
        ),
        "staging": (
            f" STAGING {staged} " if location.is_staging else "",
            "bold $badge-text on $secondary",
        ),
        "organization": (_short(location.organization, 24), "bold"),
        "project": (_short(location.project, 32 if width >= 100 else 20), "bold"),
        "number": (number, "$faint"),
        "host": (_short(host, 40), "$faint"),
        "overridden": (_short(location.overridden, 64), "$warning"),
        "staged": (
            f"staged {staged}" if location.staged != 0 and not location.is_staging else "",
            "$secondary",
        ),
        "user": (_short(location.user, 40), "$text-muted"),
    }
    return {name: part for name, part in parts.items() if part[0] and width >= _FROM.get(name, 0)}


def _left_part(parts: Parts) -> list[Piece]:
    """Return the left part: badges on grounds of their own, then organisation, project and number."""
    pieces = [parts[name] for name in ("brand", "badge", "staging") if name in parts]
    if "project" in parts:
        pieces += [_GAP, parts["organization"], (" › ", "$text-muted")] if "organization" in parts else [_GAP]
        pieces.append(parts["project"])
    if "number" in parts:
        pieces += [(" ", "") if "project" in parts else _GAP, parts["number"]]
    for name in ("host", "overridden"):
        if name in parts:
            pieces += [_GAP, parts[name]]
    return pieces


def _right(parts: Parts, state: list[Piece]) -> list[Piece]:
    shown = [parts[name] for name in ("user", "staged") if name in parts]
    return [*(piece for part in shown for piece in (part, _GAP)), *state]


def _short(text: str, cells: int) -> str:
    return cut(safe_text(text, 200), cells)


class Tabs(Line):
    """The tabs that work, the current one on its own ground. A click goes to one."""

    def show_tabs(self, tabs: list[Tab], current: str) -> None:
        """Draw the tabs; `current` is the key of the one that is open."""
        pieces: list[Content | str | Piece] = []
        spots: list[Spot] = []
        if sum(map(_tab_width, tabs)) - TAB_GAP > self.app.size.width:
            tabs = fit_tabs(tabs, current, self.app.size.width)
        for tab in tabs:
            spots.append(Spot((spots[-1].end if spots else 0) + _tab_width(tab), _opening(tab.key)))
            ground = "$cursor-text on $row-cursor" if tab.key == current else ""
            title_style = f"bold {ground}" if ground else "$text-muted"
            pieces.append((f" {tab.sign} {tab.title}", title_style))
            pieces.append((f" {tab.count} " if tab.count else " ", ground or "$faint"))
            pieces.append(" " * TAB_GAP)
        self.show(Content.assemble(*pieces[:-1]), spots=spots)


def fit_tabs(tabs: list[Tab], current: str, width: int) -> list[Tab]:
    """Return the tabs that have room where not all have, the one in front among them.

    The others lose their counts first, then searches the ends of their names, then their places to a mark;
    lists lose the ends of theirs to a search in front.
    """
    tabs = [tab if tab.key == current else Tab(tab.key, tab.title) for tab in tabs]
    for most in range(max(cell_len(tab.title) for tab in tabs), SHORTEST - 1, -1):
        shorter = [
            Tab(tab.key, cut(tab.title, most)) if _is_search(tab) and tab.key != current else tab
            for tab in tabs
        ]
        if _tabs_width(shorter) <= width:
            return shorter
    shown = [tab for tab in tabs if not _is_search(tab) or tab.key == current]
    if len(shown) < len(tabs):
        fitted = [*_fit_lists(shown, width - _tab_width(MORE)), MORE]
        searches = zip(fitted[LISTS:-1], shown[LISTS:], strict=True)
        is_recognised = all(
            cell_len(new.title) >= RECOGNISED or new.title == old.title for new, old in searches
        )
        if is_recognised and _tabs_width(fitted) <= width:
            return fitted
    return _fit_lists(shown, width)


def _fit_lists(tabs: list[Tab], width: int) -> list[Tab]:
    """Return the lists, and the search in front if one is, without the ends of names for which no room is."""
    if (over := _tabs_width(tabs) - width) > 0 and _is_search(tabs[-1]):
        *lists, search = tabs
        if (room := cell_len(search.title) - over) < SHORTEST:
            bare = Tab(search.key, search.title)
            room, search = room + _tab_width(search) - _tab_width(bare), bare
        least, longest = min(cell_len(search.title), RECOGNISED), max(cell_len(tab.title) for tab in lists)
        while room < least and longest > SHORTEST_LIST:
            longest -= 1
            lists = [Tab(tab.key, cut(tab.title, longest), tab.count) for tab in lists]
            room = width - _tabs_width([*lists, Tab(search.key, "", search.count)])
        return [*lists, Tab(search.key, cut(search.title, max(1, room)), search.count)]
    return tabs


def _tabs_width(tabs: list[Tab]) -> int:
    return sum(map(_tab_width, tabs)) - TAB_GAP


def _tab_width(tab: Tab) -> int:
    return cell_len(f" {tab.sign} {tab.title}") + (cell_len(tab.count) + 2 if tab.count else 1) + TAB_GAP


def _is_search(tab: Tab) -> bool:
    return tab.key.isdigit() and int(tab.key) > LISTS


def _opening(key: str) -> str:
    """Return the action of a tab; none for those of lists above the others, which are in front already."""
    if not key.isdigit():
        return ""
    return f"query({key})" if int(key) > LISTS else f"app.tab('{key}')"
