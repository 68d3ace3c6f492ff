"""Files that are written on the user's request."""

from pathlib import Path

import pytest

from flagtui.app.shell.written_files import export


def test_export_into_a_deleted_folder_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder := tmp_path / "gone").mkdir()
    monkeypatch.chdir(folder)
    folder.rmdir()
    assert export("flags.json", "[]", "1 flag", 1.0).text == "not written: No such file or directory"
