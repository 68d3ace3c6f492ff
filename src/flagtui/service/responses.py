"""Responses of handlers, and their JSON as bytes."""

from collections.abc import AsyncIterator, Mapping

import msgspec

from flagtui.service.errors import Json

encode = msgspec.json.encode


def text_of(value: Json) -> str:
    """Return compact JSON text, as columns store it."""
    return encode(value).decode()


def join_object(texts: Mapping[str, str]) -> str:
    """Return the JSON text of an object whose values are JSON texts already."""
    return "{" + ",".join(f'"{name}":{text}' for name, text in texts.items()) + "}"


def value_of(text: str | None) -> Json:
    """Return the value of a JSON column; None for SQL's null."""
    return None if text is None else msgspec.json.decode(text)


class Response(msgspec.Struct, frozen=True):
    """`content` empty means no body and no content type."""

    content: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = {}
    events: AsyncIterator[bytes] | None = None
    """Server-sent events instead of the content, until the caller leaves."""


def respond(value: Json, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    return Response(encode(value), status, headers or {})


def respond_text(text: str, status: int = 200) -> Response:
    """Return a response whose JSON text is ready: stored pieces joined without decoding them."""
    return Response(text.encode(), status, {})
