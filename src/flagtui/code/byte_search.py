"""A buffer for the bytes of files, and its searches.

They are those of the C library where Python can call them, which are several times as fast.
"""

import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from mmap import mmap
from typing import NamedTuple


class _CLibrary(NamedTuple):
    """Functions of the C library; addresses are numbers."""

    find_word: Callable[[int, bytes], int | None]
    """Return the address of a word in bytes that end with a NUL."""
    find_byte: Callable[[int, int, int], int | None]
    """Return the address of a byte among a number of bytes."""
    address: Callable[[mmap], int]


class SearchBuffer:
    """A buffer of NULs, for bytes to search."""

    def __init__(self, size: int) -> None:
        self._library = _library()
        self.bytes: bytearray | mmap
        if self._library is None:
            # Python's own search in an `mmap` is slow.
            self.bytes = bytearray(size)
        else:
            self.bytes = _large_pages(size)
            self._address = self._library.address(self.bytes)

    def find(self, word: bytes, start: int, end: int) -> int:
        """Return where the word is between two positions of text, which has no NUL there; -1 without one."""
        if self._library is None:
            return self.bytes.find(word, start, end)
        place = self._library.find_word(self._address + start, word)
        return -1 if place is None or place + len(word) > self._address + end else place - self._address

    def has_nul(self, start: int, end: int) -> bool:
        """Return whether there is a NUL between two positions."""
        if self._library is None:
            return self.bytes.find(b"\0", start, end) >= 0
        return start < end and self._library.find_byte(self._address + start, 0, end - start) is not None


def _large_pages(size: int) -> mmap:
    """Return memory in large pages where the system has them.

    The first use of a small page takes several times as long as copying bytes to it.
    """
    assert sys.platform == "linux"
    from mmap import MADV_HUGEPAGE, MAP_ANONYMOUS, MAP_PRIVATE

    memory = mmap(-1, size, MAP_PRIVATE | MAP_ANONYMOUS)
    # A system without large pages refuses.
    with suppress(OSError):
        memory.madvise(MADV_HUGEPAGE)
    return memory


@cache
def _library() -> _CLibrary | None:
    """Return the functions of the C library; None where Python cannot call them."""
    if sys.platform != "linux":
        return None
    try:
        from ctypes import CDLL, addressof, c_char, c_char_p, c_int, c_size_t, c_void_p

        library = CDLL(None)
        find_word, find_byte = library.strstr, library.memchr
    except (ImportError, OSError, AttributeError):
        # A Python that was built without ctypes, or is linked to its own library.
        return None
    find_word.argtypes, find_word.restype = (c_void_p, c_char_p), c_void_p
    find_byte.argtypes, find_byte.restype = (c_void_p, c_int, c_size_t), c_void_p
    return _CLibrary(find_word, find_byte, lambda memory: addressof(c_char.from_buffer(memory)))
