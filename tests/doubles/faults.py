"""Faults instead of a response, by name: for random hands, the app and the command line."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Literal

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
    """Of a write: its answer is lost, it was refused, another change came first, or nothing was sent."""


def _refusal(status: int, code: str, words: str, exit_code: int) -> Fault:
    return Fault(
        lambda *_: httpx.Response(status, json={"code": code, "detail": "Not so."}),
        words,
        exit_code,
        "refused",
    )


FAULTS: Final[Mapping[str, Fault]] = {
    "no answer": Fault(
        lambda request, _: httpx.ReadTimeout("no answer", request=request), "took too long to respond"
    ),
    "reset": Fault(lambda request, _: httpx.ReadError("reset", request=request), "broke before the whole"),
    "closed": Fault(
        lambda request, _: httpx.RemoteProtocolError("gone", request=request), "broke before the whole"
    ),
    "500": Fault(lambda *_: httpx.Response(500, json={"detail": "broken"}), "failed (500)"),
    "502 page": Fault(lambda *_: httpx.Response(502, html="<html>bad gateway</html>"), "failed (502)"),
    "503": Fault(lambda *_: httpx.Response(503, headers={"Retry-After": "1"}), "failed (503)"),
    "429": Fault(
        lambda *_: httpx.Response(429, headers={"Retry-After": "1"}), "Too many requests", 4, "refused"
    ),
    "401": _refusal(401, "authentication_failed", "not accepted (401)", 5),
    "403": _refusal(403, "permission_denied", "Not allowed (403)", 5),
    "404": _refusal(404, "not_found", "not there (404)", 6),
    "404 page": Fault(
        lambda *_: httpx.Response(404, html="<html>gone</html>"), "A proxy or an old server", means="refused"
    ),
    "409": Fault(
        lambda *_: httpx.Response(409, json={"code": "conflict", "detail": "Conflict."}),
        "changed it meanwhile",
        4,
        "compared",
    ),
    "redirect": Fault(
        lambda *_: httpx.Response(302, headers={"Location": "https://evil.example/"}),
        "points to https://evil.example/",
        means="refused",
    ),
    "web page": Fault(lambda *_: httpx.Response(200, html="<html>hello</html>"), "it is a web page"),
    "null": Fault(lambda *_: httpx.Response(200, content=b"null"), "cannot be read"),
    "list": Fault(lambda *_: httpx.Response(200, json=[[[]]]), "cannot be read"),
    "half an answer": Fault(
        lambda _, real: httpx.Response(200, content=real.content[: len(real.content) // 2]), "cannot be read"
    ),
    "connection refused": Fault(
        lambda request, _: httpx.ConnectError("not reached", request=request),
        "cannot be reached",
        means="not_reached",
    ),
    "connect timeout": Fault(
        lambda request, _: httpx.ConnectTimeout("not reached", request=request),
        "did not respond in time",
        means="not_reached",
    ),
}

ENDINGS: Final[Mapping[tuple[Meaning, bool], str]] = {
    ("lost", True): "saved",
    ("lost", False): "failed",
    ("compared", True): "saved",
    ("compared", False): "conflicted",
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
