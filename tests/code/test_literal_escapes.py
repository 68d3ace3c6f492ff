"""Keys in literals: escapes, joined literals, and the filter of files that may hold them."""

import random
import re

import pytest

from flagtui.code.byte_search import SearchBuffer
from flagtui.code.file_references import FileFacts, find_references
from flagtui.code.languages import LANGUAGES
from flagtui.code.literal_escapes import unescape
from flagtui.code.quoted_words import WordFilter, quoted_keys
from flagtui.code.sdk_functions import CallNames


@pytest.mark.parametrize(("language", "quote", "content", "text"), [
    ("ts", '"', r"new\u002dnav", "new-nav"), ("js", '"', r"new\u{2d}nav", "new-nav"),
    ("tsx", "`", r"\x6eav", "nav"), ("js", "'", r"it\'s \"new\"", 'it\'s "new"'),
    ("python", '"', r"\x6e\u0061v", "nav"), ("python", '"', r"new\-nav", None),
    ("python", '"', r"\u{6e}av", None), ("java", '"', r"\u006eav", "nav"), ("java", '"', r"\x6eav", None),
    ("kotlin", '"', r"\u006eav", "nav"), ("kotlin", '"""', r"\u006eav", None),
    ("go", '"', r"\x6eav\\", "nav\\"), ("go", '"', r"it\'s", None), ("go", "`", r"\x6eav", None),
    ("swift", '"', r"\u{6e}av", "nav"), ("swift", '"', r"\u006eav", None),
    ("rust", '"', r"\u{6e}\x61v", "nav"), ("ruby", '"', r"\u006eav", "nav"),
    ("ruby", "'", r"it\'s \\ new", "it's \\ new"), ("ruby", "'", r"\u006eav", None),
    ("ruby", '"', r"\u{6e 61}v", None), ("php", '"', r"\u{6e}av", "nav"), ("php", '"', r"it\'s", None),
    ("php", "'", r"it\'s", "it's"), ("elixir", '"', r"\u006eav", "nav"), ("dart", "'", r"\x6eav", "nav"),
    ("csharp", '"', r"\u006eav", "nav"), ("html", '"', r"\u006eav", None), ("ts", '"', r"\xe9", None),
    ("ts", '"', r"\ud83d\ude00", None), ("ts", '"', r"\u000a", None), ("ts", '"', r"\u{ffffff}", None),
    ("ts", '"', r"two\nlines", None), ("ts", '"', "\\", None),
])  # fmt: skip
def test_escapes_mean_what_they_mean_in_their_language(
    language: str, quote: str, content: str, text: str | None
) -> None:
    assert unescape(content, quote, language) == text


def keys_of(language: str, code: str) -> list[str]:
    """Return the keys of the calls; empty for a computed one."""
    facts = FileFacts("file", LANGUAGES[language])
    result = find_references(code, facts, (), CallNames())
    computed = [each.reference for each in result.calls]
    return [each.key for each in (*result.references, *computed) if each.is_use]


@pytest.mark.parametrize(("language", "argument", "key"), [
    ("ts", r'"new\u002dnav"', "new-nav"), ("ts", '"new-" + "nav"', "new-nav"),
    ("ts", "'new' +\n    \"-\" + `nav`", "new-nav"), ("ts", '"new-" + name', ""),
    ("ts", '"new-" + "nav".trim()', ""), ("ts", '"new-" + `${name}`', ""),
    ("ts", '"new-" + "nav" + name', ""), ("ts", '"new-" === "nav"', ""),
    ("python", '"new-" "nav"', "new-nav"), ("python", '("new-"\n    "nav")', "new-nav"),
    ("python", '("new-nav", 1)[0]', ""), ("python", '("new-nav", 1)', ""), ("ts", '(("new-nav"))', ""),
    ("ts", '( "new-nav" )', "new-nav"), ("ts", '("new-") + ("nav")', ""),
    ("dart", "'new-' 'nav'", "new-nav"), ("dart", "'new-'\n      'nav'", "new-nav"),
    ("dart", "'new-' \"nav\"", ""), ("dart", "'new-' '$name'", ""), ("csharp", '@"new""nav"', ""),
    ("python", '"new-" f"{name}"', ""), ("python", '"new-" "%s" % name', ""),
    ("python", r'r"new\u002dnav"', ""), ("ruby", '"new-" "nav"', "new-nav"),
    ("ruby", ":new_nav", "new_nav"), ("kotlin", '"new-" + "nav"', "new-nav"),
    ("php", "'new-' . 'nav'", "new-nav"), ("php", "'new-' + 'nav'", ""),
])  # fmt: skip
def test_literals_that_are_joined_are_one_key(language: str, argument: str, key: str) -> None:
    heads = {"php": "<?php\n$posthog->isFeatureEnabled({});", "ruby": "posthog.is_feature_enabled({}, 'id')"}
    heads["csharp"] = "class A {{ void F() {{ posthog.IsFeatureEnabledAsync({}, 1); }} }}"
    heads["dart"] = "f() {{ Posthog().isFeatureEnabled({}); }}"
    default = "posthog.feature_enabled({}, 1)" if language == "python" else "posthog.isFeatureEnabled({})"
    assert keys_of(language, heads.get(language, default).format(argument)) == [key]


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
        assert any(True for _ in words.places(buffer_of(data), *part)) == expected, text
        hits += expected
    assert hits > 200


def test_bytes_contain_what_python_finds() -> None:
    source = random.Random(5)
    for _ in range(3_000):
        text = bytes(source.choices(b"abc", k=source.randint(0, 12)))
        word = bytes(source.choices(b"abc", k=source.randint(1, 3)))
        part = (source.randint(0, len(text)), source.randint(0, len(text)))
        assert buffer_of(text).find(word, *part) == text.find(word, *part), (text, word, part)
        data = text.replace(b"c", b"\0")
        assert buffer_of(data).has_nul(*part) == (data.find(b"\0", *part) >= 0), (data, part)


def buffer_of(data: bytes) -> SearchBuffer:
    buffer = SearchBuffer(len(data) + 1)
    buffer.bytes[: len(data)] = data
    return buffer


@pytest.mark.parametrize("key", ['a"b', "a'b", "a`b", "a\nb", "a\\b", ""])
def test_key_that_no_quotes_can_hold_hits_nothing(key: str) -> None:
    places = WordFilter.of([key], ()).places(buffer_of(f'"{key}"'.encode()), 0, len(key) + 2)
    assert [*places] == []


def test_quoted_keys_are_those_of_the_definition() -> None:
    source, keys = random.Random(9), frozenset((*KEYS, "x", "xx", "nav\\"))
    hits = 0
    for _ in range(3_000):
        pieces = (*PIECES, '"', '"', "'", "'nav'", '"nav"', "`x`")
        text = "".join(source.choices(pieces, k=source.randint(0, 12)))
        plain = [
            (match.start(2), match[2])
            for match in re.finditer(r"""(["'`])([^"'`\n\\]{1,400})(?=\1)""", text)
            if match[2] in keys
        ]
        assert sorted(quoted_keys(text, keys)) == plain, text
        hits += bool(plain)
    assert hits > 1_000
