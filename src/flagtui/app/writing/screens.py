"""What a change needs of the app while it is made: to ask on a screen, to tell, and to be waited for."""

from collections.abc import Coroutine
from contextlib import AbstractContextManager
from typing import Any, Protocol, TypeVar

from textual.app import App
from textual.screen import Screen

from flagtui.store.load_progress import RecordId
from flagtui.store.workspace import Kind, Workspace
from flagtui.text.styled import Notice

Answer = TypeVar("Answer")


class Screens(Protocol):
    """The person at the screen. Nothing they close cancels what is on its way."""

    app: App[Any]
    passed: frozenset[str]
    """Ids of changes in the journal that were found to be as before already."""

    def open_workspace(self) -> Workspace | None: ...
    async def ask(self, screen: Screen[Answer]) -> Answer | None: ...
    async def see_through(self, saving: Coroutine[Any, Any, Answer]) -> Answer: ...
    def show_made(self, kind: Kind, record: RecordId, workspace: Workspace) -> None: ...
    def open_record(self, kind: Kind, record: RecordId, key: str) -> None: ...
    def reading(self, what: str) -> AbstractContextManager[None]: ...
    def tell(self, notice: Notice) -> None: ...
