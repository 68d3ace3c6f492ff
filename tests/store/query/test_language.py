from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.store.conftest import ADA, NOW, Someone

from flagtui.models.rows import FlagRow
from flagtui.store.fact_columns import Columns
from flagtui.store.finder import Finder
from flagtui.store.flag_listing import FLAGS
from flagtui.store.query.language import compile_query, read_line
from flagtui.store.query.vocabulary import Facts


def find(flags: list[FlagRow], line: str, me: Someone | None = None) -> list[int]:
    test = compile_query(read_line(line, FLAGS), now=NOW, me=me)
    return [row.id for row in flags if test(row)]


@pytest.mark.parametrize(("line", "expected"), [
    ("", [1, 2, 3, 4, 5, 8]), ("   ", [1, 2, 3, 4, 5, 8]), ("new check", [1, 2, 3]),
    ("NEW CHECK", [1, 2, 3]), ("check basket", [1]), ("check -basket", [2, 3]), ('"new check"', [1, 2, 3]),
    ('"check new"', []), ('-"new check"', [4, 5, 8]), ('"new - check', [1, 2, 3]), ("new-check", [1]),
    ('says "hi"', [4]), ("über", [8]), ("CAFE\u0301", [8]), ("STRASSE wide", [8]), ("uber", [8]),
    ("cafe-creme", [8]),
    ("key:/^cafe/", [8]), ("key:/CAFÉ-CRE\u0300ME$/", [8]),
    ("basket\0", []),
    ("type:boolean", [1, 4, 8]), ("type:experiment", [3]), ("type:config,multivariant", [2, 5]),
    ("type:multivariate", [2]), ("type:remote_config", [5]),
    ("TYPE:Boolean check", [1]),
    ("-type:boolean", [2, 3, 5]),
    ("runtime:server", [2]), ("runtime:client,server", [2, 3]), ("runtime:both", [1, 4, 5, 8]),
    ("runtime:all", [1, 4, 5, 8]),
    ("is:on", [1, 2, 4, 5, 8]), ("is:active,enabled", [1, 2, 4, 5, 8]),
    ("is:off", [3]), ("is:stale", [4]), ("-is:stale", [1, 2, 3, 5, 8]),
    ("is:archived", [6]), ("is:deleted", [7]), ("is:archived,deleted", [6, 7]),
    ("is:archived is:deleted", []), ("-is:archived", [1, 2, 3, 4, 5, 8]),
    ("is:partial", [1, 4, 8]), ("is:full", [2, 5]),
    ("by:ada", [1, 3]), ("by:@ACME", [1, 2]), ("by:bob,Ada", [1, 2, 3]), ("-by:bob,ada", [4, 5, 8]),
    ('by:"bob,ada"', []),
    ("tag:web", [1, 3]), ('tag:"web"', [1]), ("tag:infra", [5]), ("tag:infra,checkout", [1, 5]),
    ("-tag:web", [2, 4, 5, 8]),
    ("rollout:<50", [3, 8]), ("rollout:>=50", [1, 2, 4, 5]), ("rollout:=100", [2, 4, 5]),
    ("rollout:50%", [1]),
    ("updated:<7d", [1, 2]), ("updated:2d", [1, 2]), ("updated:<90s", [1]), ("updated:<2m", [1]),
    ("updated:>3mo", [4]),
    ("created:>90d", [1, 4]), ("created:>1y", [4]),
    ("called:>30d", [1]), ("called:never", [2, 4, 5, 8]), ("-called:never", [1, 3]),
    ("key:check", [1, 2, 3]), ("key:basket", []), ("key:/^new.?check$/", [2, 3]),
    ("key:/NEW[-_]/ is:off", [3]), ("-key:/check/", [4, 5, 8]), ("key:check,old", [1, 2, 3, 4]),
    ("-key:check,old", [5, 8]), ('key:"check,old"', []),
    ("id:4", [4]), ("id:1,5", [1, 5]),
])  # fmt: skip
def test_a_line_finds_the_flags_it_asks_for(flags: list[FlagRow], line: str, expected: list[int]) -> None:
    assert read_line(line, FLAGS).problems == ()
    assert find(flags, line) == expected


@pytest.mark.parametrize("age", ["never", "<7d", ">30d"])
def test_call_that_the_server_does_not_send_has_no_age(age: str) -> None:
    unknown = FlagRow(id=1, key="k", has_call_times=False)
    assert find([unknown], f"called:{age}") == []
    assert Columns([unknown]).passing(read_line(f"called:{age}", FLAGS).terms[0], Facts(NOW)) == b"\0"


def test_by_me_is_the_signed_in_user_or_the_address(flags: list[FlagRow]) -> None:
    assert find(flags, "by:me", ADA) == [1]
    assert find(flags, "-by:me", ADA) == [2, 3, 4, 5, 8]
    assert find(flags, "by:me,bob", ADA) == [1, 2]
    assert find(flags, "by:me") == find(flags, "by:me,bob") == find(flags, "")
    assert find([FlagRow(id=1, key="a", creator="Ada@Acme.test")], "by:me", ADA) == [1]
    assert find([FlagRow(id=1, key="a")], "by:me", Someone(7, "")) == []


