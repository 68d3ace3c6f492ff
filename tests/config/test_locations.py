import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from flagtui.config.locations import (
    FolderUnusable,
    Given,
    Locations,
    find_locations,
    make_folder,
    read_environment,
    take_variable,
)

WITHOUT_USER = """
import pwd
def nobody(number): raise KeyError(number)
pwd.getpwuid = nobody
from flagtui.config.locations import find_locations
print(find_locations())
"""


def test_folders_follow_the_xdg_variables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("config", "data", "state", "cache")
    for name in names:
        monkeypatch.setenv(f"XDG_{name.upper()}_HOME", str(tmp_path / name))
    assert find_locations() == Locations(**{name: tmp_path / name / "flagtui" for name in names})
    assert find_locations().settings_file == tmp_path / "config" / "flagtui" / "config.toml"
    assert not list(tmp_path.iterdir())


def test_missing_home_creates_no_folder_named_tilde(tmp_path: Path) -> None:
    variables = {name: value for name, value in os.environ.items() if not name.startswith(("HOME", "XDG_"))}
    program = [sys.executable, "-c", WITHOUT_USER]
    done = subprocess.check_output(program, env=variables, cwd=tmp_path, text=True)
    assert done.strip() == "Locations(config=None, data=None, state=None, cache=None)"
    assert not list(tmp_path.iterdir())
    assert Locations(None, None, None, None).settings_file is None


def test_the_environment_is_read_without_its_key_which_goes() -> None:
    variables = {"FLAGTUI_HOST": " eu ", "FLAGTUI_PROJECT": "", "FLAGTUI_API_KEY": " phx_canary_123\n"}
    given = read_environment({**variables, "HOME": "/root"})
    assert given == Given(host="eu", has_key=True)
    assert given.names == ("FLAGTUI_HOST", "FLAGTUI_API_KEY")
    assert "canary" not in repr(given)
    assert take_variable("FLAGTUI_API_KEY", variables) == "phx_canary_123"
    assert variables.keys() == {"FLAGTUI_HOST", "FLAGTUI_PROJECT"}
    assert take_variable("FLAGTUI_API_KEY", variables) == ""


def test_folder_is_made_private_or_refused_in_one_sentence(tmp_path: Path) -> None:
    folder = make_folder(tmp_path / "a" / "b", "the journal")
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert make_folder(folder, "the journal") == folder
    (tmp_path / "file").write_text("")
    with pytest.raises(FolderUnusable) as caught:
        make_folder(tmp_path / "file" / "state", "the journal")
    assert str(caught.value) == (
        f"{tmp_path}/file/state cannot be made (Not a directory), so the journal cannot be kept. "
        "Make it writable, or set HOME to a folder that is."
    )
    with pytest.raises(FolderUnusable, match="There is no home folder, so the journal cannot be kept"):
        make_folder(None, "the journal")
