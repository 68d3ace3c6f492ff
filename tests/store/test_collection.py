from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.doubles.expected import require
from tests.doubles.flag_collection import empty, flag, ids, load, load_rows

from flagtui.models.rows import EventDefinitionRow, FlagRow
from flagtui.store.collection import Collection
from flagtui.store.optimistic_edits import StagedEdit


@pytest.mark.parametrize(("old", "new"), [
    (flag(1, 3), flag(1, 4)),
    (flag(1, 3, updated_at=9.0), flag(1, 4, updated_at=1.0)),
    (flag(1, 3, updated_at=1.0), flag(1, 3, updated_at=2.0)),
    (flag(1, None, updated_at=1.0), flag(1, 7, updated_at=2.0)),
])  # fmt: skip
def test_of_two_answers_that_overlap_the_newer_record_is_believed(old: FlagRow, new: FlagRow) -> None:
    collection = load_rows(flag(1, None))
    moment = collection.moment
    assert collection.put(new) is True
    assert collection.put(old, moment) is False
    assert collection.put(old) is False
    collection.begin_load()
    collection.put(new)
    collection.add_page([old], 1)
    collection.finish_load()
    assert collection.server_row(1) == new
    assert load_rows(old).put(new) is True


def test_what_is_asked_later_is_believed_whatever_its_version() -> None:
    restored = flag(1, 3, active=True)
    collection = empty()
    collection.recall([flag(1, 50, active=False)])
    load(collection, restored)
    assert collection.rows == (restored,)
    collection.put(flag(1, 51))
    assert collection.put(restored, collection.moment) is True
    assert collection.rows == (restored,)
    moment = collection.moment
    collection.remove(1)
    assert collection.put(flag(1, 1), moment) is False
    assert collection.put(flag(1, 1), collection.moment) is True


def test_edit_in_flight_is_shown_and_leaving_rolls_it_back() -> None:
    collection = load_rows(flag(1, active=True, tags=["a"]))
    before = collection.rows
    edit = {"active": False, "tags": ["b"], "evaluation_runtime": "server", "filters": {}}
    with collection.showing(1, edit):
        row = require(collection.get(1))
        assert (row.active, row.tags, row.runtime) == (False, ("b",), "server")
        assert collection.rows[0] is row
        assert collection.pending == {1}
        assert collection.server_row(1) is before[0]
    assert collection.rows == before
    assert collection.pending == frozenset()


def test_edits_are_shown_on_each_other_and_on_known_records() -> None:
    collection = load_rows(flag(1, active=True))
    with collection.showing(1, {"active": False}):
        with collection.showing(1, {"name": "new", "active": True}):
            assert collection.get(1) == flag(1, active=True, name="new")
        assert collection.get(1) == flag(1, active=False)
    collection = load_rows(flag(1))
    with collection.showing(99, {"active": True}):
        assert ids(collection) == [1]
        assert collection.get(99) is None
    collection = load_rows(flag(1, active=True))
    with pytest.raises(OSError, match="lost"), collection.showing(1, {"active": False}):
        raise OSError("lost")
    assert collection.get(1) == flag(1, active=True)


def test_refresh_beneath_an_edit_keeps_the_record() -> None:
    collection = load_rows(flag(1, active=True))
    with collection.showing(1, {"active": False}):
        assert collection.get(1) == flag(1, active=False)
        load(collection, flag(1, 2, active=True, name="renamed"))
        assert collection.get(1) == flag(1, 2, active=False, name="renamed")
    assert collection.get(1) == flag(1, 2, active=True, name="renamed")
    collection = load_rows(flag(1), flag(2))
    with collection.showing(2, {"active": False}):
        load(collection, flag(1))
        assert ids(collection) == [1, 2]


def test_staging_one_more_change_keeps_the_rows_of_the_others() -> None:
    collection = load_rows(flag(1), flag(2))
    first = StagedEdit({"active": True}, {"active": False}, 1)
    collection.stage({1: first})
    shown = collection.get(1)
    collection.stage({1: first, 2: StagedEdit({"name": "new"}, {"name": ""}, 1)})
    assert collection.get(1) is shown
    assert collection.get(2) == flag(2, name="new")
    collection.stage({1: StagedEdit({"active": None}, {"active": False}, 1)})
    assert collection.get(1) == flag(1, active=False)
    assert collection.get(2) == flag(2)


