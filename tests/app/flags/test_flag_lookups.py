"""Pasted ids: which are looked up, and what is shown about the others."""

from flagtui.app.flags.flag_lookups import MOST, ids_in, read_ids


def test_ids_count_once_and_those_beyond_the_limit_are_named() -> None:
    assert ids_in("812, #813\n812 and 0, 99999999999999") == [812, 813]
    line = " ".join(map(str, range(1, MOST + 3)))
    ((words, _look),) = read_ids(line).pieces
    assert words == f"{MOST + 2:,} ids; the first {MOST:,} are looked up"
    ((words, _look),) = read_ids("1 2").pieces
    assert words == "2 ids"
