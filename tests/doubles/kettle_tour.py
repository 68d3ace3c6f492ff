"""A person who has kettles, in the app and on the command line; run in a process of its own."""

from tests.doubles import kettles  # isort: skip  # before anything that derives from the kinds

import asyncio
import os
import shutil
import sys
from collections.abc import AsyncIterator
from pathlib import Path

from tests.doubles.faulty_service import serve
from tests.doubles.whole_program import KEY, Setting, running, words

from flagtui.cli.plumbing.registry import load_command
from flagtui.config.settings import parse_settings
from flagtui.service import close_service, create_service


async def visit(template: Path, folder: Path) -> AsyncIterator[str]:
    """What is on screen, and the copies on disk, step by step."""
    async with running(Setting(template, folder, snapshots=True)) as program:
        for keys in (
            *(("0",), ("f",), ("f", "enter"), ("escape", "1"), ("colon", *"samovar", "enter")),
            *(("0", "e"), ("down", "enter"), ("y",), ("J",), ("escape", "u"), ("y",)),
        ):
            await program.press(*keys)
            yield words(program.screen)
        workspace = program.workspace
        yield f"copies: {len(workspace.copies(kettles.KETTLES.plural))}"


def call(template: Path, folder: Path) -> None:
    """Print what commands do, one after the other."""
    os.environ.update(FLAGTUI_PROJECT="1", HOME=str(folder))
    # The template is shared: on today's clock its scheduled changes are due.
    database = Path(shutil.copy(template, folder / "called.db"))
    application = create_service(database, key=KEY)
    with serve(application) as address:
        for run, *words in (
            (kettles.list_all, "is:blue", "--json", "--fields", "name,colour"),
            (kettles.paint, "samovar", "--to", "green", "--yes"),
            (load_command("journal"), "--json", "--fields", "key,verb,ending"),
            (load_command("undo"), "--yes"),
            (kettles.get, "samovar", "3", "--json", "--fields", "name,colour"),
        ):
            # Each takes the key out of the environment.
            os.environ.update(FLAGTUI_API_KEY=KEY, FLAGTUI_HOST=address)
            assert not run.main(words, "flagtui", standalone_mode=False)
    close_service(application)


def main() -> None:
    template, folder = map(Path, sys.argv[1:])

    async def write() -> None:
        async for step in visit(template, folder):
            sys.stdout.write(f"{step}\n")

    asyncio.run(write())
    call(template, folder)
    columns = parse_settings('[columns]\nkettles = ["name"]').columns
    sys.stdout.write(f"{columns}\n")


if __name__ == "__main__":
    main()
