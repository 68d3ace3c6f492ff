"""Where a crash report is, and what may have caused the crash."""

from pathlib import Path

from flagtui.config.crash_reports import report_place


def test_report_names_a_version_installed_while_this_one_ran(tmp_path: Path) -> None:
    source = tmp_path / "__init__.py"
    assert report_place(Path("a.txt"), source) == report_place(Path("a.txt")) == "The report is in a.txt."
    source.write_text('__version__ = "99.1"')
    assert report_place(None, source).startswith("flagtui 99.1 was installed meanwhile; start it again. ")
