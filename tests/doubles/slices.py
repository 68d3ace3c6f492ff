"""How much of the tests and of a long table of cases a run takes.

Of a table `make check-full` takes all, `make test` each value once. Of the journeys and the stories in a real
terminal `make check-modes` takes all, `make test` a part.
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
story: Final = pytest.mark.story
"""One of the stories in a real terminal that a short run has; each takes half a second or more."""
_TESTS: Final = Path(__file__).parents[1]
_OTHER_SERVERS: Final = {"strict", "legacy", "legacy+strict", "unlicensed"}
"""Ids of the kinds of server, but for the default one."""


def crossed(*axes: Collection[Any]) -> list[tuple[Any, ...]]:
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
    """Whether a short run leaves a test to `make check-modes`."""
    if ALL_MODES:
        return False
    if item.path.is_relative_to(_TESTS / "terminal"):
        return item.get_closest_marker("story") is None
    _, _, chosen = item.name.partition("[")
    kinds = set(chosen.rstrip("]").split("-"))
    return item.path.is_relative_to(_TESTS / "journeys") and bool(_OTHER_SERVERS & kinds)
