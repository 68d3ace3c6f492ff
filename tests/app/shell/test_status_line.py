"""The words of the first line about reads after a failure."""

from types import SimpleNamespace
from typing import Any

import pytest

from flagtui.api.errors import ApiError, ErrorFacts, MissingScope, Refused
from flagtui.app.shell.status_line import link_of, retry_words


@pytest.mark.parametrize(
    ("retry_in", "retry_at", "words"),
    [(0.0, 0.0, ""), (4.2, 104.2, "retrying in 5 s"), (0.0, 100.0, "retrying now")],
)
def test_retry_is_counted_down_and_named_while_it_runs(retry_in: float, retry_at: float, words: str) -> None:
    app_state: Any = SimpleNamespace(retry_in=retry_in, retry_at=retry_at)
    assert retry_words(app_state) == words


@pytest.mark.parametrize(
    ("trouble", "words"),
    [
        (MissingScope("The key lacks a scope (403).", facts=ErrorFacts(status=403)), "403"),
        (Refused("Nothing listens there."), "no connection"),
    ],
)
def test_server_that_refused_to_open_a_project_was_connected(trouble: ApiError, words: str) -> None:
    before_opening = {
        "workspace": None,
        "shows_saving": False,
        "reading": "",
        "retry_in": 0.0,
        "retry_at": 0.0,
    }
    session = SimpleNamespace(mirror=None)
    app_state: Any = SimpleNamespace(trouble=trouble, session=session, **before_opening)
    assert link_of(app_state).words == words
