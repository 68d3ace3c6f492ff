"""Messages of the app and the command line."""

from flagtui.text.shared_messages import lacking_scope, requested_recalculation


def test_messages_name_scopes_and_statuses() -> None:
    assert lacking_scope("change flags", "feature_flag:write") == (
        "change flags: the key lacks feature_flag:write"
    )
    assert requested_recalculation("") == "requested a recalculation of all days: accepted"
    assert requested_recalculation("pending\x1b[31m").endswith(": pending␛[31m")
