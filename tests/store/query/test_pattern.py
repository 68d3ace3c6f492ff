import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flagtui.store.query.pattern import Pattern, PatternError

_ATOM = st.sampled_from(
    ["a", "b", "-", "_", ".", "[ab]", "[^a]", "[a-c0-9]", r"\d", r"\w", r"\.", "^", "$", "B"]
)
_SOURCE = st.recursive(
    _ATOM,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map("".join),
        st.tuples(inner, inner).map("|".join).map("({})".format),
        st.tuples(inner, st.sampled_from(["*", "+", "?", "{0,2}", "{2}", "{1,}"])).map(
            lambda pair: f"({pair[0]}){pair[1]}"
        ),
    ),
    max_leaves=8,
)


@settings(max_examples=300, deadline=None)
@given(_SOURCE, st.text("abc1-_.", max_size=8))
def test_a_pattern_finds_what_the_standard_library_finds(source: str, text: str) -> None:
    expected = re.search(source.replace("$", r"\Z"), text, re.IGNORECASE) is not None
    assert Pattern(source).search(text) is expected


@pytest.mark.parametrize(("text", "is_found"), [("", True), ("a", False)])
def test_both_edges_hold_in_an_empty_text(text: str, is_found: bool) -> None:
    assert Pattern("$^").search(text) is is_found


@pytest.mark.parametrize("source", ["(a+)+$", "(a|a)*b", "(.*)*x", "(a?){100}(a){100}", "((a*)*)*$"])
def test_no_pattern_can_hang(source: str) -> None:
    pattern = Pattern(source)
    assert isinstance(pattern.search("a" * 5_000 + "!"), bool)


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("(", "( has no )"),
        (")", ") has no ("),
        ("[a", "[ has no ]"),
        ("[z-a]", "backwards"),
        ("*", "nothing stands before"),
        ("a**", "repeat"),
        ("a{2", "{2}"),
        ("a{5,2}", "upwards"),
        ("a{1,999}", "100 at most"),
        ("(a{100}){100}", "too large"),
        (r"(a)\1", "not available"),
        (r"\b", "not available"),
        ("a\\", "not available"),
        ("(?=a)", "look-around"),
        ("(?P<n>a)", "look-around"),
        ("^*", "cannot repeat"),
        ("(" * 50 + ")" * 50, "deep"),
        ("a" * 201, "200 characters"),
    ],
)
def test_a_pattern_that_cannot_be_read_says_why(source: str, reason: str) -> None:
    with pytest.raises(PatternError, match=re.escape(reason)):
        Pattern(source)


def test_what_a_pattern_remembers_is_bounded() -> None:
    pattern = Pattern("(.a|.b|ab.)*x$")
    for start in range(0x4E00, 0x4E00 + 60_000, 1_000):
        pattern.search("".join(map(chr, range(start, start + 1_000))) + "x")
    assert pattern.search("zax")
    assert pattern._remembered < 20_001
