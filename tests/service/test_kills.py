"""Killed while writing, nothing that was acknowledged is missing. benchmarks/kills.py goes on longer."""

from pathlib import Path

from tests.doubles.killed_service import Storm


def test_no_acknowledged_write_is_lost_to_a_kill(tmp_path: Path) -> None:
    storm = Storm(tmp_path / "x.db")
    for after_seconds in (0.12, 0.2):
        storm.kill_once(after_seconds)
        assert storm.faults() == []
    assert storm.writes > 10
