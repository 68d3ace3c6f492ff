"""`.flagtui.toml`: a wrong line is named by file, line and key."""

from pathlib import Path

import pytest

from flagtui.code.path_patterns import SETTINGS_FILE
from flagtui.code.repository_settings import RepositorySettings, read_repository_settings
from flagtui.config.toml_source import SettingsError


def test_every_setting_is_read_or_has_its_default(tmp_path: Path) -> None:
    assert read_repository_settings(tmp_path) == RepositorySettings()
    (tmp_path / SETTINGS_FILE).write_text(
        '[code]\nwrappers = ["useGate", "Gates.on?"]\nconstants = ["flags.ts"]\nignore = ["docs/"]\n'
        'event_wrappers = ["track"]\ngenerated = ["gen/"]\ntests = ["it/"]\nlanguages = ["ts", "go"]\n'
    )
    settings = read_repository_settings(tmp_path)
    assert settings.wrappers == ("useGate", "Gates.on?")
    assert settings.event_wrappers == ("track",)
    assert settings.languages == ("ts", "go")


@pytest.mark.parametrize(("text", "place", "words"), [
    ('[code]\nwraper = ["a"]\n', ".flagtui.toml:2: code.wraper", "did you mean wrappers"),
    ('\n\n[coed]\nwrappers = ["a"]\n', ".flagtui.toml:3: coed", "did you mean code"),
    ('[code]\nwrappers = "useGate"\n', ".flagtui.toml:2: code.wrappers", "list of texts"),
    ('[code]\nwrappers = ["a b"]\n', ".flagtui.toml:2: code.wrappers", "no name of a function"),
    ('[code]\nlanguages = ["cobol"]\n', ".flagtui.toml:2: code.languages", "'cobol' is not among"),
    ('[code]\nignore = ["!"]\n', ".flagtui.toml:2: code.ignore", ".gitignore"),
    ('[code]\ntests = ["[z-a]"]\n', ".flagtui.toml:2: code.tests", ".gitignore"),
    ("[code]\nwrappers = [\n", ".flagtui.toml:2", "not valid TOML"),
    ("code = 1\n", ".flagtui.toml:1: code", "has to be a table"),
])  # fmt: skip
def test_typo_names_file_line_and_key(tmp_path: Path, text: str, place: str, words: str) -> None:
    (tmp_path / SETTINGS_FILE).write_text(text)
    with pytest.raises(SettingsError) as error:
        read_repository_settings(tmp_path)
    assert place in str(error.value)
    assert words in str(error.value)
