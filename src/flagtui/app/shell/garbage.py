"""Collections of garbage, for which keys wait: short ones, none during heavy work, whole ones at rest."""

import gc
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from flagtui.api.heavy_work import surround_work

MOST_NEW: Final = 20_000
"""Objects up to which a collection takes a millisecond or two."""
MOST_BLOCKS: Final = 600_000
"""Blocks of memory up to which a whole collection takes about a tenth of a second; an app has 200,000."""
BOUND: Final = 20_000_000
"""Blocks of memory, some 1,500 MiB, from which a key may wait for a collection that can free them."""


class Garbage:
    """Objects that refer to each other in circles, which only collections free."""

    def __init__(self) -> None:
        self._has_set_apart = False
        self._blocks_loaded: int | None = None

    def skip_loaded(self) -> None:
        """Let later collections skip what is loaded now.

        Only the first time: later, what a switch of project left would never be freed.
        """
        if self._blocks_loaded is None:
            gc.freeze()
            self._blocks_loaded = sys.getallocatedblocks()

    @contextmanager
    def pause(self) -> Iterator[None]:
        """Begin no collection within the block, and let later ones skip the many objects of a heavy record.

        Records are trees, which are freed without collections. To look at a million objects again and again
        while they are made takes seconds, in which no other thread runs.
        """
        gc.disable()
        before = gc.get_count()[0]
        try:
            yield
        finally:
            # Only what the work made: closed screens from before have to be found.
            if gc.get_count()[0] - before > MOST_NEW:
                gc.freeze()
                self._has_set_apart = True
            gc.enable()

    def can_wait(self, blocks_at_start: int) -> bool:
        """Return whether a whole collection would keep keys waiting, and memory does not need it yet.

        It looks at what was made since the start of the app, without what is skipped as loaded.
        """
        loaded = blocks_at_start if self._blocks_loaded is None else self._blocks_loaded
        blocks = sys.getallocatedblocks() - max(blocks_at_start, loaded)
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
    GARBAGE.skip_loaded()
    gc.set_threshold(MOST_NEW, 4, 60)
    surround_work(GARBAGE.pause)
