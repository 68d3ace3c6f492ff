"""The file of overrides, read again after each save."""

from pathlib import Path

import pytest

from flagtui.config.toml_source import SettingsError
from flagtui.mirror.override_file import OverrideFile, read_override_file

GOOD = """
[everyone]
new-nav = true
checkout = "test"
search = "20%"
limits = { max = 3 }

[persons."ann@acme.com"]
checkout = "control"
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "overrides.toml"


def test_file_has_overrides_for_everyone_and_persons_or_none(path: Path) -> None:
    assert read_override_file(path) == []
    path.write_text(GOOD)
    assert [str(each) for each in read_override_file(path)] == [
        *("new-nav=on", "checkout=test", "search=20%", 'limits={"max": 3}'),
        "checkout=control@ann@acme.com",
    ]
    guide = (Path(__file__).parents[2] / "docs" / "mirror.md").read_text(encoding="utf-8")
    path.write_text(guide.partition("```toml\n")[2].partition("```")[0])
    assert [str(each) for each in read_override_file(path)] == [
        *("new-nav=on", "new-search=20%", "checkout=test@ann@acme.com")
    ]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[everyone", "overrides.toml:1"),
        ("[all]\na = true", "did you mean|known here: everyone, persons"),
        ("[everyone]\n\na = []", "overrides.toml:3: everyone.a"),
        ("[everyone]\na = 2026-01-01", "everyone.a"),
        ("[everyone]\na = nan", "everyone.a"),
        ('[persons.ann]\na = "20%"', "persons.ann.a.*a share is for everyone"),
        ("[persons]\nann = 1", "has to be a table"),
        ("everyone = 1", "has to be a table"),
    ],
)
def test_malformed_file_is_refused_with_its_line(path: Path, text: str, reason: str) -> None:
    path.write_text(text)
    with pytest.raises(SettingsError, match=reason):
        read_override_file(path)


def test_saved_file_is_reloaded_and_a_bad_one_ignored(path: Path) -> None:
    file = OverrideFile(path)
    assert not file.reload()
    path.write_text("[everyone]\na = true")
    assert file.reload()
    assert not file.reload()
    path.write_text("[everyone]\na = ")
    assert file.reload()
    assert "overrides.toml:2" in file.trouble
    assert [str(each) for each in file.overrides] == ["a=on"]
    path.write_text("[everyone]\na = false")
    assert file.reload()
    assert (file.trouble, [str(each) for each in file.overrides]) == ("", ["a=off"])
    path.unlink()
    assert file.reload()
    assert file.overrides == []
