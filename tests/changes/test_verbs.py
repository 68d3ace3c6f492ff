"""Each change has words that read well in a title, when done, and when taken back."""

import pytest

from flagtui.changes.verbs import verb, verb_for
from flagtui.models.json_value import JSON


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("turn off", "Turn OFF"),
        ("delete", "Delete"),
        ("unarchive", "Unarchive"),
        ("change description", "Change description of"),
        ("add a condition to", "Add a condition to"),
        ("set rollout", "Change the rollout of"),
    ],
)
def test_a_title_can_be_followed_by_the_key(name: str, title: str) -> None:
    assert verb(name).title == title


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"active": True}, "turn on"),
        ({"active": False}, "turn off"),
        ({"active": True, "archived": False}, "unarchive"),
        ({"deleted": False, "key": "a"}, "restore"),
        ({"key": "a"}, "rename"),
        ({"name": "a"}, "change description"),
        ({"filters": {}}, "change targeting"),
        ({"name": "a", "filters": {}}, "edit"),
    ],
)
def test_new_values_are_called_by_what_they_do(changes: dict[str, JSON], name: str) -> None:
    assert verb_for(changes) == name


def test_only_what_cannot_be_shrugged_off_is_grave() -> None:
    grave = [
        name for name in ("turn off", "turn on", "delete", "rename", "edit", "archive") if verb(name).is_grave
    ]
    assert grave == ["delete", "rename"]


@pytest.mark.parametrize(("count", "words"), [(1, "turn it on again"), (3, "turn them on again")])
def test_undo_speaks_of_as_many_as_were_changed(count: int, words: str) -> None:
    assert verb("turn off").undo_of(count) == words
