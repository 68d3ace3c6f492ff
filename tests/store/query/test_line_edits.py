import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flagtui.store.flag_listing import FLAGS
from flagtui.store.query.language import read_line
from flagtui.store.query.line_edits import accept, complete, cycle, describe

KNOWN = {
    "tag": ["checkout", "web", "kill switch"],
    "by": ["ada@acme.test", "bob@acme.test"],
    "": ["checkout-redesign", "old-checkout", "types-v2"],
}


def steps(line: str, name: str, count: int) -> list[str]:
    lines = []
    for _ in range(count):
        line = cycle(line, name, FLAGS)
        lines.append(line)
    return lines


def test_keys_walk_through_their_values_and_out_again() -> None:
    assert steps("", "type", 5) == ["type:boolean", "type:multivariant", "type:experiment", "type:config", ""]
    assert steps("new check", "runtime", 4) == [
        "new check runtime:server",
        "new check runtime:client",
        "new check runtime:all",
        "new check",
    ]
    assert steps("is:on new", "is", 4) == ["is:off new", "is:stale new", "is:archived new", "new"]
    assert steps("a", "by", 2) == ["a by:me", "a"]


@pytest.mark.parametrize(
    "line", ["is:partial", "is:oops", "-is:on", "is:on is:off", "is:on,off", "is:", 'is:"x y"']
)
def test_value_off_the_cycle_goes_to_the_first(line: str) -> None:
    assert cycle(f"new {line} check", "is", FLAGS).split() in (["new", "is:on", "check"], ["new", "is:on"])
    assert read_line(cycle(line, "is", FLAGS), FLAGS).terms[0].words == ("on",)


@settings(deadline=None)
@given(st.text(max_size=40), st.sampled_from(["type", "runtime", "is", "by"]))
def test_cycling_always_returns_to_no_qualifier(line: str, name: str) -> None:
    lines = steps(line[:40], name, 10)
    names = [[term.name for term in read_line(each, FLAGS).terms].count(name) for each in lines]
    assert set(names) <= {0, 1} or line.count('"') % 2 == 1
    assert 0 in names or line.count('"') % 2 == 1


@pytest.mark.parametrize(("line", "expected"), [
    ("c", ["created:", "called:", "code:", "checkout-redesign"]),
    ("ty", ["type:", "types-v2"]),
    ("-r", ["-runtime:", "-rollout:", "-refs:"]),
    ("check", ["checkout-redesign", "old-checkout"]),
    ("type:", ["type:boolean", "type:multivariant", "type:experiment", "type:config", "type:rules"]),
    ("type:m", ["type:multivariant"]),
    ("type:boolean,c", ["type:boolean,config"]),
    ("-is:st", ["-is:stale"]),
    ("tag:", ["tag:checkout", "tag:web", 'tag:"kill switch"']),
    ("tag:KI", ['tag:"kill switch"']),
    ("by:ac", ["by:ada@acme.test", "by:bob@acme.test"]),
    ("called:", ["called:>30d", "called:never"]),
    ("zzz:", []),
    ("zzz", []),
])  # fmt: skip
def test_tab_offers_what_the_piece_could_become(line: str, expected: list[str]) -> None:
    assert complete(line, len(line), KNOWN, FLAGS) == expected


def test_tab_completes_the_piece_under_the_cursor() -> None:
    values = {"tag": ['a"b c', "esc\x1b[31m", "two words", "web"], "": ["line\none", "line-two"]}
    assert complete("tag:", 4, values, FLAGS) == ['tag:"two words"', "tag:web"]
    assert complete("tag:web,", 8, values, FLAGS) == ["tag:web,web"]
    assert complete("line", 4, values, FLAGS) == ["line-two"]
    assert complete("type:b new", 6, KNOWN, FLAGS) == ["type:boolean"]
    assert accept("new ty", 6, "type:") == ("new type:", 9)
    assert accept("new type:b", 10, "type:boolean") == ("new type:boolean ", 17)
    assert accept("type:b new", 6, "type:boolean") == ("type:boolean new", 13)
    assert accept("", 0, "is:") == ("is:", 3)


def test_the_chips_say_any_or_what_was_asked() -> None:
    chips = describe(read_line("is:on,stale -type:boolean new", FLAGS))
    expected = [("state", "on|stale", True), ("type", "not boolean", True), ("runtime", "any", False)]
    assert [(chip.label, chip.value, chip.is_set) for chip in chips] == expected
