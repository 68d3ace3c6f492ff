"""State of the connection: offline without any response, slow while responses are late."""

from tests.doubles.servers import StillClock

from flagtui.api.connection_state import SLOW, ConnectionState
from flagtui.api.errors import ErrorFacts, Unanswered, Unreachable

NO_SERVER = Unreachable("the server is unreachable")
LATE = Unanswered("no answer came", facts=ErrorFacts("GET", False, "/"))
LATE_WRITE = Unanswered("no answer came", facts=ErrorFacts("PATCH", True, "/"))


def test_a_link_is_offline_while_the_last_request_found_nobody() -> None:
    link = ConnectionState(StillClock())
    link.note_failure(NO_SERVER, link.now)
    assert (link.is_offline, link.last_answer) == (True, None)
    link.note_response(None)
    assert (link.is_offline, link.last_answer) == (False, link.clock.time())


def test_one_failure_among_responses_is_not_offline() -> None:
    link = ConnectionState(StillClock())
    event = link.now
    link.began()
    link.note_response(None)
    link.note_failure(NO_SERVER, event)
    assert not link.is_offline
    link.note_failure(NO_SERVER, link.now)
    assert link.is_offline


def test_unanswered_change_is_offline_and_unanswered_read_is_slow() -> None:
    link = ConnectionState(StillClock())
    link.note_failure(LATE, link.now)
    assert (link.is_offline, link.is_slow) == (False, True)
    link.note_failure(LATE_WRITE, link.now)
    assert (link.is_offline, link.is_slow) == (True, False)


def test_late_answers_are_slow_until_one_comes_in_time() -> None:
    link = ConnectionState(StillClock())
    link.note_response(None, SLOW)
    assert link.is_slow
    link.note_response(None)
    assert link.is_slow, "a question that is slow by nature says nothing"
    link.note_response(None, 0.1)
    assert not link.is_slow
