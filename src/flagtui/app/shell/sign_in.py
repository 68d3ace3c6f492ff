"""Prompt for another key, over the open screen, when one is missing or no longer accepted."""

import asyncio
import dataclasses
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, TypeVar

from msgspec.structs import replace
from textual import on, work
from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.widgets import Input, Static

from flagtui.api import Client
from flagtui.api.errors import ApiError, needs_key
from flagtui.app.shell.toasts import show_toast
from flagtui.app.state.app_state import AppState, Session
from flagtui.app.widgets.dialog import Dialog
from flagtui.app.widgets.field import Field
from flagtui.app.widgets.line import styled
from flagtui.changes.skipped import Skipped
from flagtui.config.credentials import await_call
from flagtui.safe_text import safe_text
from flagtui.store.key_info import Introduction, abilities, load_identity
from flagtui.text.outcomes import explain_error
from flagtui.text.shared_messages import lacking_scope
from flagtui.text.styled import Notice, Piece

LONGEST_KEY: Final = 512
NOTE: Final[Piece] = ("What is open stays open; nothing is repeated automatically.", "$faint")
AT_ONCE: Final = 8
"""Records that are read at the same time."""
FetchedT = TypeVar("FetchedT")


@dataclass(frozen=True, eq=False)
class AcceptedKey:
    """A key that the profile's server knows."""

    text: str = field(repr=False)
    client: Client
    introduction: Introduction
    keep: bool = False
    """Whether it is to be there at the next start."""


async def try_key(with_key: Callable[[str], Client], text: str) -> AcceptedKey | str:
    """Return the key once the server has accepted it, or why it does not do."""
    try:
        client = with_key(text)
    except ApiError as error:
        return f"{error.what} {error.next}"
    try:
        return AcceptedKey(text, client, await load_identity(client))
    except ApiError as error:
        await client.close()
        return f"{error.what} {error.next}"


class SignInScreen(Dialog[AcceptedKey | None]):
    """Answers with a key that was accepted, or None for later."""

    BINDINGS = [
        Binding("escape", "leave", "later", key_display="esc", priority=True),
        Binding("ctrl+n", "sign_in_once", "sign in without keeping the key", priority=True),
    ]
    AUTO_FOCUS = "Input"

    def __init__(
        self, host: str, why: str, attempt: Callable[[str], Awaitable[AcceptedKey | str]], can_keep: bool
    ) -> None:
        super().__init__()
        self._host = host
        self._why = why
        self._attempt = attempt
        self._can_keep = can_keep

    def compose(self) -> ComposeResult:
        with Vertical(id="sign-in") as box:
            box.border_title = styled((" Sign in ", "bold $warning"))
            # Whole at 60 columns.
            keeping = " and keep key · ctrl+n once" if self._can_keep else ""
            box.border_subtitle = f"⏎ sign in{keeping} · esc later"
            yield Static(styled(*self._words()), id="sign-in-why")
            yield Field(password=True, max_length=LONGEST_KEY, placeholder="paste a personal API key (phx_…)")
            yield Static(styled(NOTE), id="sign-in-note")

    def _words(self) -> list[Piece]:
        why = [(f"{safe_text(self._why, 400)}\n", "$warning")] if self._why else []
        return [*why, ("server  ", "$text-muted"), (safe_text(self._host, 80), "bold")]

    @on(Input.Submitted)
    def _on_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self._try(keep=self._can_keep)

    def action_sign_in_once(self) -> None:
        self._try(keep=False)

    @work(exclusive=True, group="sign in", description="try")
    async def _try(self, *, keep: bool) -> None:
        self._show("asking the server…", "$text-muted")
        accepted = await self._attempt(self.query_one(Field).value)
        if isinstance(accepted, str):
            # The reason to sign in is often the same one.
            self._why = accepted
            self.query_one("#sign-in-why", Static).update(styled(*self._words()))
            self._show(*NOTE)
            self.query_one(Field).clear()
        elif self.is_current:
            self.dismiss(dataclasses.replace(accepted, keep=keep))

    def _show(self, words: str, style: str) -> None:
        self.query_one("#sign-in-note", Static).update(styled((words, style)))


