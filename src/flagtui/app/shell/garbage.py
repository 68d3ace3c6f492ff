"""Collections of garbage, for which keys wait: short ones, none during heavy work, whole ones at rest."""

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from flagtui.api.heavy_work import surround_work

MOST_NEW: Final = 20_000
"""Objects up to which a collection takes a millisecond or two."""
MOST_BLOCKS: Final = 300_000
"""Blocks of memory since the start up to which a whole collection takes less than a tenth of a second."""
BOUND: Final = 20_000_000
"""Blocks of memory, some 1,500 MiB, from which a key may wait for a collection that can free them."""


class Garbage:
    """Objects that refer to each other in circles, which only collections free."""

    def __init__(self) -> None:
        self._has_set_apart = False

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Begin no collection within the block, and let later ones skip the many objects of a heavy record.

        Records are trees, which are freed without collections. To look at a million objects again and again
        while they are made takes seconds, in which no other thread runs.
        """
        gc.disable()
        try:
            yield
        finally:
            if gc.get_count()[0] > MOST_NEW:
                gc.freeze()
                self._has_set_apart = True
            gc.enable()

    def can_wait(self, blocks_at_start: int) -> bool:
        """Return whether a whole collection would keep keys waiting, and memory does not need it yet."""
        blocks = sys.getallocatedblocks() - blocks_at_start
        return (self._has_set_apart or blocks > MOST_BLOCKS) and blocks < BOUND

    def collect(self) -> None:
        """Look at everything, also at what was skipped since the program was loaded."""
        if self._has_set_apart:
            gc.unfreeze()
        gc.collect()
        if self._has_set_apart:
            gc.freeze()
            self._has_set_apart = False


GARBAGE: Final = Garbage()
"""Of this process."""


def shorten_collections() -> None:
    """Keep collections of garbage short: they skip what is loaded, and look at few objects at a time.

    For a program that ends with its app: what is loaded now is never freed. Looking at all of it took a tenth
    of a second, and a heavy record brings as many objects again.
    """
    gc.freeze()
    gc.set_threshold(MOST_NEW, 4, 60)
    surround_work(GARBAGE.paused)
