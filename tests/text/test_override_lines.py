"""How overrides and requests are described in rows, panes and the line above the list."""

from typing import Any

from flagtui.models.mirror_state import MirrorState
from flagtui.text.flag_sentences import plain
from flagtui.text.override_lines import mirror_lines, notice_lines, override_words, requested_words


def state(*overrides: str, requested: list[tuple[Any, str, int]] | None = None, **fields: Any) -> MirrorState:
    listed = [{"text": text.removeprefix("file "), "source": text[:4]} for text in overrides]
    requests = [
        {"key": "new-nav", "value": value, "reason": reason, "count": count}
        for value, reason, count in requested or []
    ]
    return MirrorState.of({"overrides": listed, "requested": requests, **fields})


def test_row_names_overrides_of_everyone_and_of_persons() -> None:
    rows = {
        (): "",
        ("new-nav=on",): "on",
        ("new-nav=20%", "new-nav=off@ann"): "20 %, off @ann",
        ("new-nav=test@ann", "new-nav=off@bob"): "2 users",
        ("other=on",): "",
    }
    assert {listed: override_words(state(*listed).overrides_of("new-nav")) for listed in rows} == rows


def pane(shown: MirrorState | None, upstream: str) -> list[str]:
    return [plain([line]).rstrip() for line in mirror_lines(shown, "new-nav", upstream, 60)]


def notices(shown: MirrorState, gone: str = "", *keys: str) -> list[str]:
    return [words for words, _ in notice_lines(shown, gone, frozenset(keys))]


def test_row_and_pane_show_requested_and_upstream_values() -> None:
    requested = [(False, "out_of_rollout_bound", 2), (True, "condition_match", 7), ({"max": 3}, "x", 1)]
    assert requested_words(state(requested=requested).requests_of("new-nav")) == "10 × on, off"
    assert requested_words(()) == ""
    assert pane(state(), "off") == ["ON THIS MACHINE", " as upstream     off", ""]
    assert pane(None, "off") == []


def test_pane_shows_each_override_beside_upstream_and_requests_with_reasons() -> None:
    requested = [(None, "flag_not_found", 1), ("test", "condition_match", 12)]
    shown = state(*("new-nav=off@ann", "file new-nav=on"), requested=requested, is_recording=True)
    assert pane(shown, "on, 25 %") == [
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
    assert notices(shown) == [
        "line 1: odd; the last good overrides stay",
        "upstream: No response. The mirror serves its last definitions.",
        "requested here, no such flag: new-nav (3 ×)",
    ]
    assert notices(state(requested=requested)) == []
    assert notices(state(requested=requested, is_recording=True), "", "new-nav") == []
    assert notices(shown, "It does not respond.") == ["mirror gone: It does not respond."]


def test_text_of_a_program_is_made_safe() -> None:
    raw = {"key": "a\x1b[2J", "reason": "flag_not_found", "count": 1}
    shown = MirrorState.of({"requested": [raw], "is_recording": True})
    assert "\x1b" not in "".join(notices(shown))
