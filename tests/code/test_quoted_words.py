"""The filter of files, compared with the plain definition of a hit."""

import random
import re

import pytest

from flagtui.code.quoted_words import WordFilter, quoted_keys

KEYS = ("nav", "new-nav", "büro", "a.b", "[x]", "^", "with space", "l" * 410)
PIECES = (
    *(*KEYS, '"', "'", "`", "\n", "\\", "x", "na", "navy", ", ", "ture", "useGate", "isFeature"),
    "capture",
)


def is_hit(text: str, keys: tuple[str, ...], wrappers: tuple[str, ...]) -> bool:
    """Return whether the text has a key between quotes, or a part of a call."""
    words = text.replace("'", '"').replace("`", '"').split('"')[1:-1]
    return any(part in text for part in ("eature", "apture", *wrappers)) or not set(words).isdisjoint(keys)


@pytest.mark.parametrize("keys", [KEYS, ("nav",), ("büro", "^"), ()])
@pytest.mark.parametrize("wrappers", [(), ("gates.useGate",)])
def test_filter_has_the_hits_of_the_definition(keys: tuple[str, ...], wrappers: tuple[str, ...]) -> None:
    source, words = random.Random(7), WordFilter.of(keys, wrappers)
    hits = 0
    for _ in range(2_000):
        text = "".join(source.choices(PIECES, k=source.randint(0, 9)))
        data = b'"nav" capture ' + text.encode() + b' useGate "nav"'
        part = (len(b'"nav" capture '), len(data) - len(b' useGate "nav"'))
        expected = is_hit(text, keys, ("useGate",) if wrappers else ())
        assert words.has_hit(data, *part) == expected, text
        hits += expected
    assert hits > 200


@pytest.mark.parametrize("key", ['a"b', "a'b", "a`b", "a\nb", "a\\b", ""])
def test_key_that_no_quotes_can_hold_hits_nothing(key: str) -> None:
    assert not WordFilter.of([key], ()).has_hit(f'"{key}"'.encode(), 0, len(key) + 2)


def test_quoted_keys_are_those_of_the_definition() -> None:
    source, keys = random.Random(9), frozenset((*KEYS, "x", "xx", "nav\\"))
    hits = 0
    for _ in range(3_000):
        text = "".join(
            source.choices((*PIECES, '"', '"', "'", "'nav'", '"nav"', "`x`"), k=source.randint(0, 12))
        )
        plain = [
            (match.start(2), match[2])
            for match in re.finditer(r"""(["'`])([^"'`\n\\]{1,400})(?=\1)""", text)
            if match[2] in keys
        ]
        assert sorted(quoted_keys(text, keys)) == plain, text
        hits += bool(plain)
    assert hits > 1_000
