"""Shortened lists."""

from collections.abc import Iterator

from flagtui.text.flag_sentences import plain
from flagtui.text.long_lists import in_short, join_words, shorten, window
from flagtui.text.styled import Piece


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


def test_short_list_is_complete() -> None:
    for count in range(5):
        assert len([*shorten(items(count, 2, []), count, "variants", 10)]) == 2 * count


def test_list_of_exact_length_is_complete() -> None:
    assert plain([*shorten(items(5, 2, []), 5, "variants", 10)]).endswith("\n4.1")


def test_window_contains_the_place_and_fits() -> None:
    for count in (0, 1, 59, 60, 61, 5_000):
        for place in {0, count // 2, max(0, count - 1)}:
            shown = window(count, place, 60)
            assert len(shown) == min(count, 60)
            assert place in shown or not count


def test_names_in_short_count_the_rest() -> None:
    names = [f"v{place}" for place in range(2_000)]
    assert in_short(names, 2) == "v0, v1 and 1,998 more"
    assert in_short(names[:2], 2) == "v0, v1"
    assert join_words(names, 2, 30, "#") == "#v0 #v1 and 1,998 more"
    assert join_words(["a\x1b", "b" * 50], 2, 30) == f"a␛ {'b' * 30}… +20"
