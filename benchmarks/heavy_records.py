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
from tests.doubles.loop_blocks import LoopBlocks
from tests.doubles.whole_program import WIDE, Program, Setting, make_template, running

from flagtui.app.shell.preload import shorten_collections
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
    "10,000 tags": lambda: heavy.with_tags(10_000),
    "1 MiB description": lambda: heavy.with_description(1024 * 1024),
    "1,000 dependencies": lambda: heavy.with_dependencies(1_000),
    "5,000 cohorts": lambda: heavy.with_cohorts(5_000),
    "20 MiB of conditions": lambda: heavy.with_conditions(140_000),
}
EXPERIMENTS: Final[dict[str, Callable[[], dict[str, JSON]]]] = {
    "5,000 + 5,000 metrics": lambda: heavy.experiment(5_000),
    "2,000 variants": lambda: heavy.experiment(1, variants=2_000),
}
EVENTS: Final[dict[str, Callable[[], dict[str, JSON]]]] = {
    "10,000 tags": lambda: heavy.event(10_000, 100),
    "1 MiB description": lambda: heavy.event(1, 1024 * 1024),
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
async def opened(folder: Path, family: str, records: list[dict[str, JSON]]) -> AsyncIterator[Program]:
    template = make_template(Path(tempfile.mkdtemp(dir=folder)) / "template.db", one_in=16)
    setting = Setting(template, Path(tempfile.mkdtemp(dir=folder)), size=WIDE)
    logged = records if family == "feature_flags" else []
    async with running(setting, lambda wire: heavy.serve(wire, family, records, logged)) as program:
        yield program


async def tour(program: Program, family: str) -> AsyncIterator[Line]:
    """Everything that is opened about the record under the cursor."""
    if family == "feature_flags":
        yield await measured("question", lambda: program.press("space"))
        await program.press("escape")
    yield await measured("open", lambda: program.press("enter"))
    screen: Any = program.app.screen

    async def tab(name: str) -> None:
        screen.action_open_tab(name)
        await program.settle()

    for name in screen.tabs:
        yield await measured(name, lambda name=name: tab(name))
    yield await measured("json down", lambda: program.press("end"))
    if family != "event_definitions":
        # Events are changed in another program.
        yield await measured("form", lambda: program.press("e"))
        await program.press("escape")
    if family == "feature_flags":
        yield await measured("rollout", lambda: program.press("%"))
        await program.press("escape")
        screen.action_open_tab("who")
        await program.settle()
        yield await measured("who: ada", lambda: program.press(*"ada", "enter"))
        await program.press("escape")
    yield await measured("palette", lambda: program.press("ctrl+p"))
    await program.press("escape", "escape")
    if family == "feature_flags":
        await program.press("plus")
        yield await measured("stage", lambda: program.press("space"))
        yield await measured("staged", lambda: program.press("ampersand"))
        yield await measured("apply staged", lambda: program.press("a"))
        await program.press("escape", "escape", "plus")


async def toured(
    folder: Path, family: str, records: tuple[dict[str, JSON], dict[str, JSON]]
) -> AsyncIterator[Line]:
    """A light record first, which loads what every record needs, then the heavy one."""
    keys = {"experiments": "2", "event_definitions": "3"}
    async with opened(folder, family, [*records]) as program:
        if family in keys:
            await program.press(keys[family])
        await program.press("home")
        async for _ in tour(program, family):
            pass
        shorten_collections()
        yield await measured("list, pane", lambda: program.press("down"))
        async for line in tour(program, family):
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
    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS, 10, 10)
    with tempfile.TemporaryDirectory() as folder:
        for name, steps in chosen():
            if names and not any(word in name for word in names):
                continue
            print(name, flush=True)
            async for view, *times in steps(Path(folder)):
                print(f"    {view:<14}" + "".join(f"{one:>10,.0f}" for one in times), flush=True)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:]))
