"""Takes the pictures of the documents from the real program in a terminal: all, or the named ones."""

import os
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "docs")]

from screen_svg import Scene, frame_of, moving_picture, picture  # noqa: E402
from tests.doubles.terminal import Terminal  # noqa: E402

DEMO = [sys.executable, "-m", "flagtui", "demo"]
FOLDERS = ("XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "HOME")
DOWN = "\x1b[B"
UNTIL = "synced just now"
PLAYED_NAME = "find-off-undo"

Step = tuple[str, str, str, float]
"""Keys, what comes after them (a pattern), the words above the picture, seconds to look at it."""
PLAYED: tuple[Step, ...] = (
    ("", UNTIL, "flagtui demo", 1.6),
    ("/", "to the list", "/ · search while typing", 0.7),
    *((letter, "of 248", "/ · search while typing", 0.35) for letter in "nav"),
    ("\r", "space off", "⏎ · to the list", 1.2),
    (" ", r"Newer changes  none(?s:.*)Turn OFF  y", "space · what turning it off would do", 4.0),
    ("y", "u to undo", "y · off, and in the journal", 2.6),
    ("u", r"Newer changes  none(?s:.*)Undo  y", "u · undo: the same question", 2.6),
    ("y", "U redoes it", "y · undone", 2.6),
)
STAGED = (
    ("jj", "new-nav"),
    ("+", "STAGING 0"),
    (" ", "STAGING 1"),
    ("j%", "of conditions|every condition|Rollout"),
    ("40\r", "STAGING 2"),
)
"""Two staged changes."""
QUESTION = (*STAGED, ("&", "Staged 2"), ("A", "Apply  y"))
SIZES = {"": (132, 36), "-80x24": (80, 24), "-60x15": (60, 15)}
PICTURES: dict[str, tuple[tuple[int, int], tuple[tuple[str, str], ...]]] = {
    "flags": ((132, 36), (("jx", "1 marked"), ("x", "2 marked"), ("k", "RECENT CHANGES"))),
    "flags-80x24": ((80, 24), ()),
    "question": ((132, 36), (("jj", "new-nav"), (" ", r"Newer changes  none(?s:.*)Turn OFF  y"))),
    "flag": ((110, 36), (("j", "."), ("\r", "RECENT CHANGES|HISTORY|AGE"))),
    **{f"staging{name}": (size, (*STAGED, ("\x1b", "STAGING 2"))) for name, size in SIZES.items()},
    **{f"set-question{name}": (size, QUESTION) for name, size in SIZES.items()},
}


def scenes(size: tuple[int, int], steps: Iterable[Step], home: Path) -> Iterable[Scene]:
    """What the demo shows after each step, from its first start on."""
    environment = {**dict.fromkeys(FOLDERS, str(home)), "FLAGTUI_NO_FIRST_FRAME": "1"}
    with Terminal(DEMO, size=size, environment=environment) as terminal:
        terminal.wait_for(UNTIL)
        # The tour is for people.
        terminal.press("\x1bOR")
        terminal.wait_for_rest()
        for keys, comes, words, seconds in steps:
            terminal.press(keys)
            terminal.wait_for(comes)
            terminal.wait_for_rest()
            yield Scene(frame_of(terminal.screen), words, seconds)
        terminal.press("\x11")
        terminal.wait_for_end()


def main() -> None:
    """Write every picture again, or those that are named."""
    os.environ.pop("NO_COLOR", None)
    folder = ROOT / "docs" / "pictures"
    folder.mkdir(exist_ok=True)
    chosen_names = sys.argv[1:] or [*PICTURES, PLAYED_NAME]
    for name, (size, keys) in PICTURES.items():
        if name not in chosen_names:
            continue
        with tempfile.TemporaryDirectory() as home:
            steps: list[Step] = [("", UNTIL, "flagtui demo", 1.0)]
            steps += [(one, comes, "flagtui demo", 1.0) for one, comes in keys]
            last = [*scenes(size, steps, Path(home))][-1]
            (folder / f"{name}.svg").write_text(picture(last), encoding="utf-8")
    if PLAYED_NAME not in chosen_names:
        return
    with tempfile.TemporaryDirectory() as home:
        played = moving_picture([*scenes((100, 26), PLAYED, Path(home))])
        (folder / f"{PLAYED_NAME}.svg").write_text(played, encoding="utf-8")


if __name__ == "__main__":
    main()
