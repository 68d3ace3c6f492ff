"""Tags of documents: what a caller has already is not sent again."""

from hashlib import sha256

from starlette.datastructures import Headers

from flagtui.service.responses import Response


def tagged_answer(content: bytes, request_headers: Headers) -> Response:
    """Return a document with its tag, or 304 without a body when the caller has it already."""
    tag = f'W/"{sha256(content).hexdigest()[:32]}"'
    headers = {"ETag": tag, "Cache-Control": "private, must-revalidate"}
    if is_known_tag(tag, request_headers.get("if-none-match", "")):
        return Response(status=304, headers=headers)
    return Response(content, headers=headers)


def is_known_tag(tag: str, header: str) -> bool:
    """Return whether `If-None-Match` has the tag, by weak comparison (RFC 9110, section 13.1.2)."""
    candidates = {candidate.strip().removeprefix("W/") for candidate in header.split(",")}
    return "*" in candidates or tag.removeprefix("W/") in candidates
