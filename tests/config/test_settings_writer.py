import re
import stat
from pathlib import Path

import pytest

from flagtui.config.profiles import Profile
from flagtui.config.settings import SavedQuery, SettingsError, read_settings
from flagtui.config.settings_writer import save_query, write_columns, write_profile

MINE = """\
# My settings. Do not lose this line.
theme = "light"   # easier on the eyes

[profiles.prod]  # careful!
# the eu cluster
host = "eu"
guard = "strict"

[keys]
flags.toggle = "t"  # as in vim
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "flagtui" / "config.toml"
    path.parent.mkdir()
    path.write_text(MINE)
    return path


def test_comments_and_order_stay_and_defaults_are_written(file: Path) -> None:
    write_profile(file, Profile("prod", host="us", project="12", guard="strict"))
    assert file.read_text() == MINE.replace('"eu"', '"us"').replace('"strict"\n', '"strict"\nproject = 12\n')
    write_profile(file, Profile("prod", host="eu"))
    assert read_settings(file).profiles["prod"] == Profile("prod", host="eu")


def test_new_profile_is_added_with_its_differences_from_the_default(file: Path) -> None:
    profile = Profile("dev", host="http://127.0.0.1:8010", read_only=True)
    write_profile(file, profile, default=profile.name)
    settings = read_settings(file)
    assert settings.profiles["dev"] == profile
    assert settings.default_profile == "dev"
    assert settings.profiles["prod"].guard == "strict"
    added = file.read_text().partition("[profiles.dev]")[2]
    assert added.strip().splitlines()[:2] == ['host = "http://127.0.0.1:8010"', "read_only = true"]
    for line in MINE.splitlines():
        assert line in file.read_text()


def test_first_profile_makes_a_file_private_to_its_owner(tmp_path: Path) -> None:
    file = tmp_path / "a" / "config.toml"
    write_profile(file, Profile("prod", project="7"), default="prod")
    assert read_settings(file).profiles == {"prod": Profile("prod", project="7")}
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert file.read_text().startswith("# Settings of flagtui")


def test_a_search_line_is_kept_under_its_name_and_replaced(file: Path) -> None:
    save_query(file, "stale", "is:stale")
    save_query(file, "mine", 'by:me "new check"')
    save_query(file, "stale", "is:stale by:me")
    save_query(file, "stale", "is:stale", "events")
    assert read_settings(file).queries == (
        SavedQuery("stale", "is:stale by:me"),
        SavedQuery("mine", 'by:me "new check"'),
        SavedQuery("stale", "is:stale", "events"),
    )


@pytest.mark.parametrize("content", ["theme = 5\n", "theme = \n"])
def test_a_file_with_a_mistake_is_not_touched(file: Path, content: str) -> None:
    file.write_text(content)
    with pytest.raises(SettingsError):
        write_profile(file, Profile("prod"))
    assert file.read_text() == content


@pytest.mark.parametrize(
    ("content", "place", "header"),
    [
        ('profiles = {prod = {host = "us"}}\n', "1: profiles: ", "[profiles.NAME]"),
        (
            'theme = "light"\nprofiles.prod.host = "us"\nprofiles.prod.badge = "P"\n',
            "2: profiles: ",
            "[profiles.NAME]",
        ),
        ('queries = [{name = "on", line = "is:on"}]\n', "1: queries: ", "[[queries]]"),
    ],
)
def test_form_without_place_for_more_is_named(file: Path, content: str, place: str, header: str) -> None:
    file.write_text(content)
    words = f"{file.name}:{place}nothing can be added in this form, and nothing was changed; write each under"
    with pytest.raises(SettingsError, match=re.escape(f"{words} {header} first")):
        _add(file, place)
    assert file.read_text() == content


def _add(file: Path, place: str) -> None:
    if "queries" in place:
        save_query(file, "off", "is:off")
    else:
        write_profile(file, Profile("test"), default="test")


def test_last_columns_of_a_dotted_table_are_removed(file: Path) -> None:
    file.write_text('columns.flags = ["key"]\n')
    write_columns(file, "flags", [])
    assert read_settings(file).columns == {}


def test_mark_of_an_editor_before_the_text_is_ignored(file: Path) -> None:
    file.write_bytes(b"\xef\xbb\xbf" + MINE.encode())
    assert read_settings(file).theme == "light"
    save_query(file, "stale", "is:stale")
    assert file.read_text().startswith(MINE)


def test_unreadable_value_is_never_written(file: Path) -> None:
    with pytest.raises(SettingsError, match=r"config\.toml: profiles\.prod\.badge: "):
        write_profile(file, Profile("prod", badge="much too long a badge"))
    assert file.read_text() == MINE
    assert list(file.parent.iterdir()) == [file]


def test_settings_kept_elsewhere_behind_a_link_stay_there(file: Path, tmp_path: Path) -> None:
    kept = tmp_path / "dotfiles.toml"
    file.rename(kept)
    file.symlink_to(kept)
    save_query(file, "stale", "is:stale")
    assert file.is_symlink()
    assert "is:stale" in kept.read_text()
