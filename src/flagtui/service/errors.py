"""Every response that is not a success: one exception, and a function for each shape the API knows."""

from typing import Any

import msgspec

Json = Any
"""Any JSON value: the edge where types end."""


class Fault(Exception):
    """A response other than success. Raised below a handler, it rolls back the transaction it leaves."""

    def __init__(self, status: int, body: Json | None, headers: dict[str, str] | None = None) -> None:
        super().__init__(status, body)
        self.status = status
        self.content = b"" if body is None else msgspec.json.encode(body)
        self.headers = headers or {}
        words = body if isinstance(body, dict) else {}
        self.detail = str(words.get("detail") or words.get("error", ""))
        """The sentence of the body; empty for one without."""


def standard(
    status: int, kind: str, code: str, detail: str, attr: str | None = None, **headers: str
) -> Fault:
    """Return a fault in the standard form; names of `headers` have underscores for hyphens."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Fault(status, {"type": kind, "code": code, "detail": detail, "attr": attr}, named)


def invalid(detail: str, attr: str | None = None, code: str = "invalid_input") -> Fault:
    """Return a 400. `attr` joins nested names and indexes with two underscores; null means the whole body."""
    return standard(400, "validation_error", code, detail, attr)


def parse_error(detail: str) -> Fault:
    return standard(400, "invalid_request", "parse_error", f"JSON parse error - {detail}")


def not_authenticated() -> Fault:
    return _unknown("not_authenticated", "Authentication credentials were not provided.")


def authentication_failed(place: str = " Authorization header") -> Fault:
    """Return the refusal of a key; `place` is where in the request it was, empty if it could be anywhere."""
    return _unknown("authentication_failed", f"Personal API key found in request{place} is invalid.")


def _unknown(code: str, detail: str) -> Fault:
    return standard(401, "authentication_error", code, detail, WWW_Authenticate="Bearer")


def forbidden(detail: str) -> Fault:
    return standard(403, "authentication_error", "permission_denied", detail)


def missing_scope(scope: str) -> Fault:
    return forbidden(f"API key missing required scope '{scope}'")


def closed_to_keys() -> Fault:
    return forbidden("This action does not support personal API key access")


def not_found(detail: str = "Not found.") -> Fault:
    return standard(404, "invalid_request", "not_found", detail)


def method_not_allowed(method: str, allowed: str) -> Fault:
    detail = f'Method "{method}" not allowed.'
    return standard(405, "invalid_request", "method_not_allowed", detail, Allow=allowed)


def unsupported_media_type(media: str) -> Fault:
    detail = f'Unsupported media type "{media}" in request.'
    return standard(415, "invalid_request", "unsupported_media_type", detail)


def too_large(limit: int) -> Fault:
    detail = f"The request body is larger than {limit} bytes."
    return standard(413, "invalid_request", "request_too_large", detail)


def too_slow(detail: str) -> Fault:
    return standard(408, "invalid_request", "request_timeout", detail)


def conflict(detail: str) -> Fault:
    return standard(409, "server_error", "conflict", detail)


def payment_required(detail: str) -> Fault:
    return standard(402, "server_error", "payment_required", detail)


def throttle_fault(seconds: int) -> Fault:
    """Return a 429, with the wait in text and header: some clients read one, some the other."""
    unit = "second" if seconds == 1 else "seconds"
    detail = f"Request was throttled. Expected available in {seconds} {unit}."
    return standard(429, "throttled_error", "throttled", detail, Retry_After=str(seconds))


def server_error() -> Fault:
    return standard(500, "server_error", "error", "A server error occurred.")


def database_unavailable() -> Fault:
    detail = "We couldn't reach the database just now. Please try again in a moment."
    return standard(503, "server_error", "database_unavailable", detail, Retry_After="1")


def database_moved() -> Fault:
    """Return a 503 without `Retry-After`: only a restart helps."""
    detail = (
        "The database file was moved, replaced or deleted while the service ran. A change that was not "
        "acknowledged may be lost. Put the file back and restart the service."
    )
    return standard(503, "server_error", "database_moved", detail)


def database_damaged() -> Fault:
    """Return a 500: the product's answer to what no caller can mend, with the remedy for the owner."""
    detail = (
        "The database file is damaged. Stop the service, and start it with a copy of the file or a new one "
        "(of the demo: flagtui demo --fresh)."
    )
    return standard(500, "server_error", "database_damaged", detail)


def plain_error(text: str, status: int = 400) -> Fault:
    """Return a fault without the standard four keys, as some operations of the product write it."""
    return Fault(status, {"error": text})
