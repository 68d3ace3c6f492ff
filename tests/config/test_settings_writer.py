import re
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
    settings, text = read_settings(file), file.read_text()
    assert (settings.profiles["dev"], settings.default_profile) == (profile, "dev")
    assert settings.profiles["prod"].guard == "strict"
    added = text.partition("[profiles.dev]")[2]
    assert added.strip().splitlines()[:2] == ['host = "http://127.0.0.1:8010"', "read_only = true"]
    assert set(MINE.splitlines()) <= set(text.splitlines())


def test_first_profile_makes_a_file_with_a_heading(tmp_path: Path) -> None:
    file = tmp_path / "a" / "config.toml"
    write_profile(file, Profile("prod", project="7"), default="prod")
    assert read_settings(file).profiles == {"prod": Profile("prod", project="7")}
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


FORM = "nothing can be added in this form, and nothing was changed; write each under"
DOTTED = 'theme = "light"\nprofiles.prod.host = "us"\nprofiles.prod.badge = "P"\n'


@pytest.mark.parametrize(("content", "message"), [
    ("theme = 5\n", "config.toml:1: theme: 5 cannot be used"),
    ("theme = \n", "config.toml:1: not valid TOML"),
    ('profiles = {prod = {host = "us"}}\n', f"config.toml:1: profiles: {FORM} [profiles.NAME] first"),
    (DOTTED, f"config.toml:2: profiles: {FORM} [profiles.NAME] first"),
])  # fmt: skip
def test_file_that_cannot_take_a_profile_is_not_touched(file: Path, content: str, message: str) -> None:
    file.write_text(content)
    with pytest.raises(SettingsError, match=re.escape(message)):
        write_profile(file, Profile("test"), default="test")
    assert file.read_text() == content


def test_form_without_place_for_another_query_is_named(file: Path) -> None:
    content = 'queries = [{name = "on", line = "is:on"}]\n'
    file.write_text(content)
    with pytest.raises(SettingsError, match=re.escape(f"config.toml:1: queries: {FORM} [[queries]] first")):
        save_query(file, "off", "is:off")
    assert file.read_text() == content


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
    kept = file.rename(tmp_path / "dotfiles.toml")
    file.symlink_to(kept)
    save_query(file, "stale", "is:stale")
    assert file.is_symlink()
    assert "is:stale" in kept.read_text()
