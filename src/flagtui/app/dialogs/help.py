"""The help of a screen: commands in groups, to be searched and run, signs, words of its search line."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from textual.binding import Binding

from flagtui.app.commands.command import Command
from flagtui.app.commands.command_search import rank_commands
from flagtui.app.dialogs.palette import Offer, Run
from flagtui.app.dialogs.picker import ListedChoice, NarrowedList
from flagtui.app.widgets.field import Field
from flagtui.app.widgets.glyphs import LINK_SIGNS, LinkKind, terminal_glyphs
from flagtui.app.widgets.line import hung, styled
from flagtui.safe_text import safe_text
from flagtui.store.kinds import KINDS
from flagtui.text.key_signs import key_sign

HelpLine = ListedChoice[Run]
KEY_CELLS: Final = 12
WORD_CELLS: Final = 14
GROUPS: Final[Mapping[str, str]] = {
    **{place: kind.name.upper() for kind in KINDS.values() for place in kind.places},
    "activity": "CHANGE",
    "journal": "CHANGE",
    "deleted": "DELETED FLAG",
    "code_keys": "CODE",
    "lists": "LIST",
}
"""By place: what its commands are about; other places are called by their name."""
MOVING: Final = "MOVING"
LAST: Final = ("LIST", "EVERYWHERE")
"""Groups shared by many screens; the groups of this screen come before them."""
LEGEND: Final = (
    ("on", "on, running, verified"),
    ("off", "off, draft, not verified"),
    ("stale", "stale, paused, possibly unused"),
    ("track", "stopped"),
    ("archived", "archived, hidden"),
    ("deleted", "deleted"),
    ("mark", "marked: commands apply to all marked rows"),
    ("pending", "a change is in flight"),
    ("staged", "has a staged change; {key} shows them all"),
    ("outdated", "changed since it was staged"),
    ("changed", "changed elsewhere since you looked"),
    ("scheduled", "has a scheduled change; {key} lists them all"),
)
LISTED_BY: Final = {"staged": "app.staged", "scheduled": "flags.due"}
"""By sign: the command that lists the records with it."""
HEADER_LEGEND: Final[Mapping[LinkKind, str]] = {
    "synced": "the rows matched the server then",
    "loading": "rows are loading",
    "retrying": "slow, incomplete or being retried",
    "offline": "the server does not respond, or with an error",
    "read-only": "the profile refuses changes",
    "signed-out": "the key is no longer accepted",
}
"""The signs at the right end of the header."""
WORDS: Final = (
    ("new check", "words, in any order; finds new-check too"),
    ('"exact words"', "quotes keep words together"),
    ("-word -tag:x", "a minus excludes"),
)
"""What every search line understands."""


class HelpScreen(NarrowedList[Run]):
    """Answers with the command that was chosen, ready to be called, or None."""

    BINDINGS = [
        Binding("q", "leave", "close", show=False),
        # The key that opened it closes it, also one that the user chose.
        Binding("question_mark,f1", "leave", "close", show=False, id="app.help"),
        Binding("slash", "search", "search", key_display="/"),
    ]
    AUTO_FOCUS = "OptionLines"
    keys = "⏎ do it · / search · esc close"
    placeholder = "/ searches"
    leaves = "close"

    def __init__(self, offers: Sequence[Offer], place: str, words: Sequence[tuple[str, str]]) -> None:
        super().__init__("Help")
        self._offers = offers
        self._place = place
        self._words = words

    def on_mount(self) -> None:
        # An earlier toast would cover the text.
        self.app.clear_notifications()

    def lines(self, typed: str, width: int) -> Iterator[HelpLine]:
        offers = {offer.command: offer for offer in self._offers}
        if typed.strip():
            for _grade, command in rank_commands(offers, typed):
                yield self._command(offers[command], width)
            return
        groups: dict[str, list[Offer]] = {}
        for offer in self._offers:
            groups.setdefault(group_of(offer.command, self._place), []).append(offer)
        for name in (*LAST, MOVING):
            if name in groups:
                groups[name] = groups.pop(name)
        for name, members in groups.items():
            yield _heading(name)
            for offer in members:
                yield self._command(offer, width)
        yield from self._legend(width)

    def _command(self, offer: Offer, width: int) -> HelpLine:
        style = "" if offer.run is not None else "$faint"
        why = f"  {safe_text(offer.about, 60)}" if offer.about else ""
        key = (f"{offer.key:<{KEY_CELLS}} ", f"bold {style}".strip())
        return ListedChoice(hung((key, (offer.command.help, style), (why, "$warning")), width), offer.run)

    def _legend(self, width: int) -> Iterator[HelpLine]:
        glyphs = terminal_glyphs()
        yield _heading("SIGNS")
        for name, meaning in LEGEND:
            meaning = meaning.format(key=key_sign(LISTED_BY[name])) if name in LISTED_BY else meaning
            sign = (f"{getattr(glyphs, name):<{KEY_CELLS}} ", "bold")
            yield ListedChoice(hung((sign, (meaning, "")), width))
        yield _heading("SIGNS OF THE HEADER")
        for kind, meaning in HEADER_LEGEND.items():
            sign = (f"{LINK_SIGNS[kind]:<{KEY_CELLS}} ", "bold")
            yield ListedChoice(hung((sign, (meaning, "")), width))
        if not self._words:
            return
        yield _heading("SEARCH LINE")
        for word, meaning in (*WORDS, *self._words):
            qualifier = (f"{word:<{WORD_CELLS}} ", "bold")
            yield ListedChoice(hung((qualifier, (safe_text(meaning, 200), "")), width))

    def action_search(self) -> None:
        self.set_focus(self.query_one(Field))


def group_of(command: Command, place: str) -> str:
    """Return the heading of a command in the help of this place."""
    if command.handler in ("rows", "scroll", "step_tab") and "mark" not in command.action:
        return MOVING
    belongs = place if place in command.places else command.places[0]
    return GROUPS.get(belongs, belongs.upper())


def _heading(name: str) -> HelpLine:
    return ListedChoice(styled((name, "$text-muted")), is_passed=True)
