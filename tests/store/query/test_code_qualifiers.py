"""Words and orders about code: what they read from the last scan."""

import pytest

from flagtui.models.rows import FlagRow
from flagtui.store.finder import Finder
from flagtui.store.flag_listing import FLAGS
from flagtui.store.query.language import read_line
from flagtui.store.query.vocabulary import NOT_READ, Outside
from flagtui.store.sort_orders import Sort


class Code:
    """A scan in which every key that contains `used` has two uses."""

    def uses(self, key: str) -> int:
        return 2 * ("used" in key)

    def is_unused(self, key: str) -> bool:
        return key == "idle"

    def rules(self, key: str) -> frozenset[str]:
        return frozenset(("off",)) if "used" in key else frozenset(("unreferenced",))


@pytest.mark.parametrize(("line", "keys"), [
    ("refs:0", ["idle"]), ("refs:>1", ["used"]), ("refs:=2", ["used"]), ("-refs:2", ["idle"]),
    ("code:off", ["used"]), ("code:off,unreferenced", ["used", "idle"]), ("-code:unreferenced", ["used"]),
    ("code:deleted", []),
])  # fmt: skip
def test_qualifiers_about_code_read_the_scan(line: str, keys: list[str]) -> None:
    rows = [FlagRow(1, "used"), FlagRow(2, "idle")]
    finder: Finder[FlagRow] = Finder(rows, sort=Sort("created"))
    finder.set_outside(Outside(Code()))
    assert sorted(rows[at].key for at in finder.find(line)) == sorted(keys)
    assert finder.problems == []


def test_cleanup_order_begins_with_unused_and_ends_with_blocked_flags() -> None:
    rows = [FlagRow(1, "used"), FlagRow(2, "quoted"), FlagRow(3, "idle")]
    finder: Finder[FlagRow] = Finder(rows, sort=Sort("cleanup"))
    finder.set_outside(Outside(Code()))
    assert [rows[at].key for at in finder.find("")] == ["idle", "quoted", "used"]
    finder.set_outside(NOT_READ)
    assert [rows[at].key for at in finder.find("")] == ["idle", "quoted", "used"]
    # Flags on later pages depend on them; one is off and blocks nothing.
    later = [FlagRow(4, "z", active=True, depends_on=(3,)), FlagRow(5, "zz", depends_on=(2,))]
    finder.show([*rows, *later])
    assert [finder.rows[at].key for at in finder.find("")] == ["quoted", "used", "z", "zz", "idle"]
    # Rows that are all read keep their places, and the list is known to be out of order.
    finder.ranking.is_steady = True
    finder.show([*rows, later[0], FlagRow(5, "zz", active=True, depends_on=(2,))])
    assert [finder.rows[at].key for at in finder.find("")] == ["quoted", "used", "z", "zz", "idle"]
    assert not finder.is_sorted
    finder.sort_by(finder.ranking.sort)
    assert [finder.rows[at].key for at in finder.find("")] == ["used", "z", "zz", "idle", "quoted"]
    assert finder.is_sorted


def test_qualifiers_about_code_without_a_scan_are_problems() -> None:
    finder: Finder[FlagRow] = Finder([FlagRow(1, "used")])
    assert len(finder.find("refs:0 is:off")) == 1
    assert [(problem.start, problem.end) for problem in finder.problems] == [(0, 6)]
    assert "no scan yet" in finder.problems[0].reason


def test_rules_of_code_exist_and_show_their_flags() -> None:
    assert read_line("code:archived", FLAGS).shows == {"archived"}
    assert read_line("code:deleted,off", FLAGS).shows == {"deleted"}
    (problem,) = read_line("code:rolled", FLAGS).problems
    assert "code: use the id of a rule" in problem.reason
