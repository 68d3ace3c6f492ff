"""The endpoints of programs in the table of the service."""

from flagtui.service.call import Call
from flagtui.service.operations import Operation
from flagtui.service.responses import Response
from flagtui.service.sdk.endpoints import ENDPOINTS, Endpoint
from flagtui.service.sdk.sdk_call import SdkCall
from flagtui.service.sdk.stored_flags import StoredFlags


def _operation(endpoint: Endpoint) -> Operation:
    def handle(call: Call) -> Response:
        stored = StoredFlags(call)
        return endpoint.respond(SdkCall(stored, call.params, call.query, call.headers, call.raw_body))

    return Operation(
        endpoint.method,
        endpoint.path,
        handle,
        endpoint.summary,
        parameters=endpoint.parameters,
        statuses=endpoint.statuses,
        media=endpoint.media,
        slow=True,
        public=True,
        any_media=True,
    )


OPERATIONS = tuple(map(_operation, ENDPOINTS))
