"""How much of the tests and of a long table of cases a run takes.

Of a table `make check-full` takes all, `make test` each value once. Of the journeys and the stories in a real
terminal `make check-modes` takes all, `make test` a part. What a test marked `long` detects, a shorter test
detects too; `make check-slice` runs it, and so does every run at length.
"""

import os
from collections.abc import Collection
from itertools import cycle, islice, product
from pathlib import Path
from typing import Any, Final

import pytest

FULL: Final = bool(os.environ.get("FLAGTUI_FULL"))
SEED: Final = int(os.environ.get("FLAGTUI_SEED", "17"))
"""Of the proofs that draw at random: another one each time they run at length."""
ALL_MODES: Final = bool(os.environ.get("FLAGTUI_ALL_MODES"))
LONG: Final = FULL or bool(os.environ.get("FLAGTUI_LONG"))
long: Final = pytest.mark.long
"""Of a test that takes half a second or more, and a rule that a shorter test detects as well."""
story: Final = pytest.mark.story
"""One of the stories in a real terminal that a short run has; each takes half a second or more."""
_TESTS: Final = str(Path(__file__).parents[1])
_OTHER_SERVERS: Final = {"strict", "legacy", "legacy+strict", "unlicensed"}
"""Ids of the kinds of server, but for the default one."""


def cross(*axes: Collection[Any]) -> list[tuple[Any, ...]]:
    """Every combination of the axes; in a short run so many that each value is in one of them."""
    if FULL:
        return list(product(*axes))
    longest = max(map(len, axes))
    columns = (islice(cycle(axis), longest) for axis in axes)
    return list(zip(*columns, strict=True))


def at_most(count: int, full: int) -> int:
    """How many rounds a generated proof has in a short run, and how many in a full one."""
    return full if FULL else count


def one_in(step: int, axis: Collection[Any]) -> list[Any]:
    """All of them in a full run, one in so many in a short one."""
    return list(axis)[:: 1 if FULL else step]


def is_left_out(item: pytest.Item) -> bool:
    """Whether a short run leaves a test to `make check-slice` or `make check-modes`."""
    if not LONG and item.get_closest_marker("long") is not None:
        return True
    if ALL_MODES:
        return False
    folder = str(item.path).removeprefix(_TESTS).split("/", 2)[1]
    if folder == "terminal":
        return item.get_closest_marker("story") is None
    _, _, chosen = item.name.partition("[")
    return folder == "journeys" and not _OTHER_SERVERS.isdisjoint(chosen.rstrip("]").split("-"))