class SignIn:
    """Prompts for a key; everything open stays open."""

    def __init__(self, app: App[Any], app_state: AppState) -> None:
        self._app = app
        self._app_state = app_state
        self._is_asking = False
        self._turn = asyncio.Lock()
        self._asked = 0
        self._has_helped = False
        self.opens: Introduction | None = None
        """The response of the server to the last key."""

    async def ask(self, why: ApiError | None = None) -> bool:
        """Return True when the user gave a valid key. Only within a worker; repeats nothing automatically."""
        session = self._app_state.session
        if session.with_key is None or self._is_asking:
            return False
        attempt = partial(try_key, session.with_key)
        screen = SignInScreen(session.host, why.what if why else "", attempt, bool(session.keep_key))
        self._is_asking = True
        try:
            accepted = await self._app.push_screen_wait(screen)
        finally:
            self._is_asking = False
        if accepted is None:
            return False
        await self._adopt(session, session.with_key, accepted)
        if accepted.keep and session.keep_key is not None:
            show_toast(self._app, Notice(await await_call(partial(session.keep_key, accepted.text))))
        return True

    async def helps(self, error: ApiError | None) -> bool:
        """Ask for a key and return whether that resolved the error. Only within a worker."""
        if error is None or not needs_key(error):
            return False
        turns = self._asked
        async with self._turn:
            if self._asked == turns:
                # Of several that were refused at the same time one asks, and the answer counts for all.
                self._app_state.become_troubled(error)
                self._has_helped = await self.ask(error)
                self._asked += 1
        return self._has_helped

    async def fetch(self, about: str, ask: Callable[[], Awaitable[FetchedT]]) -> FetchedT | None:
        """Return the response; on an error show a toast and return None. Only within a worker."""
        response = await self._attempt(ask)
        if isinstance(response, ApiError):
            show_toast(self._app, explain_error(response, about))
            return None
        return response

    async def fetch_each(
        self,
        named: Sequence[tuple[int, str]],
        ask: Callable[[int], Awaitable[FetchedT | Skipped]],
        show_progress: Callable[[int], None],
    ) -> tuple[list[FetchedT], list[Skipped]]:
        """Return the records of these ids and names, and the unreadable ones. Only within a worker.

        `show_progress` is called with the number of those read so far.
        """
        turn, read = asyncio.Semaphore(AT_ONCE), 0

        async def fetch_record(id: int, name: str) -> FetchedT | Skipped:
            async with turn:
                response = await self._attempt(lambda: ask(id))
            nonlocal read
            read += 1
            show_progress(read)
            if isinstance(response, ApiError):
                return Skipped(id, name, response.what.rstrip("."), response.next.rstrip("."))
            return response

        responses = await asyncio.gather(*(fetch_record(id, name) for id, name in named))
        records = [response for response in responses if not isinstance(response, Skipped)]
        return records, [response for response in responses if isinstance(response, Skipped)]

    async def _attempt(self, ask: Callable[[], Awaitable[FetchedT]]) -> FetchedT | ApiError:
        while True:
            try:
                return await ask()
            except ApiError as error:
                if not await self.helps(error):
                    return error

    async def _adopt(
        self, session: Session, with_key: Callable[[str], Client], accepted: AcceptedKey
    ) -> None:
        """Continue everything that is open with the new key."""
        workspace, client, introduction = self._app_state.workspace, accepted.client, accepted.introduction

        async def connect() -> Client:
            return with_key(accepted.text)

        self.opens = introduction
        self._app_state.session = replace(session, connect=connect)
        if workspace is not None:
            workspace.client.take_key_of(client)
            workspace.me, workspace.key = introduction.me or workspace.me, introduction.key
        await client.close()
        if needs_key(self._app_state.trouble):
            self._app_state.become_troubled(None)
        self._app_state.notify_watchers()
        show_toast(self._app, welcome(introduction))


def welcome(introduction: Introduction) -> Notice:
    """Return the toast with the owner of the key and what will not work with it."""
    lacking = [ability for ability in abilities(introduction.key) if not ability.works]
    who = f" as {introduction.person}" if introduction.person else ""
    lines = [f"signed in{who}", *(lacking_scope(ability.words, ability.scope) for ability in lacking)]
    return Notice("\n".join(lines), "warning" if lacking else "information")
