"""Text from outside made drawable."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.doubles.joined_emoji import EMOJI, TEXTS, is_whole

from flagtui.safe_text import boundary, code_points, safe_lines, safe_text


@pytest.mark.parametrize(("text", "drawn"), [
    ("checkout-v2", "checkout-v2"),
    ("\x1b[2J", "␛[2J"),
    ("\x1b]52;c;cm0=\x07", "␛]52;c;cm0=␇"),
    ("\x9b31m", "<U+009B>31m"),
    ("two\nlines\tand a tab", "two⏎lines⇥and a tab"),
    ("del\x7f", "del␡"),
    ("prod\u202e-x", "prod<U+202E>-x"),
    ("zero\u200bwidth", "zero<U+200B>width"),
    ("joined\u200dword", "joined<U+200D>word"),
    ("👩\u200d💻", "👩\u200d💻"),
    ("hard\u00a0space", "hard space"),
    ("\ud800", "<U+D800>"),
    ("[/x] [@click=app.quit]x[/]", "[/x] [@click=app.quit]x[/]"),
    ("日本語", "日本語"),
    ("🇩🇪🇫🇷", "🇩🇪🇫🇷"),
    ("🇩🇪🇫", "🇩🇪<U+1F1EB>"),
    ("👍🏽 a🏽", "👍🏽 a<U+1F3FD>"),
    ("☝🏽", "☝\ufe0f🏽"),
    ("1\ufe0f\u20e3 2\ufe0f", "1\ufe0f\u20e3 2<U+FE0F>"),
    ("👩\u200d", "👩<U+200D>"),
    ("👩\u200dx", "👩<U+200D>x"),
    ("\u3164", "<U+3164>"),
    ("\U0001f80c\u200d\U0001f80c", "<U+1F80C><U+200D><U+1F80C>"),
    *((emoji, emoji) for emoji in (*EMOJI, "🐻‍❄️", "👩🏽‍⚕️", "🙂‍↔️", "🐈‍⬛", "👨🏻‍❤️‍💋‍👨🏿")),
])  # fmt: skip
def test_characters_are_shown_as_themselves_a_picture_or_code_point(text: str, drawn: str) -> None:
    assert safe_text(text) == drawn


@given(st.text(st.characters(codec=None), max_size=300))
def test_nothing_a_terminal_obeys_is_ever_left(text: str) -> None:
    drawn = safe_text(text, 250)
    for place, character in enumerate(drawn):
        assert unicodedata.category(character) not in ("Cc", "Cs", "Zl", "Zp"), drawn
        if unicodedata.category(character) == "Cf":
            assert character == "\u200d"
            assert place > 0


@given(st.text(max_size=200), st.integers(1, 40))
def test_a_cut_is_counted(text: str, limit: int) -> None:
    drawn = safe_text(text, limit)
    kept = boundary(text, limit)
    assert (f"… +{len(text) - kept:,}" in drawn) is (len(text) > limit)


def test_a_million_characters_cost_no_more_than_what_is_shown() -> None:
    assert len(safe_text("\x1b" * 1_000_000, 50)) < 70


def test_a_pane_says_how_much_it_leaves_out() -> None:
    assert safe_lines("a\nb\nc", lines=2) == ["a", "b", "… 1 more lines"]
    assert safe_lines("x" * 10, limit=4) == ["xxxx", "… 6 more characters"]


def test_marks_piled_on_one_letter_are_thinned_out() -> None:
    assert len(safe_text("e" + "\u0301" * 50)) <= 6


def test_a_look_alike_key_is_told_by_its_code_points() -> None:
    assert code_points("prоd") == "U+043E"
    assert code_points("prod-x_1") == ""


@given(TEXTS, st.integers(0, 60))
def test_a_cut_parts_no_joined_character(text: str, limit: int) -> None:
    drawn = safe_text(text, limit)
    assert is_whole(drawn.rpartition("… +")[0] if len(text) > limit else drawn)


@pytest.mark.parametrize("symbol", ["\u2500", "\u2190", "\u2665"])
def test_long_chains_of_joined_symbols_are_taken_apart(symbol: str) -> None:
    shown = safe_text("\u200d".join(symbol * 60), 400)
    assert "<U+200D>" in shown
    assert max(map(len, shown.split("<U+200D>"))) <= 16
