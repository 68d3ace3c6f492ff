"""How much of a long table of cases a run takes: `make check-full` all, `make test` each value of it once."""

import os
from collections.abc import Collection
from itertools import cycle, islice, product
from typing import Any, Final

FULL: Final = bool(os.environ.get("FLAGTUI_FULL"))
SEED: Final = int(os.environ.get("FLAGTUI_SEED", "17"))
"""Of the proofs that draw at random: another one each time they run at length."""


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
