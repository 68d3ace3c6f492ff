"""Asks for a key over whatever is on screen. What is typed or pasted is not shown."""

from collections.abc import Awaitable, Callable

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.widgets import Input, Static

from flagtui.app.widgets.dialog import Dialog
from flagtui.app.widgets.field import Field
from flagtui.app.widgets.line import styled
from flagtui.safe_text import safe_text
from flagtui.text.styled import Piece

LONGEST_KEY = 512


class SignInScreen(Dialog[bool | None]):
    """Answers None for later; else a key was accepted, and whether it is to be kept for the next start."""

    BINDINGS = [
        Binding("escape", "leave", "later", key_display="esc", priority=True),
        Binding("ctrl+s", "keep", "sign in and keep", priority=True),
    ]
    AUTO_FOCUS = "Input"

    def __init__(self, host: str, why: str, attempt: Callable[[str], Awaitable[str]], can_keep: bool) -> None:
        super().__init__()
        self._host = host
        self._why = why
        self._attempt = attempt
        self._can_keep = can_keep

    def compose(self) -> ComposeResult:
        with Vertical(id="sign-in") as box:
            box.border_title = styled((" Sign in ", "bold $warning"))
            keeping = " · ctrl+s and keep the key" if self._can_keep else ""
            box.border_subtitle = f"⏎ sign in{keeping} · esc later"
            yield Static(styled(*self._words()))
            yield Field(password=True, max_length=LONGEST_KEY, placeholder="paste a personal API key (phx_…)")
            yield Static(
                styled(("What is open stays open; nothing is repeated by itself.", "$faint")), id="said"
            )

    def _words(self) -> list[Piece]:
        why = [(f"{safe_text(self._why, 300)}\n", "$warning")] if self._why else []
        return [*why, ("server  ", "$text-muted"), (safe_text(self._host, 80), "bold")]

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self._try(keep=False)

    def action_keep(self) -> None:
        if self._can_keep:
            self._try(keep=True)

    @work(exclusive=True, group="sign in")
    async def _try(self, *, keep: bool) -> None:
        self._say("asking the server…", "$text-muted")
        complaint = await self._attempt(self.query_one(Field).value)
        if complaint:
            self._say(complaint, "$error")
            self.query_one(Field).clear()
        elif self.is_current:
            self.dismiss(keep)

    def _say(self, words: str, style: str) -> None:
        self.query_one("#said", Static).update(styled((safe_text(words, 400), style)))
