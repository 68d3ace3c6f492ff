"""Reading a body with a limit on what it unpacks to, so that a small answer cannot fill the memory."""

import zlib
from typing import Final

from flagtui.api.errors import AnswerTooLarge, Unanswered, Unreadable
from flagtui.api.http_library import httpx
from flagtui.api.request import Question

ANSWER_LIMIT: Final = 64 * 1024 * 1024
"""Bytes of one unpacked answer; a page of 100 of the largest flags allowed is 50 MB."""
_STEP: Final = 1024 * 1024


async def read_body(response: httpx.Response, question: Question, limit: int) -> bytes:
    """The whole unpacked body."""
    unpack = _unpacker(response.headers.get("content-encoding", "").strip().lower(), question)
    parts: list[bytes] = []
    size = 0
    # The stream itself, not aiter_raw: a transport in this process hands over bodies already read.
    assert isinstance(response.stream, httpx.AsyncByteStream)
    async for chunk in response.stream:
        for part in [chunk] if unpack is None else unpack.feed(chunk, limit - size):
            size += len(part)
            parts.append(part)
            if size > limit:
                text = f"The answer is larger than {max(limit // 2**20, 1)} MB; it was not read to the end."
                raise AnswerTooLarge(text, facts=question.facts(response.status_code))
    if unpack is not None and not unpack.is_whole:
        raise Unanswered("The answer broke off in the middle.", facts=question.facts(response.status_code))
    return b"".join(parts)


class _Unpacker:
    def __init__(self, question: Question, window: int) -> None:
        self._question = question
        self._engine = zlib.decompressobj(window)
        self._fed = False

    @property
    def is_whole(self) -> bool:
        return self._engine.eof or not self._fed

    def feed(self, chunk: bytes, room: int) -> list[bytes]:
        """What the chunk unpacks to, at most a little more than `room` bytes of it."""
        parts: list[bytes] = []
        self._fed = self._fed or bool(chunk)
        try:
            while chunk and not self._engine.eof and room >= 0:
                parts.append(self._engine.decompress(chunk, _STEP))
                room -= len(parts[-1])
                chunk = self._engine.unconsumed_tail
        except zlib.error:
            raise Unreadable("The answer cannot be unpacked.", facts=self._question.facts()) from None
        return parts


def _unpacker(encoding: str, question: Question) -> _Unpacker | None:
    match encoding:
        case "" | "identity":
            return None
        case "gzip" | "x-gzip":
            return _Unpacker(question, 16 + zlib.MAX_WBITS)
        case "deflate":
            return _Unpacker(question, zlib.MAX_WBITS)
        case _:
            raise Unreadable("The answer is packed in a way that was not asked for.", facts=question.facts())