@pytest.mark.parametrize(("piece", "reason"), [
    ("type:bool", "type: use boolean, multivariant, experiment, config or rules"),
    ("type:", "type: use boolean, multivariant, experiment, config or rules"),
    ("type:boolean,", "type: use boolean, multivariant, experiment, config or rules"),
    ("is:asleep", "is: use on, off, stale, archived, deleted, partial or full"),
    ("runtime:x", "runtime: use server, client or all"),
    ("rollout:half", "rollout: use a rollout such as <50, >=10 or =100"),
    ("rollout:>٣", "rollout: use a rollout such as <50, >=10 or =100"),
    ("updated:<7", "updated: use an age such as <7d, >90d, >12h, <3mo, or never"),
    ("updated:<7x", "updated: use an age such as <7d, >90d, >12h, <3mo, or never"),
    ("id:x", "id: use a number, or several with commas between"),
    ("id:" + "9" * 5_000, "id: use a number"),
    ("by:", "by: use me or part of an e-mail"),
    ("tag:,", "tag: use the beginning of a tag"),
    ('tag:""', "tag: use the beginning of a tag"),
    ("by:a,", "by: use me or part of an e-mail"),
    ("key:,a", "key: use part of a key"),
    ("key:/(a/", "key: a ( has no ) behind it; use part of a key"),
    ("state:on", "state: is not a qualifier; did you mean is:?"),
    ("enabled:true", "enabled: is not a qualifier; did you mean is:?"),
    ("nope:on", ", id. To look for it as text, put it in quotes"),
    ("runtme:server", "did you mean runtime:?"),
])  # fmt: skip
def test_a_wrong_qualifier_is_explained_and_ignored(flags: list[FlagRow], piece: str, reason: str) -> None:
    query = read_line(f"new {piece} -x"[:900], FLAGS)
    (problem,) = query.problems
    assert reason in problem.reason
    assert query.line[problem.start : problem.end] == piece[: problem.end - problem.start]
    assert find(flags, f"new {piece} -x") == find(flags, "new -x") != []


def test_addresses_and_very_long_lines_are_read() -> None:
    row = FlagRow(id=1, key="a", name="see https://acme.test/x")
    assert read_line("https://acme.test", FLAGS).problems == ()
    assert find([row], "https://acme.test") == [1]
    assert find([FlagRow(id=1, key="a", name="todo: remove")], '"todo: remove"') == [1]
    query = read_line("a " * 5_000, FLAGS)
    assert len(query.terms) == 500
    assert "1,000" in query.problems[-1].reason


@pytest.mark.parametrize(("line", "word"), [
    ("new check is:on", "check"), ("-abandoned on", "on"), ('"a long phrase" b', "b"),
    ("is:on", ""),
    ("", ""),
])  # fmt: skip
def test_server_search_uses_the_longest_plain_word(line: str, word: str) -> None:
    assert read_line(line, FLAGS).longest_word == word


@pytest.mark.parametrize(("longer", "shorter", "is_narrower"), [
    ("check", "che", True), ("che", "check", False), ("new check", "check", True),
    ("xcheckx is:on", "check", True), ("-check", "-che", False), ("-che", "-che", True),
    ("is:on a", "is:on", True), ("is:archived", "", False), ("is:archived a", "is:archived", True),
    ("tag:web", 'tag:"web"', False),
    ("by:me", 'by:"me"', False),
    ("type:boolean", "type:boolean,config", False), ("type:bool", "", True),
])  # fmt: skip
def test_it_is_known_when_a_line_can_only_find_fewer(longer: str, shorter: str, is_narrower: bool) -> None:
    assert read_line(longer, FLAGS).narrows(read_line(shorter, FLAGS)) is is_narrower


_LINES = st.lists(
    st.sampled_from(
        ["new", "check", "che", "-old", '"new check"', "is:on", "-is:off", "is:archived", "type:boolean",
         "by:ada", "by:me", "tag:web", 'tag:"web"', "rollout:<60", "updated:<7d", "called:never",
         "key:/e.*c/",
         "id:1,2", "oops:1"]
    ),
    max_size=4,
).map(" ".join)  # fmt: skip


@settings(deadline=None)
@given(_LINES, _LINES)
def test_narrower_line_never_adds_a_flag(first: str, second: str) -> None:
    rows = [
        FlagRow(1, "new-check", active=True, tags=("web",), rollout=50, updated_at=NOW, creator="ada@x"),
        FlagRow(id=2, key="old", tags=("webhooks",), archived=True, updated_at=NOW - 9e6, called_at=NOW),
        FlagRow(id=3, key="che", active=True, type="config", creator_id=7),
    ]
    me = Someone(7, "ada@x")
    if read_line(first, FLAGS).narrows(read_line(second, FLAGS)):
        assert set(find(rows, first, me)) <= set(find(rows, second, me))


@settings(deadline=None)
@given(st.text(max_size=80) | _LINES)
def test_no_line_can_break_the_search(line: str) -> None:
    query = read_line(line, FLAGS)
    compile_query(query, now=NOW)(FlagRow(id=1, key="a"))
    for problem in query.problems:
        assert 0 <= problem.start < problem.end <= len(line)
        assert problem.reason


def test_phrase_of_separators_ends_soon() -> None:
    test = compile_query(read_line('"_ _- _ _ _x"', FLAGS), now=NOW)
    start = process_time()
    assert find([FlagRow(id=1, key="a", name="-" * 20_000)], '"- - - x"') == []
    assert not test(FlagRow(id=1, key="_" * 100))
    assert test(FlagRow(id=1, key="a_x"))
    assert process_time() - start < 1


@pytest.mark.parametrize("key", ["foo-b", "foo_b", "foo--b", "foob"])
@pytest.mark.parametrize("line", ['"foo- b"', '"foo _b"', '"foo- _b"', '"foo b"'])
def test_separators_of_a_phrase_are_interchangeable_in_lists_and_queries(line: str, key: str) -> None:
    row = FlagRow(id=1, key=key)
    finder = Finder([row], clock=lambda: NOW)
    for text, is_match in ((line, True), (f"-{line}", False)):
        query = read_line(text, FLAGS)
        assert compile_query(query, now=NOW)(row) is is_match
        assert bool(finder.find(text)) is is_match
