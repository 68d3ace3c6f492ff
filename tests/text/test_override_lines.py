"""How overrides and requests are described in rows, panes and the line above the list."""

from typing import Any

import pytest

from flagtui.models.mirror_state import MirrorState
from flagtui.text.override_lines import mirror_lines, notice_lines, override_words, requested_words


def state(*overrides: str, requested: list[tuple[Any, str, int]] | None = None, **fields: Any) -> MirrorState:
    listed = [{"text": text.removeprefix("file "), "source": text[:4]} for text in overrides]
    requests = [
        {"key": "new-nav", "value": value, "reason": reason, "count": count}
        for value, reason, count in requested or []
    ]
    return MirrorState.of({"overrides": listed, "requested": requests, **fields})


@pytest.mark.parametrize(
    ("overrides", "words"),
    [
        ((), ""),
        (("new-nav=on",), "on"),
        (("new-nav=20%", "new-nav=off@ann"), "20 %, off @ann"),
        (("new-nav=test@ann", "new-nav=off@bob"), "2 users"),
        (("other=on",), ""),
    ],
)
def test_row_names_overrides_of_everyone_and_of_persons(overrides: tuple[str, ...], words: str) -> None:
    assert override_words(state(*overrides).overrides_of("new-nav")) == words


def test_row_and_pane_show_requested_and_upstream_values() -> None:
    requested = [(False, "out_of_rollout_bound", 2), (True, "condition_match", 7), ({"max": 3}, "x", 1)]
    assert requested_words(state(requested=requested).requests_of("new-nav")) == "10 × on, off"
    assert requested_words(()) == ""
    expected = ["ON THIS MACHINE", " as upstream     off", ""]
    assert text(mirror_lines(state(), "new-nav", "off", 60)) == expected
    assert text(mirror_lines(None, "new-nav", "off", 60)) == []


def text(lines: Any) -> list[str]:
    return ["".join(piece for piece, _ in line).rstrip() for line in lines]


def test_pane_shows_each_override_beside_upstream_and_requests_with_reasons() -> None:
    requested = [(None, "flag_not_found", 1), ("test", "condition_match", 12)]
    shown = state(*("new-nav=off@ann", "file new-nav=on"), requested=requested, is_recording=True)
    assert text(mirror_lines(shown, "new-nav", "on, 25 %", 60)) == [
        "ON THIS MACHINE",
        " everyone        on   upstream on, 25 %   in the file",
        " ann             off",
        "REQUESTED HERE   13 times",
        "           12 ×  test  condition match",
        "            1 ×  no value  flag not found",
        "",
    ]


def test_notices_name_troubles_and_requested_keys_without_a_flag() -> None:
    requested = [(None, "flag_not_found", 3)]
    shown = state(requested=requested, is_recording=True, file_trouble="line 1: odd", trouble="No response.")
    assert [words for words, _ in notice_lines(shown, "", frozenset())] == [
        "line 1: odd; the last good overrides stay",
        "upstream: No response. The mirror serves its last definitions.",
        "requested here, no such flag: new-nav (3 ×)",
    ]
    assert [words for words, _ in notice_lines(state(requested=requested), "", frozenset())] == []
    made = state(requested=requested, is_recording=True)
    assert [words for words, _ in notice_lines(made, "", frozenset({"new-nav"}))] == []
    gone = [words for words, _ in notice_lines(shown, "It does not respond.", frozenset())]
    assert gone == ["mirror gone: It does not respond."]


def test_text_of_a_program_is_made_safe() -> None:
    raw = {"key": "a\x1b[2J", "reason": "flag_not_found", "count": 1}
    shown = MirrorState.of({"requested": [raw], "is_recording": True})
    assert all("\x1b" not in words for words, _ in notice_lines(shown, "", frozenset()))
