"""A short slice of `make prove`: random hands on the program in a real terminal.

A start takes longer than sixty operations: `make check-slice` has the other servers.
"""

import os
from pathlib import Path

import pytest
from tests.doubles.slices import ALL_MODES, at_most
from tests.prove.round import Round, summary

OPERATIONS = int(os.environ.get("FLAGTUI_OPERATIONS", at_most(60, 120)))
HANDS = [("hostile", 7), ("failing", 5), ("slow", 4)]
"""The server and the seed."""


@pytest.mark.parametrize(("server", "seed"), HANDS if ALL_MODES else HANDS[:1])
def test_random_hands_end_nothing_leak_nothing_and_change_nothing_unasked(
    server: str, seed: int, tmp_path: Path
) -> None:
    findings = Round(server, seed, tmp_path).play(OPERATIONS)
    assert findings.faults == []
    assert findings.operations == OPERATIONS


def test_a_report_is_told_by_its_innermost_frames() -> None:
    report = """
      File "/x/textual/dom.py", line 12, in query_one
      File "/x/flagtui/app/flags/flag_screen.py", line 182, in _open
    NoMatches: none
    """
    assert summary(report) == "NoMatches: none [app/flags/flag_screen.py:182 _open < dom.py:12 query_one]"
