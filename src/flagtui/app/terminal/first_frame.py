"""Keeps the last screen of a run, and shows it at the next start before anything heavy is imported.

Rows are there within a few milliseconds: this module imports nothing that costs one. The frame shows how old
it is, and no key reaches a row before live rows are there: keys are kept until the app is up.
"""

# pathlib takes longer to import than everything here takes to run.
# ruff: noqa: PTH101, PTH105, PTH108, PTH110, PTH116, PTH118, PTH120

import os
import sys
import time
from zlib import crc32

from flagtui import __version__
from flagtui.private_folders import find_folder, frames_folder, is_foreign, make_private

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

OPTIONS_WITH_VALUE = ("--profile", "--project", "--flags")
OPTIONS = ("--read-only", "--no-mouse", "--nasty")
COMMANDS = ("demo",)
VARIABLES = (
    *("FLAGTUI_HOST", "FLAGTUI_PROFILE", "FLAGTUI_PROJECT", "FLAGTUI_PLAIN_DISPLAY"),
    *("TERM", "COLORTERM", "COLORFGBG", "NO_COLOR", "TEXTUAL_THEME", "TEXTUAL_COLOR_SYSTEM"),
    *("LANG", "LC_ALL", "STY"),
)
"""What changes which rows are shown or how they look."""
LARGEST_FRAME = 262_144
KEPT_FRAMES = 12
"""One for every size of window, profile and project a person comes back to."""
ENTER = "\x1b[?1049h\x1b[?25l"
LEAVE = "\x1b[0m\x1b[?25h\x1b[?1049l"

ENDING_SIGNALS = (1, 15)
"""SIGHUP and SIGTERM."""

_found: "list[Any] | None" = None
"""The terminal's attributes from before; None while it was not touched, or when the app took over."""
_is_painted = False
"""Whether a frame is on the screen."""


def paint(arguments: "list[str]") -> None:
    """Paint the frame kept for these arguments on this terminal, if there is one."""
    global _is_painted
    try:
        if not opens_the_app(arguments) or os.environ.get("FLAGTUI_NO_FIRST_FRAME") or not is_terminal():
            return
        frame = read_frame(frame_key(arguments))
        if frame is not None and quieten():
            _is_painted = True
            os.write(2, (ENTER + frame).encode())
    except (OSError, ValueError):
        return


def is_terminal() -> bool:
    """Return whether a person sees and types on a terminal with attributes."""
    return os.name == "posix" and os.isatty(0) and os.isatty(1) and os.isatty(2)


def quieten() -> bool:
    """Turn off echo and line mode until the app takes over or `leave`."""
    global _found
    if _found is not None:
        return True
    try:
        import signal
        import termios

        attributes = termios.tcgetattr(0)
        quiet = attributes.copy()
        # Enter, ctrl+s and ctrl+q arrive as the app reads them later; nothing of them is for the terminal.
        quiet[0] &= ~(termios.ICRNL | termios.INLCR | termios.IGNCR | termios.IXON | termios.IXOFF)
        quiet[3] &= ~(termios.ECHO | termios.ICANON)
        termios.tcsetattr(0, termios.TCSANOW, quiet)
        _found = attributes
        for number in ENDING_SIGNALS:
            signal.signal(number, _end)
    except (ImportError, OSError, ValueError):
        return False
    return True


def attributes_before() -> "list[Any] | None":
    """Return the terminal's attributes from before it was touched, while the app did not take over."""
    return _found


def is_painted() -> bool:
    """Return whether a frame is on the screen and the app did not take over."""
    return _is_painted


def hand_over() -> bool:
    """Restore the terminal's attributes before the app takes over; return whether a frame is painted."""
    global _found, _is_painted
    if _found is None:
        return False
    import signal
    import termios

    termios.tcsetattr(0, termios.TCSANOW, _found)
    for number in ENDING_SIGNALS:
        signal.signal(number, signal.SIG_DFL)
    was_painted, _found, _is_painted = _is_painted, None, False
    return was_painted


def leave() -> None:
    """Remove the frame, for a program that ends before it draws a screen."""
    if hand_over():
        os.write(2, LEAVE.encode())


def _end(number: int, _frame: object) -> None:
    leave()
    os._exit(128 + number)


