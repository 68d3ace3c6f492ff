"""Toasts about staged changes."""

from flagtui.changes.sets.change_set import StagedChange
from flagtui.text.set_words import explain_staged


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
