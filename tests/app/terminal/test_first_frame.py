import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.doubles.expected import require

from flagtui.app.terminal import first_frame
from flagtui.app.terminal.first_frame import KEPT_FRAMES, forget_frames, keep_frame


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A terminal of 80 cells and an empty cache folder; the folder frames are kept in."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setattr(os, "get_terminal_size", lambda _: os.terminal_size((80, 24)))
    monkeypatch.setattr(sys, "argv", ["flagtui", "demo"])
    return tmp_path / "flagtui" / "frames"


def read_frame() -> str | None:
    return first_frame.read_frame(first_frame.frame_key(sys.argv[1:]))


def keep(frame: str = "rows", style: str = "", *, hours: float = 0) -> None:
    """Keep a frame that was shown so many hours ago."""
    keep_frame(frame, style, shown_at=time.time() - hours * 3600)


def test_only_arguments_that_open_the_app_may_paint() -> None:
    opening = ("", "demo", "--profile prod", "--project 3 --read-only", "demo --flags 9 --nasty")
    others = ("--version", "-V", "--help", "demo --help", "serve", "keys list", "demo --fresh", "x")
    for arguments in (*opening, *others):
        assert first_frame.opens_the_app(arguments.split()) is (arguments in opening)


def test_cached_frame_returns_with_its_age_on_the_first_line(screen: Path) -> None:
    keep("\x1b[1;1Hrows", "38;5;1", hours=3)
    frame = require(read_frame())
    assert frame.startswith("\x1b[1;1Hrows")
    assert "as of 3 h ago, connecting" in frame
    assert frame.endswith("\x1b[0m")


def test_frame_is_for_its_owner_alone(screen: Path) -> None:
    keep()
    (kept,) = screen.iterdir()
    assert kept.stat().st_mode & 0o777 == 0o600
    assert screen.stat().st_mode & 0o077 == 0
    kept.chmod(0o644)
    assert read_frame() is None


VARIABLES = {
    "FLAGTUI_PROFILE": "prod",
    "FLAGTUI_HOST": "https://eu.example",
    "NO_COLOR": "1",
    "TERM": "vt100",
}


@pytest.mark.parametrize("what", [*VARIABLES, "setting", "version", "size"])
def test_frame_of_another_look_or_place_is_not_painted(
    screen: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    keep()
    assert read_frame() is not None
    if what in VARIABLES:
        monkeypatch.setenv(what, VARIABLES[what])
    elif what == "setting":
        (screen.parent / "config.toml").write_text("theme = 'day'")
    elif what == "version":
        monkeypatch.setattr(first_frame, "__version__", "99.0")
    else:
        monkeypatch.setattr(os, "get_terminal_size", lambda _: os.terminal_size((100, 24)))
    with pytest.raises(FileNotFoundError):
        read_frame()


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o177])
def test_the_folder_of_frames_is_private_whatever_the_umask(screen: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        keep()
    finally:
        os.umask(before)
    assert [folder.stat().st_mode & 0o777 for folder in (screen, screen.parent)] == [0o700, 0o700]
    screen.chmod(0o777)
    keep()
    assert screen.stat().st_mode & 0o777 == 0o700


def test_a_frame_cut_or_altered_anywhere_is_not_painted(screen: Path) -> None:
    keep("\x1b[1;1Hrows", "38;5;1")
    (kept,) = screen.iterdir()
    whole = kept.read_bytes()
    for place in range(len(whole)):
        kept.write_bytes(whole[:place])
        assert read_painted() is None
        kept.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        assert read_painted() is None
    kept.write_bytes(whole + b"\x1b]52;c;cm0=\x1b\\")
    assert read_painted() is None
    kept.write_bytes(whole)
    assert read_painted()


def read_painted() -> str | None:
    """What `paint` would send: it takes a ValueError for no frame."""
    try:
        return read_frame()
    except ValueError:
        return None


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a folder to another user")
def test_frame_in_another_users_folder_is_not_painted(screen: Path) -> None:
    keep()
    os.chown(screen, 65534, 65534)
    assert read_frame() is None
    os.chown(screen, 0, 0)
    screen.rename(screen.parent / "elsewhere")
    screen.symlink_to(screen.parent / "elsewhere")
    assert read_frame() is not None
    os.lchown(screen, 65534, 65534)
    assert read_frame() is None


def test_frame_is_kept_only_where_a_file_can_hold_it(screen: Path) -> None:
    keep("half \ud800")
    assert not screen.exists()
    screen.parent.parent.joinpath("flagtui").write_text("a file where the folder should be")
    keep()
    assert not screen.exists()


def test_only_the_newest_frames_are_kept(tmp_path: Path) -> None:
    for number in range(KEPT_FRAMES + 5):
        frame = tmp_path / f"frame-{number:08x}"
        frame.write_text("")
        os.utime(frame, (number, number))
    forget_frames(str(tmp_path))
    assert sorted(path.name for path in tmp_path.iterdir())[0] == f"frame-{5:08x}"
    assert len(list(tmp_path.iterdir())) == KEPT_FRAMES


def test_painting_imports_nothing_that_takes_time() -> None:
    code = (
        "import sys; before = set(sys.modules);"
        "from flagtui.app.terminal.first_frame import paint; paint([]);"
        "print(*sorted(set(sys.modules) - before))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    roots = {name.partition(".")[0] for name in done.stdout.split()}
    assert roots <= {"flagtui", "zlib", "time", "errno"}
