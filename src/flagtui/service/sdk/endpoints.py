"""The table of the endpoints that programs call, for the service and the mirror."""

from collections.abc import Callable
from typing import Final

import msgspec

from flagtui.service.operations import Method
from flagtui.service.responses import Response
from flagtui.service.sdk import array_config, events, flag_responses, ofrep
from flagtui.service.sdk.sdk_call import SdkCall


class Endpoint(msgspec.Struct, frozen=True):
    """A method of a path; `{name}` in the path becomes `call.params["name"]`."""

    method: Method
    path: str
    respond: Callable[[SdkCall], Response]
    summary: str
    parameters: tuple[str, ...] = ()
    """Names of query parameters."""
    statuses: tuple[int, ...] = (200,)
    media: str = "application/json"
    """The media type of a success."""
    evaluates: bool = False
    """The response depends on the request and the flags alone, so it can be repeated for a moment."""


EVENT_PATHS: Final = (
    *("/batch", "/capture", "/e", "/track", "/engage", "/s"),
    *("/i/v0/e", "/i/v0/ai/batch", "/i/v1/analytics/events"),
)


def _evaluation(
    path: str, respond: Callable[[SdkCall], Response], summary: str, *parameters: str
) -> Endpoint:
    return Endpoint("POST", path, respond, summary, parameters, statuses=(200, 304), evaluates=True)


ENDPOINTS: Final = (
    _evaluation("/flags", flag_responses.flags, "Evaluate all flags for a user", "v", "config"),
    _evaluation("/decide", flag_responses.decide, "Evaluate all flags, by the older path", "v"),
    Endpoint("GET", "/array/{token}/config", array_config.config, "Get the settings of the browser library"),
    Endpoint(
        "GET",
        "/array/{token}/config.js",
        array_config.config_script,
        "Get the settings of the browser library as a script",
        media="application/javascript",
    ),
    *(Endpoint("POST", path, events.drop_events, "Accept events and discard them") for path in EVENT_PATHS),
    _evaluation("/ofrep/v1/evaluate/flags", ofrep.evaluate_flags, "Evaluate all flags for a user, by OFREP"),
    _evaluation(
        "/ofrep/v1/evaluate/flags/{key:path}", ofrep.evaluate_flag, "Evaluate a flag for a user, by OFREP"
    ),
    Endpoint(
        "GET",
        ofrep.EVENTS_PATH,
        ofrep.changes,
        "Stream an event for each change, by OFREP",
        media="text/event-stream",
    ),
)
