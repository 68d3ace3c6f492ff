"""Takes the pictures of the documents from the real program on its sample: `make pictures`."""

import asyncio
import os
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

# The colours of the pictures must not depend on the terminal they are made in.
os.environ.update(TERM="xterm-256color", COLORTERM="truecolor")
os.environ.pop("NO_COLOR", None)

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tests.doubles.whole_program import Setting, make_template, running  # noqa: E402

PICTURES = {
    "flags": ((132, 36), ("down", "down", "x", "up", "x", "up")),
    "flags-80x24": ((80, 24), ()),
    "question": ((132, 36), ("down", "down", "space")),
    "flag": ((100, 36), ("enter",)),
}


async def take(folder: Path, template: Path) -> None:
    for name, (size, keys) in PICTURES.items():
        with tempfile.TemporaryDirectory() as scratch:
            async with running(replace(Setting(template, Path(scratch)), size=size)) as program:
                await program.press(*keys)
                await program.pilot.pause(0.3)
                await program.settle()
                (folder / f"{name}.svg").write_text(program.app.export_screenshot(title="flagtui"))


def main() -> None:
    folder = ROOT / "docs" / "pictures"
    folder.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        asyncio.run(take(folder, make_template(Path(scratch) / "template.db")))


main()
