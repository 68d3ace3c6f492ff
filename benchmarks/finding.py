"""Milliseconds of work per keystroke of live filtering, for 10,000 and 100,000 flags.

    python benchmarks/finding.py [ROWS ...]

Each line is typed letter by letter into a finder that has seen nothing yet; medians of rounds.
`first` is the first letter alone, which looks at every row. `naive` folds every row at every keystroke.
"""

import random
import sys
import time
from collections.abc import Callable
from statistics import median

from flagtui.models.rows import FlagRow
from flagtui.store.finder import Finder
from flagtui.store.flag_listing import FLAGS
from flagtui.store.query.language import compile_query, read_line
from flagtui.store.sort_orders import Sort

NOW = 1_800_000_000.0
LINES = (
    "checkout",
    "new check",
    "is:on check",
    "type:experiment",
    "-is:stale web",
    "key:/^new-.*v2$/",
    '"new check"',
)
ROUNDS = 5
WORDS = [
    *(
        "new",
        "checkout",
        "billing",
        "signup",
        "nav",
        "search",
        "export",
        "mobile",
        "old",
        "pricing",
        "onboarding",
    ),
    *(
        "invite",
        "webhook",
        "rate",
        "limit",
        "dark",
        "mode",
        "survey",
        "replay",
        "editor",
        "canvas",
        "geo",
        "beta",
    ),
]


def make_flags(count: int) -> list[FlagRow]:
    """Believable flags, the same ones each time."""
    luck = random.Random(7)
    return [
        FlagRow(
            id=index,
            key="-".join([*luck.choices(WORDS, k=2), f"v{index}"]),
            name=" ".join(luck.choices(WORDS, k=8)).capitalize(),
            active=luck.random() < 0.7,
            archived=luck.random() < 0.05,
            type=luck.choice(["boolean", "boolean", "multivariant", "experiment", "config"]),
            status="STALE" if luck.random() < 0.1 else "ACTIVE",
            rollout=luck.choice([0.0, 5.0, 25.0, 50.0, 100.0]),
            updated_at=NOW - luck.expovariate(1 / 8e6),
        )
        for index in range(count)
    ]


def timed(work: Callable[[], object]) -> float:
    """Milliseconds of processor time, which other programs disturb less than the clock on the wall."""
    start = time.process_time()
    work()
    return (time.process_time() - start) * 1_000


def type_line(rows: list[FlagRow], line: str) -> list[float]:
    """Milliseconds for each letter of the line."""
    finder = Finder(rows, clock=lambda: NOW)
    assert finder.total > 0
    return [timed(lambda end=end: finder.find(line[:end])) for end in range(1, len(line) + 1)]  # type: ignore[misc]


def measure(count: int) -> None:
    rows = make_flags(count)
    print(f"{count:,} rows")
    print(f"  prepare           {timed(lambda: Finder(rows)):8.2f} ms")
    finder = Finder(rows)
    print(f"  change the order  {timed(lambda: finder.sort_by(Sort('rollout'))):8.2f} ms")
    print(f"  add 100 rows      {timed(lambda: finder.show([*rows, *make_flags(100)])):8.2f} ms")
    for line in LINES:
        letters = [type_line(rows, line) for _ in range(ROUNDS)]
        first = median(each[0] for each in letters)
        every = median(took for each in letters for took in each)
        worst = max(median(each[place] for each in letters) for place in range(len(line)))
        print(f"  {line:<18} first {first:7.2f}   median {every:7.2f}   worst {worst:7.2f} ms")
    test = compile_query(read_line("check", FLAGS), now=NOW)
    print(f"  naive              {timed(lambda: [row for row in rows if test(row)]):8.2f} ms")


if __name__ == "__main__":
    for count in map(int, sys.argv[1:] or ["10000", "100000"]):
        measure(count)
