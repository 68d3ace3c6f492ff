"""The longest time the app hears no key while it opens records as large as servers take them.

python benchmarks/heavy_records.py [name ...]

For each record and view, in milliseconds: the longest block of the event loop by the clock, the same without
what other programs took of it, the most work of the loop itself in one turn, and the processor's time until
the screen rests.
"""

import asyncio
import gc
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

from tests.doubles import heavy_records as heavy
from tests.doubles import quiet
from tests.doubles.heavy_server import HeavyServer
from tests.doubles.loop_blocks import LoopBlocks
from tests.doubles.whole_program import WIDE, Program, Setting, make_template, running

from flagtui.app.forms.draft_form import LinesForm
from flagtui.app.shell.garbage import shorten_collections
from flagtui.cli import OBJECTS_BETWEEN_COLLECTIONS

JSON = Any
Line = tuple[str, float, float, float, float]
"""What was done, and the four times."""
FLAGS: Final[dict[str, Callable[[], dict[str, JSON]]]] = {
    "2,000 conditions": lambda: heavy.with_conditions(2_000),
    "5,000 conditions": lambda: heavy.with_conditions(5_000),
    "20,000 conditions": lambda: heavy.with_conditions(20_000),
    "20,000 bare conditions": lambda: heavy.with_bare_conditions(20_000),
    "50,000 properties": lambda: heavy.with_properties(50_000),
    "50,000 values": lambda: heavy.with_values(50_000),
    "20,000 variants": lambda: heavy.with_variants(20_000),
    "1 MiB payload": lambda: heavy.with_payload(1024 * 1024),
    "4 MiB payload": lambda: heavy.with_payload(4 * 1024 * 1024),
    "10,000 tags": lambda: heavy.with_tags(10_000),
    "1 MiB description": lambda: heavy.with_description(1024 * 1024),
    "1,000 dependencies": lambda: heavy.with_dependencies(1_000),
    "5,000 cohorts": lambda: heavy.with_cohorts(5_000),
    "20 MiB of conditions": lambda: heavy.with_conditions(140_000),
}
EXPERIMENTS: Final[dict[str, Callable[[], dict[str, JSON]]]] = {
    "5,000 + 5,000 metrics": lambda: heavy.experiment(5_000),
    "20,000 variants": lambda: heavy.experiment(1, variants=20_000),
}
EVENTS: Final[dict[str, Callable[[], dict[str, JSON]]]] = {
    "100,000 tags": lambda: heavy.event(100_000, 100),
    "4 MiB description": lambda: heavy.event(1, 4 * 1024 * 1024),
}


async def measured(name: str, step: Callable[[], Awaitable[None]]) -> Line:
    """What one step of a person takes: the longest block, and the processor's time."""
    started = time.process_time()
    async with LoopBlocks() as blocks:
        try:
            await step()
        except AssertionError as late:
            name += f" ({str(late)[:20]})"
    spent = time.process_time() - started
    seconds = (blocks.longest, blocks.longest_own, blocks.most_work, spent)
    longest, own, work, processor = (each * 1000 for each in seconds)
    return name, longest, own, work, processor


@asynccontextmanager
async def opened(
    folder: Path, family: str, records: list[dict[str, JSON]]
) -> AsyncIterator[tuple[Program, HeavyServer]]:
    template = make_template(Path(tempfile.mkdtemp(dir=folder)) / "template.db", one_in=16)
    setting = Setting(template, Path(tempfile.mkdtemp(dir=folder)), size=WIDE)
    logged = records if family == "feature_flags" else []
    servers: list[HeavyServer] = []
    async with running(
        setting, lambda wire: servers.append(HeavyServer(wire, family, records, logged))
    ) as program:
        yield program, servers[0]


