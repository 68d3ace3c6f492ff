"""State of the connection: offline without any response, slow while responses are late."""

from tests.doubles.servers import StillClock

from flagtui.api.connection_state import SLOW, ConnectionState
from flagtui.api.errors import ErrorFacts, Unanswered, Unreachable

NO_SERVER = Unreachable("the server is unreachable")
LATE = Unanswered("no answer came", facts=ErrorFacts("GET", False, "/"))
LATE_WRITE = Unanswered("no answer came", facts=ErrorFacts("PATCH", True, "/"))


def test_link_is_offline_while_its_last_request_failed() -> None:
    link = ConnectionState(StillClock())
    link.note_failure(NO_SERVER, link.events)
    assert (link.is_offline, link.last_answer) == (True, None)
    link.note_response(None)
    assert (link.is_offline, link.last_answer) == (False, link.clock.time())
    link = ConnectionState(StillClock())
    event = link.events
    link.began()
    link.note_response(None)
    link.note_failure(NO_SERVER, event)
    assert not link.is_offline
    link.note_failure(NO_SERVER, link.events)
    assert link.is_offline


def test_link_is_slow_until_a_response_comes_in_time() -> None:
    link = ConnectionState(StillClock())
    link.note_response(None, SLOW)
    assert link.is_slow
    link.note_response(None)
    assert link.is_slow, "a question that is slow by nature says nothing"
    link.note_response(None, 0.1)
    assert not link.is_slow
    link = ConnectionState(StillClock())
    link.note_failure(LATE, link.events)
    assert (link.is_offline, link.is_slow) == (False, True)
    link.note_failure(LATE_WRITE, link.events)
    assert (link.is_offline, link.is_slow) == (True, False)
