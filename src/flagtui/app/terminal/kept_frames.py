"""Keeps the screen a person leaves, for the first milliseconds of the next start."""

import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Final

from flagtui.app.terminal.first_frame import LARGEST_FRAME, frame_key, frame_path, opens_the_app

KEPT_FRAMES: Final = 12
"""One for every size of window, profile and project a person comes back to."""


def keep_frame(frame: str, style: str, *, shown_at: float) -> None:
    """Write the frame for its owner alone, as old as it is: `shown_at` is in Unix seconds.

    Where nothing can be written there is no frame next time.
    """
    with suppress(OSError):
        if not frame or not opens_the_app(sys.argv[1:]):
            return
        key = frame_key(sys.argv[1:])
        data = f"{key}\n{style}\n{frame}".encode()
        if len(data) <= LARGEST_FRAME:
            _write(Path(frame_path(key)), data, shown_at)


def drop_frame() -> None:
    """Forget the frame kept for these arguments."""
    with suppress(OSError):
        if opens_the_app(sys.argv[1:]):
            Path(frame_path(frame_key(sys.argv[1:]))).unlink(missing_ok=True)


def forget_frames(folder: Path) -> None:
    """Leave only the newest frames."""
    frames = sorted(folder.glob("frame-*"), key=lambda path: path.stat().st_mtime, reverse=True)
    for path in frames[KEPT_FRAMES:]:
        path.unlink(missing_ok=True)


def _write(path: Path, data: bytes, shown_at: float) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    forget_frames(path.parent)
    whole = path.with_name(f".{path.name}.{os.getpid()}")
    handle = os.open(whole, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0), 0o600)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.utime(whole, (shown_at, shown_at))
        whole.replace(path)
    finally:
        # Gone already when it took the old one's place.
        whole.unlink(missing_ok=True)
