from pathlib import Path

import pytest

from flagtui.config.preferences import (
    HISTORY_LIMIT,
    LONGEST_LINE,
    LeftList,
    LeftLists,
    Preferences,
    Remembered,
    place_of,
    recall,
    remember,
)


def test_what_was_remembered_comes_back(tmp_path: Path) -> None:
    preferences = Preferences(memory=tmp_path / "state")
    preferences.keep_preview(False)
    preferences.keep_sort("flags", "-updated")
    preferences.keep_project("prod", "https://h", 12)
    preferences.keep_line(" is:on ")
    kept = recall(tmp_path / "state")
    assert kept == preferences.remembered
    assert (kept.preview, kept.sorts) == (False, {"flags": "-updated"})
    assert kept.projects == {place_of("prod", "https://h"): "12"}
    assert kept.history == ("is:on",)


def test_two_programs_keep_what_the_other_remembered(tmp_path: Path) -> None:
    for preferences, kind, sort, line in (
        (Preferences(memory=tmp_path), "flags", "-updated", "is:on"),
        (Preferences(memory=tmp_path), "events", "name", "is:off"),
    ):
        preferences.keep_sort(kind, sort)
        preferences.keep_line(line)
    kept = recall(tmp_path)
    assert kept.sorts == {"flags": "-updated", "events": "name"}
    assert kept.history == ("is:off", "is:on")


def test_the_newest_line_comes_first_and_once() -> None:
    preferences = Preferences()
    for line in ["a", "b", "", "a", "x" * 2_000]:
        preferences.keep_line(line)
    assert preferences.remembered.history == ("a", "b")
    for number in range(200):
        preferences.keep_line(str(number))
    assert len(preferences.remembered.history) == HISTORY_LIMIT


WRONG_TYPES = b'{"projects": [], "preview": 1, "sorts": {"a": 1}, "history": "x"}'
CONTENTS = [b"", b"{", b"[]", b"null", b"\xff\xfe", WRONG_TYPES, b"[" * 100_000, b" " * 300_000]


@pytest.mark.parametrize("content", CONTENTS)
def test_whatever_is_in_the_file_the_program_starts(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "remembered.json").write_bytes(content)
    assert recall(tmp_path) == Remembered()


def test_without_a_place_nothing_is_remembered_and_nothing_fails(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for folder in (None, tmp_path / "file"):
        assert remember(folder, Remembered()) is False
        assert recall(folder) == Remembered()
    assert remember(tmp_path, Remembered(history=("\ud800",)))
    assert recall(tmp_path).history == ("\ud800",)


def test_overlong_line_is_skipped_and_other_lists_return(tmp_path: Path) -> None:
    left = LeftLists("2", {"1": LeftList("x" * (LONGEST_LINE + 1), 7), "2": LeftList("is:running", 9)})
    Preferences(memory=tmp_path).keep_left("work", "eu", left)
    kept = recall(tmp_path).left[place_of("work", "eu")]
    assert kept == LeftLists("2", {"1": LeftList("", 7), "2": LeftList("is:running", 9)})


def test_saved_search_keeps_its_place_when_its_line_changes() -> None:
    preferences = Preferences()
    for name, line in (("a", "is:on"), ("b", "is:off"), ("a", "is:stale")):
        preferences.keep_query(name, line, "flags")
    queries = [(query.name, query.line) for query in preferences.queries_of("flags")]
    assert queries == [("a", "is:stale"), ("b", "is:off")]
