"""Faults instead of a response, by name: for random hands, the app and the command line."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

import httpx

Serve = Callable[[httpx.Request, httpx.Response], httpx.Response | Exception]
"""What comes instead of the real answer to a request."""
Meaning = Literal["lost", "refused", "compared", "not_reached"]


@dataclass(frozen=True)
class Fault:
    """One of them, and what it has to be taken for."""

    serve: Serve
    words: str
    """What is said of a read."""
    code: int = 1
    """How a command ends whose read it is."""
    means: Meaning = "lost"
    """Of a write: its answer is lost, it was refused, the record decides, or nothing was sent."""


def _raises(kind: type[httpx.RequestError], words: str, means: Meaning = "lost") -> Fault:
    return Fault(lambda request, _: kind("no answer", request=request), words, means=means)


def _answers(words: str, status: int, means: Meaning = "lost", code: int = 1, **parts: Any) -> Fault:
    return Fault(lambda *_: httpx.Response(status, **parts), words, code, means)


def _refuses(words: str, status: int, code: str, exit_code: int, means: Meaning = "refused") -> Fault:
    return _answers(words, status, means, exit_code, json={"code": code, "detail": "Not so."})


FAULTS: Final[Mapping[str, Fault]] = {
    "no answer": _raises(httpx.ReadTimeout, "took too long to respond"),
    "reset": _raises(httpx.ReadError, "broke before the whole"),
    "closed": _raises(httpx.RemoteProtocolError, "broke before the whole"),
    "500": _answers("failed (500)", 500, json={"detail": "broken"}),
    "502 page": _answers("failed (502)", 502, html="<html>bad gateway</html>"),
    "503": _answers("failed (503)", 503, headers={"Retry-After": "1"}),
    "429": _answers("Too many requests", 429, "refused", 4, headers={"Retry-After": "1"}),
    "401": _refuses("not accepted (401)", 401, "authentication_failed", 5),
    "403": _refuses("Not allowed (403)", 403, "permission_denied", 5),
    "404": _refuses("not there (404)", 404, "not_found", 6),
    "404 page": _answers("A proxy or an old server", 404, "refused", html="<html>gone</html>"),
    "409": _refuses("changed it meanwhile", 409, "conflict", 4, "compared"),
    "redirect": _answers(
        "points to https://evil.example/", 302, "refused", headers={"Location": "https://evil.example/"}
    ),
    "web page": _answers("it is a web page", 200, html="<html>hello</html>"),
    "null": _answers("cannot be read", 200, content=b"null"),
    "list": _answers("cannot be read", 200, json=[[[]]]),
    "half an answer": Fault(
        lambda _, real: httpx.Response(200, content=real.content[: len(real.content) // 2]), "cannot be read"
    ),
    "connection refused": _raises(httpx.ConnectError, "cannot be reached", "not_reached"),
    "connect timeout": _raises(httpx.ConnectTimeout, "did not respond in time", "not_reached"),
}

ENDINGS: Final[Mapping[tuple[Meaning, bool], str]] = {
    ("lost", True): "saved",
    ("lost", False): "failed",
    ("compared", True): "saved",
    ("compared", False): "refused",
    ("refused", False): "refused",
    ("not_reached", False): "failed",
}
"""How a change has to end, by what the fault means and whether the server had acted."""
DONE_OR_NOT: Final = [
    (name, is_done)
    for name, fault in FAULTS.items()
    for is_done in (True, False)
    if (fault.means, is_done) in ENDINGS
]
"""Each fault, before the server acts and, where that can be, after it."""
SENT_AGAIN: Final = {"429"}
"""What says that nothing was done, and when to come again."""
