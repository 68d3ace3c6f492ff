"""100,000 event definitions in the list: start, each letter of a query, each page, and memory.

python benchmarks/many_events.py [how many]
"""

import asyncio
import resource
import statistics
import sys
import time
from collections.abc import Callable
from functools import partial

from textual.app import App, ComposeResult

from flagtui.app.events.event_list import EVENT_COLUMNS
from flagtui.app.shell.themes import DARK, VARIABLES, stylesheets
from flagtui.app.widgets.row_list import RowList
from flagtui.models.rows import EventDefinitionRow
from flagtui.store.event_listing import EVENT_LISTING
from flagtui.store.finder import Finder
from flagtui.store.sort_orders import Sort

NOW = 1_800_000_000.0
FRAME = 16.0
"""Milliseconds a key may take."""
WORDS = ("checkout", "account", "signup", "invoice", "plan", "video", "search", "team", "export", "widget")
DEEDS = ("completed", "started", "viewed", "failed", "clicked", "created", "deleted", "shared", "opened")


def rows(many: int) -> list[EventDefinitionRow]:
    """Names, ages and states as a project of many years has them."""
    return [
        EventDefinitionRow(
            id=f"0190b6f2-7c1e-7f00-8a11-{at:012x}",
            name=f"{WORDS[at % 10]}_{DEEDS[at % 9]}_{at}",
            description="" if at % 3 else "what it means",
            tags=("revenue",) if at % 7 == 0 else (),
            verified=at % 4 == 0,
            seen_at=NOW - (at % 400) * 86_400,
            created_at=NOW - at * 600,
        )
        for at in range(many)
    ]


class ListApp(App[None]):
    """The list and nothing else."""

    CSS_PATH = [*stylesheets("rows")]

    def __init__(self) -> None:
        super().__init__()
        self.register_theme(DARK)
        self.theme = DARK.name
        self.rows: RowList[EventDefinitionRow] = RowList(EVENT_COLUMNS, clock=lambda: NOW)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return VARIABLES

    def compose(self) -> ComposeResult:
        yield self.rows


def timed(work: Callable[[], object]) -> float:
    """Milliseconds."""
    began = time.perf_counter()
    work()
    return (time.perf_counter() - began) * 1000


async def main(many: int) -> int:
    listed = rows(many)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    finder: Finder[EventDefinitionRow] = Finder(listing=EVENT_LISTING, sort=Sort("seen"), clock=lambda: NOW)
    print(f"{many:,} definitions prepared in {timed(lambda: finder.show(listed)):.0f} ms")
    app = ListApp()
    async with app.run_test(size=(132, 40)) as pilot:
        await pilot.pause()

        def draw() -> None:
            for y in range(app.rows.size.height):
                app.rows.render_line(y)

        def key(line: str) -> None:
            app.rows.show(finder.rows, finder.find(line), anchor="top")
            draw()

        def press(move: Callable[[], None]) -> None:
            move()
            draw()

        key("")
        qualified, plain = "kind:custom check comp", "check"
        letters = [timed(partial(key, qualified[: at + 1])) for at in range(len(qualified))]
        words = [timed(partial(key, plain[: at + 1])) for at in range(len(plain))]
        key("")
        pages = [timed(lambda: press(app.rows.action_page_down)) for _ in range(200)]
        downs = [timed(lambda: press(app.rows.action_cursor_down)) for _ in range(200)]
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    for name, times in (
        ("letter", words),
        ("letter with qualifier", letters),
        ("page", pages),
        ("row", downs),
    ):
        print(f"{name:<22} median {statistics.median(times):6.2f} ms   slowest {max(times):6.2f} ms")
    print(f"list and finder add {grown:.0f} MiB to the rows themselves")
    return 0 if statistics.median(words) <= FRAME and statistics.median(pages) <= FRAME else 1


if __name__ == "__main__":
    sys.exit(asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)))
