"""A key that is not accepted any more, or not there: another is asked for, over whatever is on screen."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from typing import Any

from textual import on, work
from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.widgets import Input, Static

from flagtui.api import Client
from flagtui.api.errors import ApiError, needs_key
from flagtui.app.shell.toasts import tell
from flagtui.app.state.app_state import AppState, Session
from flagtui.app.widgets.dialog import Dialog
from flagtui.app.widgets.field import Field
from flagtui.app.widgets.line import styled
from flagtui.config.daemon import await_call
from flagtui.safe_text import safe_text
from flagtui.store.key_info import Introduction, abilities, introduce
from flagtui.text.styled import Notice, Piece

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


@dataclass(eq=False)
class Attempt:
    """Keys as they are typed, each tried on the profile's server."""

    session: Session
    text: str = ""
    client: Client | None = field(default=None, repr=False)
    found: Introduction | None = None

    async def run(self, text: str) -> str:
        """Why this key does not do; empty when it does."""
        assert self.session.with_key is not None
        try:
            client = self.session.with_key(text)
        except ApiError as error:
            return f"{error.what} {error.next}"
        try:
            self.found = await introduce(client)
        except ApiError as error:
            await client.close()
            return f"{error.what} {error.next}"
        self.text, self.client = text, client
        return ""


class SignIn:
    """Asks for a key. What was open stays as it is: only the key is another one."""

    def __init__(self, app: App[Any], app_state: AppState) -> None:
        self._app = app
        self._app_state = app_state
        self._is_asking = False
        self._turn = asyncio.Lock()
        self._asked = 0
        self._has_helped = False
        self.opens: Introduction | None = None
        """What the server said of the key given last."""

    async def ask(self, why: ApiError | None = None) -> bool:
        """True when the person gave a key that works. Only within a worker; nothing is repeated by itself."""
        session = self._app_state.session
        if session.with_key is None or self._is_asking:
            return False
        attempt = Attempt(session)
        self._is_asking = True
        try:
            keep = await self._app.push_screen_wait(
                SignInScreen(session.host, why.what if why else "", attempt.run, bool(session.keep_key))
            )
        finally:
            self._is_asking = False
        if keep is None:
            return False
        await self._adopt(session, attempt)
        if keep and session.keep_key is not None:
            kept = session.keep_key
            said = await await_call(lambda: kept(attempt.text))
            tell(self._app, Notice(said))
        return True

    async def helps(self, error: ApiError | None) -> bool:
        """Whether another key was all that was missing, and the person gave one. Only within a worker."""
        if error is None or not needs_key(error):
            return False
        asked = self._asked
        async with self._turn:
            if self._asked == asked:
                # Of several that were refused at the same time one asks, and the answer counts for all.
                self._app_state.become_troubled(error)
                self._has_helped = await self.ask(error)
                self._asked += 1
        return self._has_helped

    async def _adopt(self, session: Session, attempt: Attempt) -> None:
        """Everything there is goes on with the new key."""
        client, found, text = attempt.client, attempt.found, attempt.text
        assert client is not None
        assert found is not None
        workspace = self._app_state.workspace
        with_key = session.with_key
        assert with_key is not None

        async def connect() -> Client:
            return with_key(text)

        self.opens = found
        self._app_state.session = replace(session, connect=connect)
        if workspace is not None:
            workspace.client.take_key_of(client)
            workspace.me, workspace.key = found.me or workspace.me, found.key
        await client.close()
        if needs_key(self._app_state.trouble):
            self._app_state.become_troubled(None)
        self._app_state.tell()
        tell(self._app, welcome(found))


def welcome(found: Introduction) -> Notice:
    """Whose key it is and what will not work with it."""
    lacking = [each for each in abilities(found.key) if not each.works]
    who = f" as {found.person}" if found.person else ""
    lines = [f"signed in{who}", *(f"{each.words}: the key lacks {each.scope}" for each in lacking)]
    return Notice("\n".join(lines), "warning" if lacking else "information")