def opens_the_app(arguments: "list[str]") -> bool:
    """Return whether these arguments open the app and nothing else; `--version` must never blink."""
    rest = list(arguments)
    while rest:
        argument = rest.pop(0)
        if argument in OPTIONS_WITH_VALUE and rest:
            rest.pop(0)
        elif argument not in OPTIONS and argument not in COMMANDS:
            return False
    return True


def frame_key(arguments: "list[str]") -> str:
    """Return, on one line, everything that must match for a frame to be shown again."""
    width, height = os.get_terminal_size(2)
    variables = [f"{name}={os.environ.get(name, '')!r}" for name in VARIABLES]
    return " ".join([__version__, f"{width}x{height}", *map(repr, arguments), *variables, _settings_age()])


def frame_path(key: str) -> str:
    """Return where the frame of this key is stored; only its owner may read it."""
    return os.path.join(frames_folder(), f"frame-{crc32(key.encode()):08x}")


def read_frame(key: str) -> "str | None":
    """Return the frame with its age written into its first line; None when it may not be painted.

    It is painted raw, so the file and its folder must belong to the user, and the content must be unchanged.
    Raises OSError if it does not exist.
    """
    path = frame_path(key)
    if is_foreign(os.path.dirname(path)):
        return None
    # A pipe in its place must not keep the start waiting.
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    handle = os.open(path, flags)
    try:
        facts = os.fstat(handle)
        if facts.st_uid != os.getuid() or facts.st_mode & 0o077 or facts.st_size > LARGEST_FRAME:
            return None
        checksum, _, data = os.read(handle, LARGEST_FRAME).partition(b"\n")
    finally:
        os.close(handle)
    if checksum != checksum_of(data):
        return None
    stored_key, style, frame = data.decode().split("\n", 2)
    width = os.get_terminal_size(2)[0]
    label = f" as of {_ago(time.time() - facts.st_mtime)} ago, connecting "
    if stored_key != key:
        return None
    return f"{frame}\x1b[1;{max(1, width - len(label) + 1)}H\x1b[0;{style}m{label}\x1b[0m"


def checksum_of(data: bytes) -> bytes:
    """Return the first line of a frame's file: it makes sure that the rest is whole and was not altered."""
    return b"%08x %d" % (crc32(data), len(data))


def _ago(seconds: float) -> str:
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= size:
            return f"{int(seconds // size)} {unit}"
    return f"{max(0, int(seconds))} s"


def _settings_age() -> str:
    """Return when the settings file was last written: another theme or profile is another frame."""
    folder = find_folder("XDG_CONFIG_HOME", ".config", "Application Support")
    try:
        return str(os.stat(os.path.join(folder, "flagtui", "config.toml")).st_mtime_ns)
    except OSError:
        return "none"


def keep_frame(frame: str, style: str, *, shown_at: float) -> None:
    """Write the frame for its owner alone, as old as it is: `shown_at` is in Unix seconds.

    Where nothing can be written there is no frame next time.
    """
    if not frame or not opens_the_app(sys.argv[1:]):
        return
    try:
        key = frame_key(sys.argv[1:])
        data = f"{key}\n{style}\n{frame}".encode()
        data = checksum_of(data) + b"\n" + data
        if len(data) <= LARGEST_FRAME:
            _write(frame_path(key), data, shown_at)
    except (OSError, UnicodeEncodeError):
        return


def drop_frame() -> None:
    """Forget the frame kept for these arguments."""
    try:
        if opens_the_app(sys.argv[1:]):
            os.unlink(frame_path(frame_key(sys.argv[1:])))
    except OSError:
        return


def forget_frames(folder: str) -> None:
    """Leave only the newest frames."""
    frames = [
        (file.stat().st_mtime, file.path) for file in os.scandir(folder) if file.name.startswith("frame-")
    ]
    for _, path in sorted(frames, reverse=True)[KEPT_FRAMES:]:
        os.unlink(path)


def _write(path: str, data: bytes, shown_at: float) -> None:
    folder, name = os.path.split(path)
    make_private(folder)
    forget_frames(folder)
    whole = os.path.join(folder, f".{name}.{os.getpid()}")
    handle = os.open(whole, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0), 0o600)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.utime(whole, (shown_at, shown_at))
        os.chmod(whole, 0o600)
        os.replace(whole, path)
    finally:
        # Gone already when it took the old one's place.
        if os.path.exists(whole):
            os.unlink(whole)
