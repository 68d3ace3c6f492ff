import msgspec

from flagtui.models.rows import FlagRow
from flagtui.store.list_differences import Changed, compare

ON = FlagRow(id=1, key="new-nav", active=True, version=3, updated_at=100.0, called_at=50.0)
OTHER = FlagRow(id=2, key="other")


def change_row(**fields: object) -> FlagRow:
    return msgspec.structs.replace(ON, **fields)


def test_differences_count_records_and_changes_but_no_calls() -> None:
    off = change_row(active=False, version=4, updated_at=200.0)
    new = FlagRow(id=3, key="new")
    difference = compare([ON, OTHER], [new, off])
    assert difference.added == (new,)
    assert difference.gone == (OTHER,)
    assert difference.changed == (Changed(ON, off, ("active",)),)
    assert not difference.is_empty
    assert compare([ON], [change_row(version=4)]).changed == (Changed(ON, change_row(version=4), ()),)
    assert compare([ON, OTHER], [change_row(called_at=900.0), OTHER]).is_empty
    assert compare([], []).is_empty


def test_archived_records_of_one_list_are_no_difference() -> None:
    archived = change_row(id=9, archived=True)
    deleted = change_row(id=8, deleted=True)
    assert compare([ON], [ON, archived, deleted]).is_empty
    assert compare([ON, archived, deleted], [ON]).is_empty
    assert compare([ON], [change_row(archived=True)]).changed[0].fields == ("archived",)
