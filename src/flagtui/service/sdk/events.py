"""Captured events: accepted, counted and dropped, never forwarded."""

from flagtui.service.errors import Fault, Json
from flagtui.service.responses import Response, respond
from flagtui.service.sdk.sdk_call import SdkCall, decode_body


def drop_events(call: SdkCall) -> Response:
    """Accept any body: a library must not retry or report an error because of the events it sends."""
    call.source.note_events(_count(call))
    return respond({"status": 1})


def _count(call: SdkCall) -> int:
    """Return how many events the body has; an unreadable one counts as one."""
    try:
        body: Json = decode_body(call.raw_body)
    except Fault:
        return 1
    batch = body.get("batch", body) if isinstance(body, dict) else body
    return len(batch) if isinstance(batch, list) else 1
