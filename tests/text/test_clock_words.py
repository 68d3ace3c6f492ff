"""The clock of this machine against the server's."""

import pytest
from tests.doubles.steady_clock import SteadyClock

from flagtui.api.connection_state import ConnectionState
from flagtui.text.clock_words import clock_words


@pytest.mark.parametrize(
    ("ahead", "words"),
    [
        (None, ""),
        (59, ""),
        (-59, ""),
        (70, "1 minute ahead of the server's"),
        (-600, "10 minutes behind the server's"),
        (-90_000, "25 hours behind the server's"),
    ],
)
def test_clock_is_compared_with_the_servers(ahead: float | None, words: str) -> None:
    clock = SteadyClock()
    link = ConnectionState(clock)
    link.note_response(None if ahead is None else clock.time() - ahead)
    assert clock_words(link) == words
