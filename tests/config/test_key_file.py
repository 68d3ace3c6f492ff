import os
import stat
from pathlib import Path

import pytest

from flagtui.config.credentials import Owner
from flagtui.config.key_sources import KeyFileRefused, key_path, read_key_file, write_key_file

KEY = "phx_canary_0123456789abcdef"
OWNER = Owner("prod", "https://eu.posthog.com")


def test_a_key_file_is_private_from_the_first_byte(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        path = write_key_file(tmp_path / "state", OWNER.username, KEY)
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert path.read_text() == KEY + "\n"


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o666])
def test_key_file_readable_by_others_is_refused_with_the_remedy(tmp_path: Path, mode: int) -> None:
    home = tmp_path / "a home"
    path = write_key_file(home, OWNER.username, KEY)
    path.chmod(mode)
    with pytest.raises(KeyFileRefused, match=f"others may read it; do: chmod 600 '{path}'"):
        read_key_file(home, OWNER.username)


def test_key_file_stays_in_its_folder_or_is_refused(tmp_path: Path) -> None:
    assert key_path(tmp_path, "../../x @ https://h/").parent == tmp_path / "keys"
    (tmp_path / "state").write_text("")
    with pytest.raises(KeyFileRefused, match="the key cannot be kept"):
        write_key_file(tmp_path / "state", OWNER.username, KEY)
    assert read_key_file(tmp_path / "state", OWNER.username) is None
    with pytest.raises(KeyFileRefused, match="Set HOME"):
        write_key_file(None, OWNER.username, KEY)
