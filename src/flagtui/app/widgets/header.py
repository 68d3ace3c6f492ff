"""The first two lines of every screen: where we are, how fresh it is, and the tabs."""

from dataclasses import dataclass
from typing import Literal

from textual.content import Content

from flagtui.app.widgets.line import Line, Piece, styled
from flagtui.safe_text import safe_text

LinkKind = Literal["synced", "loading", "retrying", "offline", "read-only", "signed-out"]

_MARKS: dict[LinkKind, Piece] = {
    "synced": ("● ", "$success"),
    "loading": ("◌ ", "$primary"),
    "retrying": ("◔ ", "$warning"),
    "offline": ("▲ ", "$warning"),
    "read-only": ("■ ", "$text-muted"),
    "signed-out": ("⚠ ", "$error"),
}


@dataclass(frozen=True)
class Link:
    """How much the rows on screen can be trusted, in a mark and a few words."""

    kind: LinkKind
    words: str


@dataclass(frozen=True)
class Location:
    """Where changes would go. Names are raw; the header makes them safe."""

    badge: str
    colour: str
    """A theme variable without its dollar, such as `error` for a production profile."""
    organization: str = ""
    project: str = ""
    project_id: int | None = None
    host: str = ""
    user: str = ""
    overridden: str = ""
    """The environment variables that win over the profile, for the header to say so."""


@dataclass(frozen=True)
class Tab:
    """A tab with an honest count: `248`, `10,000+` when the server caps it, empty while unknown."""

    key: str
    title: str
    count: str = ""


class Header(Line):
    """`flagtui PROD acme › Web app #1234 host … user ● synced 4 s ago`; drops the least needed first."""

    def show_location(self, location: Location, link: Link) -> None:
        """Draw this location and link; called again on resize."""
        width = self.app.size.width
        right = [_MARKS[link.kind], (safe_text(link.words, 60) + " ", "$text-muted")]
        if width >= 110 and location.user:
            right.insert(0, (safe_text(location.user, 40) + "  ", "$text-muted"))
        self.show(styled(*self._left_pieces(location, width)), styled(*right))

    def _left_pieces(self, location: Location, width: int) -> list[Piece]:
        pieces: list[Piece] = [
            (" flagtui ", "bold $badge-text on $primary"),
            (f" {safe_text(location.badge, 12)} ", f"bold $badge-text on ${location.colour}"),
            ("  ", ""),
        ]
        if location.organization and width >= 70:
            pieces += [(safe_text(location.organization, 24), "bold"), (" › ", "$text-muted")]
        pieces.append((safe_text(location.project, 32 if width >= 100 else 20), "bold"))
        if location.project_id is not None:
            pieces.append((f" #{location.project_id}", "$faint"))
        if location.host and width >= 100:
            pieces.append((f"  {safe_text(location.host, 40)}", "$faint"))
        if location.overridden and width >= 90:
            pieces.append((f"  {safe_text(location.overridden, 40)}", "$warning"))
        return pieces


class Tabs(Line):
    """The tabs that work, the current one on its own ground."""

    def show_tabs(self, tabs: list[Tab], current: str) -> None:
        """Draw the tabs; `current` is the key of the one that is open."""
        pieces: list[Content | str | Piece] = []
        for tab in tabs:
            here = tab.key == current
            ground = " on $row-cursor" if here else ""
            title_style = ("bold" if here else "$text-muted") + ground
            pieces.append((f" {tab.key} {tab.title}", title_style))
            pieces.append((f" {tab.count} " if tab.count else " ", "$faint" + ground))
            pieces.append("  ")
        self.show(Content.assemble(*pieces))
