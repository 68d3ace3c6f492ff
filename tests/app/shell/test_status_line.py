"""The words of the first line about reads after a failure."""

from types import SimpleNamespace
from typing import Any

import pytest

from flagtui.app.shell.status_line import retry_words


@pytest.mark.parametrize(
    ("retry_in", "retry_at", "words"),
    [(0.0, 0.0, ""), (4.2, 104.2, "retrying in 5 s"), (0.0, 100.0, "retrying now")],
)
def test_retry_is_counted_down_and_named_while_it_runs(retry_in: float, retry_at: float, words: str) -> None:
    app_state: Any = SimpleNamespace(retry_in=retry_in, retry_at=retry_at)
    assert retry_words(app_state) == words
