"""Messages of the app and the command line: toasts, empty lists and refusals."""

from flagtui.api.errors import NameNotFound, NoAccess
from flagtui.changes.sets.change_set import StagedChange
from flagtui.text.empty_states import trouble_words
from flagtui.text.set_words import explain_staged
from flagtui.text.shared_messages import lacking_scope, requested_recalculation


def stage_change(record: int, key: str) -> StagedChange:
    off = {"active": True}, {"active": False}
    return StagedChange(kind="flag", record=record, key=key, verb="turn off", base=off[0], values=off[1])


def test_change_that_undoes_a_staged_one_is_not_called_staged() -> None:
    first, second = stage_change(1, "new-nav"), stage_change(2, "geo")
    notice = explain_staged([first], [second])
    assert (notice.title, notice.text) == ("staged 1", "new-nav: not staged any more; nothing was sent")
    assert explain_staged([first], [first]).text.startswith("new-nav: on → off\n")
    assert explain_staged([first, second], []).text == "2 changes: not staged any more; nothing was sent"
    assert explain_staged([first, second], [second]).text.startswith("2 changes\n")


def test_messages_name_scopes_and_statuses() -> None:
    assert lacking_scope("change flags", "feature_flag:write") == (
        "change flags: the key lacks feature_flag:write"
    )
    assert requested_recalculation("") == "requested a recalculation of all days: accepted"
    assert requested_recalculation("pending\x1b[31m").endswith(": pending␛[31m")


def test_failed_list_does_not_mention_changes() -> None:
    words = " ".join(trouble_words(NameNotFound("No host is called us.example.")).lines)
    assert "No host is called us.example." in words
    assert "changed" not in words
    assert "F5 retries" in words
    assert "switches project" not in words
    assert "p switches project" in " ".join(trouble_words(NoAccess("No access (403).")).lines)
