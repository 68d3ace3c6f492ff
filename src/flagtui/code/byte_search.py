"""Whether bytes contain a word, by the search of the C library where it has one, which is faster."""

import sys
from collections.abc import Callable
from functools import cache


def contains(data: bytearray, word: bytes, start: int, end: int) -> bool:
    """Return whether the word is between two positions of the data."""
    search = _library_search()
    return data.find(word, start, end) >= 0 if search is None else search(data, word, start, end)


@cache
def _library_search() -> Callable[[bytearray, bytes, int, int], bool] | None:
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

    def search(data: bytearray, word: bytes, start: int, end: int) -> bool:
        if start >= end:
            return False
        return memmem(addressof(c_char.from_buffer(data, start)), end - start, word, len(word)) is not None

    return search
