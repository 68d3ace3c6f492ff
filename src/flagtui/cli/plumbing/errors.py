"""Trouble that ends a command: what happened and what to do next, never a traceback."""

import errno
import json
import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import Final, Literal

from flagtui.api import errors
from flagtui.api.errors import ApiError
from flagtui.safe_text import safe_text

Code = Literal[
    "failed",
    "usage",
    "nothing_to_do",
    "refused",
    "conflict",
    "not_known",
    "awaiting_approval",
    "rate_limited",
    "sign_in",
    "not_found",
    "findings",
]
EXIT_CODES: Final[Mapping[Code, int]] = {
    "failed": 1,
    "usage": 2,
    "nothing_to_do": 3,
    "refused": 3,
    "conflict": 4,
    "not_known": 4,
    "awaiting_approval": 4,
    "rate_limited": 4,
    "sign_in": 5,
    "not_found": 6,
    "findings": 7,
}
READER_GONE: Final = 141
"""The exit code that a shell reports for a program ended by SIGPIPE."""
EXIT_WORDS: Final[Mapping[int, str]] = {
    0: "done, or every record has the requested values already (`unchanged`)",
    1: "failed",
    2: "the command line or a setting is wrong",
    3: "nothing is selected, or a change is skipped, refused or not confirmed",
    4: "it was changed first, it waits for approval, the rate limit is reached, or the outcome is not known",
    5: "the key is missing, wrong, or may not do this",
    6: "not found",
    7: "findings, a compared file differs, or a tested state is false",
    129: "the terminal was closed (SIGHUP); a change in flight was finished",
    130: "stopped by ctrl+c; `serve` and `mirror` end with 0 then",
    READER_GONE: "the reader of the output, such as head, stopped reading",
    143: "ended by SIGTERM; a change in flight was finished; `serve` and `mirror` end with 0 then",
}


OUTPUT_FAULTS: Final = (errno.EPIPE, errno.ENOSPC, errno.EIO, errno.EBADF)
"""What a closed pipe, a full disk, a failing one and a closed output give."""


class OutputLost(Exception):
    """The output of a command that does more than show something could not be written."""

    def __init__(self, fault: OSError, *, is_in_journal: bool) -> None:
        super().__init__(fault.strerror or str(fault))
        self.is_in_journal = is_in_journal
        """Whether the journal has the change."""


class Trouble(Exception):
    """An error with what happened and what to do next; its code decides the exit code."""

    def __init__(self, what: str, fix: str = "", *, code: Code = "failed", retryable: bool = False) -> None:
        super().__init__(what)
        self.what = what
        self.fix = fix
        self.code = code
        self.retryable = retryable
        """Whether the same command may work a little later."""

    def __str__(self) -> str:
        return safe_text(f"{self.what} {self.fix}".rstrip(), 1_000)

    @property
    def exit_code(self) -> int:
        return EXIT_CODES[self.code]

    def as_json(self) -> str:
        """Return one line for programs, in plain ASCII."""
        error = {"code": self.code, "message": self.what, "fix": self.fix, "retryable": self.retryable}
        return json.dumps({"error": error}, ensure_ascii=True)


def unknown_owner(name: str) -> Trouble:
    """Return the trouble with `by:me`, or another qualifier, where the owner of the key is not known."""
    fix = "Name the person, or use a key that may read its owner."
    return Trouble(f"{name}:me cannot be known with this key.", fix, code="refused")


def in_words(error: ApiError) -> Trouble:
    """Convert an error of the API: the server's report or why it was not reached, and the next step."""
    fix = error.next
    if isinstance(error, errors.RateLimited):
        fix = f"Nothing was changed; run again {time_to_retry(error)}."
    return Trouble(error.what, fix, code=code_of(error), retryable=may_work_later(error))


def time_to_retry(error: ApiError) -> str:
    """Return when a command works again that the server refused with 429: `in 3 s`."""
    wait = error.facts.retry_after
    return "in a minute" if wait is None else f"in {max(wait, 1):.0f} s"


def code_of(error: ApiError) -> Code:
    """Return the error code of a command that got this response."""
    match error:
        case errors.NotSignedIn() | errors.BadKey() | errors.Forbidden():
            return "sign_in"
        case errors.BadHost():
            return "usage"
        case errors.NotFound():
            return "not_found"
        case errors.Conflict():
            return "conflict"
        case errors.ApprovalNeeded():
            return "awaiting_approval"
        case errors.RateLimited():
            return "rate_limited"
    return "failed"


def may_work_later(error: ApiError) -> bool:
    """Return whether the same request may work a little later."""
    passing = (errors.Unreachable, errors.Unanswered, errors.ServerFault, errors.RateLimited)
    return isinstance(error, passing) and not isinstance(error, errors.TlsFailed)


def require_text(given: str) -> str:
    """Return typed or piped text, whatever the locale is. Raises Trouble for bytes that are not text."""
    try:
        # A locale without UTF-8 leaves bytes of it undecoded.
        return given.encode(errors="surrogateescape").decode()
    except UnicodeError:
        raise Trouble(f"{given[:80]!r} is not UTF-8.", "Give it as UTF-8.", code="usage") from None


def require_terminal() -> None:
    """Make sure there is a terminal to draw on and to read keys from.

    Raises:
        Trouble: when the input or the standard error is not a terminal, or the terminal cannot be addressed.
    """
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise Trouble(
            "this opens a screen: its input, and the standard error on which it draws, must be a terminal.",
            "Run it in one (over ssh: ssh -t HOST flagtui).",
            code="usage",
        )
    kind = os.environ.get("TERM", "")
    if kind in ("", "dumb", "unknown"):
        raise Trouble(
            f"the terminal is {kind!r} and cannot be drawn on." if kind else "the variable TERM is not set.",
            "Set TERM to what it really is, such as: TERM=xterm-256color flagtui; "
            "or type commands, without a screen: flagtui --linear",
            code="usage",
        )


def drop_output() -> None:
    """Discard the rest of the output, so that Python does not try again."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
