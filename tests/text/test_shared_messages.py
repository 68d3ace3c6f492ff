"""Messages of the app and the command line."""

from flagtui.text.shared_messages import invalid_moment, lacking_scope, requested_recalculation


def test_messages_name_scopes_statuses_and_valid_moments() -> None:
    assert lacking_scope("change flags", "feature_flag:write") == (
        "change flags: the key lacks feature_flag:write"
    )
    assert requested_recalculation("") == "requested a recalculation of all days: accepted"
    assert requested_recalculation("pending\x1b[31m").endswith(": pending␛[31m")
    words = invalid_moment("soon", "2h or 14:05", 1_772_442_000.0)
    assert words == "'soon' is not a valid time; use 2h or 14:05, in UTC"