def test_changed_rows_are_known_since_the_last_look() -> None:
    collection = load_rows(flag(1), flag(2), flag(3))
    look = collection.version
    load(collection, flag(1), flag(2, 2), flag(3), flag(4))
    assert collection.changed_since(look) == {2}
    look = collection.version
    collection.put(flag(3, 2))
    with collection.showing(1, {"active": True}):
        assert collection.changed_since(look) == {3}
    assert collection.changed_since(collection.version) == frozenset()


def test_own_changes_are_not_among_the_changed_rows() -> None:
    collection = load_rows(flag(1), flag(2))
    look = collection.version
    collection.put(flag(1, 2), is_own=True)
    collection.put(flag(2, 2))
    assert collection.changed_since(look) == {2}


def test_rows_change_only_when_newer_records_arrive() -> None:
    collection = load_rows(flag(1))
    before = collection.rows
    assert collection.rows is before
    collection.put(flag(1))
    assert collection.rows[0] is before[0]
    collection.put(flag(1, 2))
    assert collection.rows is not before
    assert before == (flag(1),)
    collection = empty()
    collection.put(flag(1, 5))
    collection.recall([flag(1, 9), flag(2)])
    assert collection.rows == (flag(1, 5), flag(2))


def test_watchers_are_told_until_they_stop() -> None:
    collection = empty()
    versions: list[int] = []
    stop = collection.watch(lambda: versions.append(collection.version))
    collection.put(flag(1))
    collection.put(flag(1, 0))
    collection.remove(1)
    stop()
    stop()
    collection.put(flag(2))
    assert versions == [1, 2]


def test_several_records_at_once_are_one_change() -> None:
    collection = load_rows(flag(1, 5))
    version = collection.version
    assert collection.put_all([flag(1, 4), flag(2), flag(3)]) == 2
    assert (ids(collection), collection.version) == ([1, 2, 3], version + 1)
    assert collection.put_all([flag(1, 4)]) == 0
    assert collection.put_all([flag(2), flag(3)]) == 2
    assert collection.version == version + 1


def test_rows_of_other_kinds_may_have_text_ids() -> None:
    collection: Collection[EventDefinitionRow] = Collection()
    collection.put(EventDefinitionRow("a-b", "signed up"))
    collection.put(EventDefinitionRow("a-b", "signed in"))
    assert collection.rows == (EventDefinitionRow("a-b", "signed in"),)


@pytest.mark.parametrize("step", ["add_page", "finish_load"])
def test_pages_outside_a_load_are_a_bug_and_say_so(step: str) -> None:
    collection = empty()
    with pytest.raises(RuntimeError, match=step):
        collection.add_page([], 0) if step == "add_page" else collection.finish_load()


@dataclass
class Server:
    """One record whose version may jump back, as after a restored backup, and requests under way."""

    collection: Collection[FlagRow]
    reads: int = 0
    row: FlagRow = field(default_factory=lambda: flag(1, 1, name="0"))
    requests: list[tuple[int, FlagRow]] = field(default_factory=list)

    def change(self, version: int) -> None:
        self.reads += 1
        self.row = flag(1, version, name=str(self.reads))

    def ask(self) -> None:
        self.requests.append((self.collection.moment, self.row))

    def answer(self) -> None:
        moment, row = self.requests.pop(0)
        is_alone = moment == self.collection.moment
        assert self.collection.put(row, moment) or not is_alone

    def load(self, *, is_put_between: bool) -> None:
        self.collection.begin_load()
        if is_put_between and self.requests:
            self.answer()
        self.collection.add_page([self.row], 1)
        self.collection.finish_load()


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["change", "ask", "answer", "load", "mix"]), st.integers(1, 9))))
def test_last_refresh_wins_whatever_arrives_in_any_order(steps: list[tuple[str, int]]) -> None:
    server = Server(Collection())
    collection = server.collection
    for step, version in steps:
        if step == "change":
            server.change(version)
        elif step == "ask":
            server.ask()
        elif step == "answer" and server.requests:
            server.answer()
        elif step in ("load", "mix"):
            server.load(is_put_between=step == "mix")
            assert step == "mix" or collection.server_row(1) == server.row
        assert len(collection) == len(collection.rows) <= 1
    while server.requests:
        server.answer()
    server.ask()
    server.answer()
    assert collection.rows == (server.row,)
