"""The help of a screen: its keys and the words of its search line, from the same table the keys come from."""

from collections.abc import Callable, Sequence

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.widgets import Static

from flagtui.app.commands.command import display_key
from flagtui.app.widgets.line import styled
from flagtui.app.widgets.screen_lifecycle import Dialog
from flagtui.text.styled import Piece

SEARCH_WORDS: tuple[tuple[str, str], ...] = (
    ("new check", "words, in any order, in key or description; finds new-check too"),
    ('"exact words"', "quotes keep words together"),
    ("-word  -tag:x", "a minus leaves out"),
    ("type:", "boolean  multivariant  experiment  config"),
    ("runtime:", "server  client  all"),
    ("is:", "on  off  stale  archived  partial  full"),
    ("by:", "me, or part of an e-mail"),
    ("tag:", "one tag"),
    ("rollout:", "<50  >=10  =100"),
    ("updated: created: called:", "<7d  >90d  called:never"),
    ("key:/regex/  id:12", "exactly that"),
)


class HelpScreen(Dialog[None]):
    """Every key that works on the screen underneath; any of the usual keys closes it."""

    BINDINGS = [Binding("escape,q,question_mark,f1,enter", "close", "close", key_display="esc")]
    AUTO_FOCUS = "VerticalScroll"

    def __init__(
        self,
        bindings: Sequence[tuple[Binding, bool]],
        title: str,
        states: Sequence[Piece] = (),
        why_not: Callable[[str], str] = lambda command: "",
        searches: bool = True,
    ) -> None:
        super().__init__()
        self._searches = searches
        self._why_not = why_not
        self._commands = bindings
        self._heading = title
        self._states = states

    def compose(self) -> ComposeResult:
        with VerticalScroll() as body:
            body.border_title = styled((f" {self._heading} ", "bold $primary"))
            body.border_subtitle = "esc close"
            yield Static(styled(*self._lines()))

    def _lines(self) -> list[Piece]:
        pieces: list[Piece] = [("KEYS\n", "$text-muted")]
        seen: set[str] = set()
        for binding, enabled in self._commands:
            if binding.action.removeprefix("app.") in seen or not binding.tooltip:
                continue
            seen.add(binding.action.removeprefix("app."))
            keys = display_key(self.app, binding)
            pieces.append((f"  {keys:<12}", "bold" if enabled else "$faint"))
            why = "" if enabled else self._why_not(binding.id or "")
            pieces.append((f"{binding.tooltip}", "" if enabled else "$faint"))
            pieces.append((f"  {why}\n" if why else "\n", "$warning"))
        if self._states:
            pieces += [("\nSTATES\n", "$text-muted"), *self._states]
        if self._searches:
            pieces.append(("\nSEARCH LINE\n", "$text-muted"))
        for word, meaning in SEARCH_WORDS if self._searches else ():
            pieces += [(f"  {word:<26}", "bold $primary"), (f"{meaning}\n", "")]
        return pieces

    def action_close(self) -> None:
        self.dismiss(None)
