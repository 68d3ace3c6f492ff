"""Numbers, times, shares, lists and users in few characters."""

from collections.abc import Iterator

import pytest
from tests.doubles.steady_clock import SteadyClock

from flagtui.api.connection_state import ConnectionState
from flagtui.models.counted_users import UserChange
from flagtui.text.clock_words import clock_words
from flagtui.text.flag_sentences import plain
from flagtui.text.formats import (
    count,
    countdown,
    measured_percent,
    moment,
    percent,
    percent_in,
    share_bar,
    signed_percent,
)
from flagtui.text.long_lists import in_short, join_words, shorten, window, wrap_safe
from flagtui.text.styled import Piece
from flagtui.text.user_words import user_change_in_short


def test_moments_counts_and_countdowns_have_words() -> None:
    assert [moment(None), moment(0)] == ["not known", "1970-01-01 00:00 UTC"]
    assert [count(1, "flag"), count(1_248, "flag")] == ["1 flag", "1,248 flags"]
    rounded_up = {0.4: "1 s", 7.5: "8 s", 20: "20 s", 33: "40 s", 120: "120 s", 150: "3 min"}
    assert {seconds: countdown(seconds) for seconds in rounded_up} == rounded_up


def test_stored_share_has_all_of_its_digits() -> None:
    shares = {0: "0 %", 100: "100 %", 0.5: "0.5 %", 33.333: "33.333 %", 99.9999999: "99.9999999 %"}
    assert {share: percent(share) for share in shares} == shares


def test_rounded_share_is_never_0_or_100() -> None:
    shares = {
        50: ("50 %", "50.00 %"),
        33.33: ("33.33 %", "33.33 %"),
        33.339: ("33.34 %", "33.34 %"),
        0.0001: ("<0.01 %", "<0.01 %"),
        99.996: (">99.99 %", ">99.99 %"),
        100: ("100 %", "100.00 %"),
    }
    assert {share: (percent_in(share, 7), measured_percent(share)) for share in shares} == shares


def test_relative_difference_has_at_most_eight_cells() -> None:
    words = {0.143: "+14.3", -0.05: "−5.0", 123.456: "+12,346", -9e8: "−9e+10"}
    assert {ratio: signed_percent(ratio) for ratio in words} == words


def test_bar_is_readable_without_colours() -> None:
    bars = {0: "──────", 0.0001: "━─────", 0.5: "━━━───", 0.9999: "━━━━━─", 1: "━━━━━━"}
    bars |= {1.2: "━━━━━━", -1: "──────"}
    assert {share: plain([share_bar(share, 6, "$success")]) for share in bars} == bars


def items(count: int, lines: int, read: list[int]) -> Iterator[list[list[Piece]]]:
    for place in range(count):
        read.append(place)
        yield [[(f"{place}.{line}", "")] for line in range(lines)]


def test_shortened_list_counts_the_rest() -> None:
    read: list[int] = []
    lines = [*shorten(items(5_000, 3, read), 5_000, "conditions", 10)]
    assert len(lines) == 4 * 3 + 1
    assert plain(lines[-2:]) == "3.2\n  … and 4,996 more conditions; the JSON tab has all"
    assert read == [0, 1, 2, 3]
    for length in range(6):
        assert len([*shorten(items(length, 2, []), length, "variants", 10)]) == 2 * length


@pytest.mark.parametrize("length", [0, 1, 59, 60, 61, 5_000])
def test_window_contains_the_place_and_fits(length: int) -> None:
    for place in {0, length // 2, max(0, length - 1)}:
        shown = window(length, place, 60)
        assert len(shown) == min(length, 60)
        assert place in shown or not length


def test_names_in_short_count_the_rest() -> None:
    names = [f"v{place}" for place in range(2_000)]
    assert in_short(names, 2) == "v0, v1 and 1,998 more"
    assert in_short(names[:2], 2) == "v0, v1"
    assert join_words(names, 2, 30, "#") == "#v0 #v1 and 1,998 more"
    assert join_words(["a\x1b", "b" * 50], 2, 30) == f"a␛ {'b' * 30}… +20"


BOTH = UserChange(1_237, 2_345, 8_246)


@pytest.mark.parametrize(("change", "width", "words"), [
    (UserChange(1_237, 0, 8_246, is_bound=True), 7, "≤+1,237"),
    (UserChange(12_345, 0, 90_000), 7, "+12,345"),
    (UserChange(12_345, 0, 90_000, is_bound=True), 7, "≤+13k"),
    (BOTH, 13, "+1,237 -2,345"),
    (BOTH, 7, "+1k-2k"),
    (UserChange(310, 234, 900), 7, "+310…"),
    (UserChange(12_000, 123_000, 900_000, is_bound=True), 7, "≤-123k…"),
    (None, 7, "?"),
])  # fmt: skip
def test_short_change_has_room_in_its_column(change: UserChange | None, width: int, words: str) -> None:
    assert user_change_in_short(change, width) == words
    assert len(words) <= width


@pytest.mark.parametrize(("ahead", "words"), [
    *[(None, ""), (59, ""), (-59, "")],
    (70, "1 minute ahead of the server's"),
    (-600, "10 minutes behind the server's"),
    (-90_000, "25 hours behind the server's"),
])  # fmt: skip
def test_clock_is_compared_with_the_servers(ahead: float | None, words: str) -> None:
    clock = SteadyClock()
    link = ConnectionState(clock)
    link.note_response(None if ahead is None else clock.time() - ahead)
    assert clock_words(link) == words


def test_long_path_is_broken_after_a_slash() -> None:
    path = "web/src/components/layout/header.tsx:118:22"
    assert wrap_safe(f"in a/b.ts and {path}; 5 % of it", 28) == [
        *("in a/b.ts and web/src/", "components/layout/", "header.tsx:118:22; 5 % of it"),
    ]
    assert wrap_safe("x" * 45, 20) == ["x" * 20, "x" * 20, "x" * 5]
