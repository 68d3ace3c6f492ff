import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.doubles.slices import at_most

from flagtui.store.query.pattern import Pattern, PatternError
from flagtui.store.query.pattern_needs import needs_of
from flagtui.store.query.pattern_syntax import parse_pattern, without_idle_ends
from flagtui.store.query.value_tests import Begins, Contains, ContainsAny, Ends, ValueTest

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


def _any_of(*words: str) -> ContainsAny:
    return ContainsAny(frozenset(words))


@settings(max_examples=at_most(100, 300), deadline=None)
@given(_SOURCE, st.text("abc1-_.", max_size=8))
def test_a_pattern_finds_what_the_standard_library_finds(source: str, text: str) -> None:
    expected = re.search(source.replace("$", r"\Z"), text, re.IGNORECASE) is not None
    pattern = Pattern(source)
    assert pattern(text) is expected
    assert pattern.each([text, "", text]) == bytes([expected, pattern(""), expected])


@settings(max_examples=at_most(100, 300), deadline=None)
@given(_SOURCE, _SOURCE, st.text("abc1-_.", max_size=8))
def test_longer_pattern_matches_nothing_its_beginning_does_not(beginning: str, rest: str, text: str) -> None:
    pattern, shorter = Pattern(beginning + rest), Pattern(beginning)
    assert not pattern.implies(shorter) or pattern(text) <= shorter(text)


@pytest.mark.parametrize(("longer", "shorter", "does"), [
    ("_clic", "_cli", True), ("^a[bc]d+", "^a[bc]", True), ("ab*", "ab", False), ("ab|c", "ab", False),
    ("a[bc]", "a[bd]", False), (r"a\d", "ad", False), ("b", "a|b", False),
])  # fmt: skip
def test_a_pattern_knows_when_it_only_narrows_an_earlier_one(longer: str, shorter: str, does: bool) -> None:
    assert Pattern(longer).implies(Pattern(shorter)) is does


@pytest.mark.parametrize(("source", "needs"), [
    ("check", [Contains("check")]),
    ("^check", [Begins("check")]),
    ("ed$", [Ends("ed")]),
    ("^check.*started$", [Begins("check"), Ends("started")]),
    ("^check_?id", [Begins("check"), _any_of("checkid", "check_id")]),
    ("(signup|plan)_[a-z]+_9", [_any_of("signup_", "plan_"), Contains("_9")]),
    ("colou?r", [_any_of("color", "colour")]),
    ("x.(ab)+c", [Contains("ab"), Contains("x"), Contains("c")]),
    ("(a|ab)x?", [Contains("a")]),
    ("(a.b|cd)e", [Contains("e"), _any_of("a", "cd")]),
    (r"\d+\.\d*", [Contains(".")]),
    ("(a|)b{0,3}", []),
    ("[a-c]|x", []),
])  # fmt: skip
def test_most_texts_fail_for_a_word_they_lack(source: str, needs: list[ValueTest[str]]) -> None:
    assert list(needs_of(without_idle_ends(parse_pattern(source))).all_of) == needs


@pytest.mark.parametrize(("text", "is_found"), [("", True), ("a", False)])
def test_both_edges_hold_in_an_empty_text(text: str, is_found: bool) -> None:
    assert Pattern("$^")(text) is is_found


@pytest.mark.parametrize("source", ["(a+)+$", "(a|a)*b", "(.*)*x", "(a?){100}(a){100}", "((a*)*)*$"])
def test_no_pattern_can_hang(source: str) -> None:
    pattern = Pattern(source)
    assert isinstance(pattern("a" * 5_000 + "!"), bool)


@pytest.mark.parametrize(("source", "reason"), [
    ("(", "( has no )"), (")", ") has no ("), ("[a", "[ has no ]"), ("[z-a]", "backwards"),
    ("*", "nothing to repeat before"), ("a**", "repeat"), ("a{2", "{2}"), ("a{5,2}", "upwards"),
    ("a{1,999}", "100 at most"), ("(a{100}){100}", "too large"), (r"(a)\1", "not available"),
    (r"\b", "not available"), ("a\\", "not available"), ("(?=a)", "look-around"),
    ("(?P<n>a)", "look-around"), ("^*", "cannot repeat"), ("(" * 50 + ")" * 50, "deep"),
    ("a" * 201, "200 characters"),
])  # fmt: skip
def test_a_pattern_that_cannot_be_read_says_why(source: str, reason: str) -> None:
    with pytest.raises(PatternError, match=re.escape(reason)):
        Pattern(source)


def test_what_a_pattern_remembers_is_bounded() -> None:
    pattern = Pattern("(.a|.b|ab.)*x$")
    for start in range(0x4E00, 0x4E00 + 60_000, 1_000):
        pattern("".join(map(chr, range(start, start + 1_000))) + "x")
    assert pattern("zax")
    assert pattern._remembered < 20_001