Step = tuple[str, tuple[str, ...]]
"""What a person does, and the keys; it is left with escape. Without a name it is not measured."""
FLAG_STEPS: Final[tuple[Step, ...]] = (
    ("rollout", ("%",)),
    ("form", ("e",)),
    ("tags", ("T",)),
    ("tags saved", ("T", *"added", "enter")),
    ("archive", ("a",)),
    ("delete", ("d",)),
    ("JSON in editor", ("E",)),
    ("schedule", ("@",)),
    ("schedule step", ("@", *"raise", "enter")),
    ("copy", ("D",)),
    ("copy here", ("D", "enter", "enter")),
    ("copy away", ("D", "down", "enter")),
    ("links", ("l",)),
    ("copy menu", ("Y",)),
    ("palette", ("ctrl+p",)),
)
EXPERIMENT_STEPS: Final[tuple[Step, ...]] = (
    ("form", ("e",)),
    ("form saved", ("e", "enter", *"renamed", "enter", "ctrl+s")),
    ("launch", ("L",)),
    ("archive", ("a",)),
    ("delete", ("d",)),
    ("JSON in editor", ("E",)),
    ("copy here", ("D", "enter", "enter")),
    ("copy away", ("D", "down", "enter")),
    ("links", ("l",)),
    ("palette", ("ctrl+p",)),
)
EVENT_STEPS: Final[tuple[Step, ...]] = (
    ("verify", ("V",)),
    ("hide", ("H",)),
    ("describe", ("e",)),
    ("tags", ("T",)),
    ("tags saved", ("T", *"added", "enter")),
    ("owner", ("O",)),
    ("property", ("K",)),
    ("enforcement", ("!",)),
    ("delete", ("d",)),
    ("JSON in editor", ("E",)),
    ("TypeScript", ("t",)),
    ("palette", ("ctrl+p",)),
)
STEPS: Final = {
    "feature_flags": FLAG_STEPS,
    "experiments": EXPERIMENT_STEPS,
    "event_definitions": EVENT_STEPS,
}


async def close_above(program: Program, screen: Any) -> None:
    """Leave what is above a screen."""
    for _ in range(6):
        if program.app.screen is screen:
            return
        await program.press("escape")
    raise AssertionError(f"{program.app.screen} does not close")


async def tour(program: Program, server: HeavyServer, family: str, id: Any) -> AsyncIterator[Line]:
    """Everything that is opened about the record under the cursor."""
    the_list = program.app.screen
    if family != "event_definitions":
        yield await measured("question", lambda: program.press("space"))
        await close_above(program, the_list)
    yield await measured("open", lambda: program.press("enter"))
    screen: Any = program.app.screen

    async def tab(name: str) -> None:
        screen.action_open_tab(name)
        await program.settle()

    for name in screen.tabs:
        yield await measured(name, lambda name=name: tab(name))
        if name == "history":
            yield await measured("compare", lambda: program.press("x", "down"))
            await program.press("x")
    yield await measured("json down", lambda: program.press("end"))
    for name, keys in STEPS[family]:
        yield await measured(name, lambda keys=keys: program.press(*keys))
        await close_above(program, screen)
    if family == "feature_flags":
        async for line in flag_tour(program, server, id, tab):
            yield line
    if family == "experiments":
        await program.press("e", "enter", *"once more", "enter", "ctrl+s")
        server.change_as_other(id)
        yield await measured("others, saving", lambda: program.press("y"))
    elif family == "event_definitions":
        await program.press("T", *"more", "enter")
        server.change_as_other(id)
        yield await measured("others, saving", lambda: program.press("y"))
    await close_above(program, screen)
    await program.press("escape")
    if family == "feature_flags":
        yield await measured("activity", lambda: program.press("4"))
        yield await measured("activity down", lambda: program.press("down"))
        await program.press("1")


async def edit_share(program: Program, digits: str) -> None:
    """Set the share of the first condition in the form."""
    await program.press("e")
    form: Any = program.app.screen
    if not isinstance(form, LinesForm):
        # Still busy on a loaded machine.
        return
    ids = [line.id for line in form.lines()]
    form.query_one("#form").highlighted = ids.index(("condition", "", 0, -1))
    await program.press("%", *digits, "enter")


