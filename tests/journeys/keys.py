"""Keys that are revoked, typed and made in a journey."""

import httpx
from tests.doubles.whole_program import KEY, Program
from tests.doubles.wire import Wire
from textual.widgets import Input

from flagtui.service.keys import NewKey, create_key

REVOKED = {"type": "authentication_error", "code": "authentication_failed", "detail": "Invalid API key."}


def revoke(wire: Wire, method: str = "") -> None:
    """The server knows this key no more; any other it still knows."""

    def refuse(request: httpx.Request) -> httpx.Response | None:
        is_ours = request.headers["authorization"] == f"Bearer {KEY}"
        return httpx.Response(401, json=REVOKED) if is_ours and request.method.startswith(method) else None

    wire.before = refuse


async def type_key(program: Program, key: str) -> None:
    """Put a key into the sign-in screen."""
    program.app.screen.query_one(Input).value = key
    await program.press("enter")


def another_key(program: Program, *scopes: str) -> str:
    return create_key(program.database, NewKey("another", scopes or ("*",)))
