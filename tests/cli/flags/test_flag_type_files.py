"""`flagtui flags types`: the file, its comparison, and flags of an earlier run."""

from pathlib import Path

import pytest
from tests.cli.conftest import Run

TYPES = ("flags", "types", "--language")


def test_file_is_written_once_and_then_up_to_date(online: Run, tmp_path: Path) -> None:
    path = tmp_path / "flags.ts"
    first = online(*TYPES, "ts", "--out", str(path))
    assert (first.code, first.out) == (0, "")
    assert "Wrote " in first.err
    written = path.stat().st_mtime_ns
    assert path.read_text(encoding="utf-8") == online(*TYPES, "ts").out
    assert "is up to date" in online(*TYPES, "ts", "--out", str(path)).err
    assert path.stat().st_mtime_ns == written


def test_check_prints_the_difference_and_exits_with_7(online: Run, tmp_path: Path) -> None:
    path = tmp_path / "flags.py"
    check = (*TYPES, "python", "--out", str(path), "--check")
    missing = online(*check)
    assert (missing.code, path.exists()) == (7, False)
    assert f"{path} does not exist; nothing was written. Without --check," in missing.err
    online(*TYPES, "python", "--out", str(path))
    assert online(*check).code == 0
    path.write_text(path.read_text(encoding="utf-8").replace("Final = ", "Final = \x1b"), encoding="utf-8")
    changed = online(*check)
    assert (changed.code, f"{path} differs; nothing was written." in changed.err) == (7, True)
    assert "-NEW_NAV: Final = \ufffd" in changed.out
    assert "\x1b" not in changed.out


def test_offline_uses_the_flags_of_the_last_run(online: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    missing = online(*TYPES, "go", "--offline")
    assert missing.code == 6
    assert "without --offline" in missing.err
    before = online(*TYPES, "go", "type:boolean").out
    everything = online(*TYPES, "go").out
    monkeypatch.setattr("flagtui.api.connection.Connection.ask", None)
    assert online(*TYPES, "go", "--offline").out == everything
    assert online(*TYPES, "go", "type:boolean", "--offline").out == before
    assert len(before) < len(everything)


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("ts", "--check"), 2, "--out"),
        (("cobol",), 2, "cobol"),
        (("ts", "rollout:abc"), 2, "is not understood"),
        (("ts", "by:me", "--offline"), 3, "by:me cannot be known"),
        (("ts", "--out", "/nowhere/flags.ts"), 1, "was not written"),
    ],
)
def test_wrong_input_names_what_is_wrong(
    online: Run, words: tuple[str, ...], code: int, message: str
) -> None:
    done = online(*TYPES, *words)
    assert (done.code, done.out) == (code, "")
    assert message in done.err