async def flag_tour(
    program: Program, server: HeavyServer, id: Any, tab: Callable[[str], Awaitable[None]]
) -> AsyncIterator[Line]:
    """What only flags have: users, another user's changes at the same time, staging, undo."""
    screen = program.app.screen
    await tab("who")
    yield await measured("who: ada", lambda: program.press(*"ada", "enter"))
    await program.press("escape")
    await tab("overview")
    await program.press("space")
    server.change_as_other(id)
    yield await measured("others, question", lambda: program.press("y"))
    await close_above(program, screen)
    if not server.records[str(id)]["filters"]["groups"]:
        return
    yield await measured("form edited", lambda: edit_share(program, "33"))
    yield await measured("form saved", lambda: program.press("ctrl+s"))
    await close_above(program, screen)
    await edit_share(program, "34")
    server.change_as_other(id)
    yield await measured("others, form", lambda: program.press("ctrl+s"))
    await close_above(program, screen)
    await edit_share(program, "35")
    await program.press("ctrl+s")
    server.change_as_other(id)
    yield await measured("others, saving", lambda: program.press("y"))
    await close_above(program, screen)
    await edit_share(program, "36")
    await program.press("ctrl+s")
    yield await measured("saved", lambda: program.press("y"))
    await close_above(program, screen)
    yield await measured("undo", lambda: program.press("u"))
    await close_above(program, screen)
    yield await measured("journal", lambda: program.press("J"))
    await close_above(program, screen)
    async for line in staging_tour(program, server, id, tab):
        yield line


async def staging_tour(
    program: Program, server: HeavyServer, id: Any, tab: Callable[[str], Awaitable[None]]
) -> AsyncIterator[Line]:
    """Staged changes, applied after another user changed the flag."""
    screen = program.app.screen
    await program.press("plus")
    yield await measured("stage", lambda: program.press("space"))
    await edit_share(program, "37")
    yield await measured("stage form", lambda: program.press("ctrl+s"))
    await close_above(program, screen)
    for name in ("overview", "conditions", "links"):
        yield await measured(f"staged {name}", lambda name=name: tab(name))
    yield await measured("set", lambda: program.press("ampersand"))
    await close_above(program, screen)
    server.change_as_other(id)
    yield await measured("read again", lambda: program.press("f5"))
    yield await measured("set, others", lambda: program.press("ampersand"))
    yield await measured("apply set", lambda: program.press("A"))
    await close_above(program, screen)
    await program.press("plus")


async def toured(
    folder: Path, family: str, records: tuple[dict[str, JSON], dict[str, JSON]]
) -> AsyncIterator[Line]:
    """A light record first, which loads what every record needs, then the heavy one."""
    keys = {"experiments": "2", "event_definitions": "3"}
    async with opened(folder, family, [*records]) as (program, server):
        if family in keys:
            await program.press(keys[family])
        await program.press("home")
        async for _ in tour(program, server, family, records[0]["id"]):
            pass
        shorten_collections()
        await program.press("home")
        yield await measured("list, pane", lambda: program.press("down"))
        async for line in tour(program, server, family, records[1]["id"]):
            yield line


def chosen() -> Iterator[tuple[str, Callable[[Path], AsyncIterator[Line]]]]:
    kinds: tuple[
        tuple[str, Mapping[str, Callable[[], dict[str, JSON]]], Callable[[], dict[str, JSON]]], ...
    ] = (
        ("feature_flags", FLAGS, lambda: heavy.with_conditions(1, id=1, key="a-light-one")),
        ("experiments", EXPERIMENTS, lambda: heavy.experiment(1, id=1, name="a light one")),
        ("event_definitions", EVENTS, lambda: heavy.event(1, 40, name="a light one")),
    )
    for family, records, light in kinds:
        for name, make in records.items():
            yield (
                f"{family}: {name}",
                lambda folder, family=family, light=light, make=make: toured(
                    folder, family, (light(), make())
                ),
            )


async def main(names: list[str]) -> None:
    # A question about 20 MiB takes longer than a test may.
    quiet.PATIENCE = 300.0
    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS, 10, 10)
    with tempfile.TemporaryDirectory() as folder:
        for name, steps in chosen():
            if names and not any(word in name for word in names):
                continue
            print(name, flush=True)
            async for view, *times in steps(Path(folder)):
                print(f"    {view:<18}" + "".join(f"{time:>10,.0f}" for time in times), flush=True)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
