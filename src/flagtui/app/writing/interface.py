"""What a change needs of the app while it is made: to ask, to tell, and to be waited for."""

from collections.abc import Coroutine
from typing import Any, Protocol, TypeVar

from textual.screen import Screen

from flagtui.app.shell.sign_in import SignIn
from flagtui.store.load_progress import RecordId
from flagtui.store.workspace import Kind, Workspace
from flagtui.text.notices import Notice

Answer = TypeVar("Answer")


class Interface(Protocol):
    """The person at the screen. Nothing they close cancels what is on its way."""

    @property
    def signing_in(self) -> SignIn: ...
    async def ask(self, screen: Screen[Answer]) -> Answer | None: ...
    async def see_through(self, saving: Coroutine[Any, Any, Answer]) -> Answer: ...
    def show_made(self, kind: Kind, record: RecordId, workspace: Workspace) -> None: ...
    def open_record(self, kind: Kind, record: RecordId, key: str) -> None: ...
    def tell(self, notice: Notice) -> None: ...
