"""The last scan of each folder of code: by profile, for the folders below it, and readable or missing."""

from pathlib import Path

from tests.doubles.expected import require

from flagtui.models.code_uses import CodeUse
from flagtui.store.code_scans import CodeScans

PLACES = (
    CodeUse("src/app.ts", 3, 5, "call", "new-nav"),
    CodeUse("src/app.ts", 9, 1, "comment", "new-nav"),
    CodeUse("src/app.ts", 12, 1, "call", "new-nav", "event"),
)


def test_scan_of_a_folder_is_that_of_the_folders_below(tmp_path: Path) -> None:
    scans, code = CodeScans(tmp_path / "cache", "prod"), tmp_path / "code"
    (code / "src").mkdir(parents=True)
    scans.save(code, tmp_path, PLACES, 100.0)
    scan = require(scans.load(code / "src"))
    assert (scan.folder, scan.root, scan.places) == (str(code), str(tmp_path), PLACES)


def test_scan_is_replaced_by_later_ones_of_its_folder(tmp_path: Path) -> None:
    scans = CodeScans(tmp_path / "cache", "prod")
    scans.save(tmp_path, tmp_path, PLACES, 100.0)
    scans.save(tmp_path, tmp_path, (), 200.0)
    scan = require(scans.load(tmp_path))
    assert (scan.taken_at, scan.places) == (200.0, ())
    assert len([*(tmp_path / "cache" / "code").iterdir()]) == 1
    scans = CodeScans(tmp_path, "prod")
    scans.save(tmp_path, tmp_path, PLACES, 100.0)
    scan = require(scans.load(tmp_path))
    assert [use.place for use in scan.uses_of("new-nav").uses] == ["src/app.ts:3:5"]
    assert [use.place for use in scan.places_of("new-nav", "event")] == ["src/app.ts:12:1"]
    assert scan.uses_of("other").uses == ()


def test_other_profiles_and_folders_have_no_scan(tmp_path: Path) -> None:
    CodeScans(tmp_path / "cache", "prod").save(tmp_path / "code", tmp_path, PLACES, 100.0)
    assert CodeScans(tmp_path / "cache", "staging").load(tmp_path / "code") is None
    assert CodeScans(tmp_path / "cache", "prod").load(tmp_path / "other") is None
    assert CodeScans(tmp_path / "cache", "prod", "2").load(tmp_path / "code") is None


def test_damaged_scans_are_none_and_files_are_private(tmp_path: Path) -> None:
    scans = CodeScans(tmp_path, "prod")
    scans.save(tmp_path, tmp_path, PLACES, 100.0)
    (file,) = (tmp_path / "code").iterdir()
    assert (tmp_path / "code").stat().st_mode & 0o777 == 0o700
    assert file.stat().st_mode & 0o777 == 0o600
    file.write_bytes(file.read_bytes()[:40])
    assert scans.load(tmp_path) is None
    assert CodeScans(None, "prod").save(tmp_path, tmp_path, PLACES, 100.0).places == PLACES
    assert CodeScans(None, "prod").load(tmp_path) is None
