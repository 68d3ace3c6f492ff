"""The smallest app whose screens have an owner: a list, records above it and a question."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tests.doubles import quiet
from textual import work
from textual.app import ComposeResult
from textual.screen import Screen
from textual.widgets import Label

from flagtui.app.shell.screen_owner import IN_A_ROW, ScreenOwner
from flagtui.app.widgets.dialog import Dialog
from flagtui.app.widgets.screen_lifecycle import OwnedScreen


class Listing(OwnedScreen[None]):
    def compose(self) -> ComposeResult:
        yield Label("rows")


class Asking(Dialog[str | None]):
    pass


class Record(OwnedScreen[None]):
    """A record whose details come late."""

    def __init__(self, about: int = 0, listener: Callable[[], None] = lambda: None) -> None:
        super().__init__()
        self._about, self._listener = about, listener
        self.let_go = asyncio.Event()
        self.looked = 0

    @property
    def opened_for(self) -> object:
        return self._about

    def compose(self) -> ComposeResult:
        yield Label("details")

    def keep_edits(self, above: Sequence[Screen[Any]]) -> str:
        """As of a form with a draft that is named like this."""
        if self._about < 0:
            raise OSError(None, "No room")
        return "a-flag"

    @work
    async def look(self) -> None:
        await self.let_go.wait()
        self.looked += 1
        self.query_one(Label).update("known")

    def heard(self) -> None:
        self._listener()
        self.query_one(Label).update("heard")


class Owner(ScreenOwner[None]):
    def __init__(self) -> None:
        super().__init__()
        self.reports: list[BaseException] = []
        self.renewed: list[Screen[Any]] = []
        self.open_changes = ""

    def on_mount(self) -> None:
        self.install_screen(Listing(), "list")
        self.push_screen("list")

    def keep_report(self, fault: BaseException) -> Path | None:
        self.reports.append(fault)
        return None

    def renew_list(self, screen: Screen[Any]) -> None:
        self.renewed.append(screen)

    def words_about_open_changes(self) -> str:
        return self.open_changes

    @work(exit_on_error=True)
    async def ask(self, answers: list[str | None]) -> None:
        answers.append(await self.push_screen_wait(Asking()))

    @property
    def words(self) -> str:
        return " ".join(f"{notice.title} {notice.message}" for notice in self._notifications)

    @property
    def stack(self) -> list[type]:
        return [type(screen) for screen in self.screen_stack[1:]]

    def forget_fault(self) -> None:
        self._last_fault -= IN_A_ROW


@asynccontextmanager
async def open_owner() -> AsyncIterator[Owner]:
    owner = Owner()
    async with quiet.run_quietly(owner, notifications=True) as pilot:
        while not owner._is_up:
            await pilot.pause()
        yield owner
