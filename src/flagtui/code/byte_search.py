"""Buffers for the bytes of files, and whether they contain a word.

The search is that of the C library where it has one, which is faster.
"""

import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from mmap import mmap

Buffer = bytearray | mmap


def make_buffer(size: int) -> Buffer:
    """Return a buffer; of large pages where the system has them: filling a buffer of small ones takes as
    long as reading the files.
    """
    if sys.platform != "linux" or _library_search() is None:
        # Python's own search in an `mmap` is slow.
        return bytearray(size)
    from mmap import MADV_HUGEPAGE, MAP_ANONYMOUS, MAP_PRIVATE

    buffer = mmap(-1, size, MAP_PRIVATE | MAP_ANONYMOUS)
    # A system without large pages refuses.
    with suppress(OSError):
        buffer.madvise(MADV_HUGEPAGE)
    return buffer


def contains(data: Buffer, word: bytes, start: int, end: int) -> bool:
    """Return whether the word is between two positions of the data."""
    search = _library_search()
    return data.find(word, start, end) >= 0 if search is None else search(data, word, start, end)


@cache
def _library_search() -> Callable[[Buffer, bytes, int, int], bool] | None:
    """Return the search of the C library; None where Python cannot call it."""
    if sys.platform != "linux":
        return None
    try:
        from ctypes import CDLL, addressof, c_char, c_char_p, c_size_t, c_void_p

        memmem = CDLL(None).memmem
    except (ImportError, OSError, AttributeError):
        # A Python that was built without ctypes, or is linked to its own library.
        return None
    memmem.argtypes = (c_void_p, c_size_t, c_char_p, c_size_t)
    memmem.restype = c_void_p

    def search(data: Buffer, word: bytes, start: int, end: int) -> bool:
        if start >= end:
            return False
        return memmem(addressof(c_char.from_buffer(data, start)), end - start, word, len(word)) is not None

    return search
