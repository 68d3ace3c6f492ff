"""Errors of a server: what happened, what is true now, what to do next. Imports nothing large."""

import re
from typing import Final, NamedTuple

_NOTHING_CHANGED = "Nothing was changed."
_NOT_KNOWN = "Whether the server made the change is not known."


class ErrorFacts(NamedTuple):
    """Facts about a failure. `detail` has the server's own words: unsafe to print as is."""

    method: str = "GET"
    is_write: bool = False
    """Whether the request was meant to change something; some POSTs only read."""
    path: str = ""
    status: int | None = None
    code: str = ""
    attr: str | None = None
    detail: str = ""
    retry_after: float | None = None
    """Seconds the server asks us to wait."""
    other_region: str = ""
    """The other cloud region, `us` or `eu`; empty for other hosts."""
    host_notice: str = ""
    """A sentence that another address is used than the one given."""


class ApiError(Exception):
    """A failed request."""

    sent = False
    """Whether the server may have acted on the request."""
    advice = "Try again; if it stays like this, ask the people who run the server."
    """What to do next, unless the raising code knows better."""
    advice_to_read = ""
    """The advice after a request that changes nothing, where it differs."""

    def __init__(self, what: str, *, now: str = "", next: str = "", facts: ErrorFacts | None = None) -> None:
        super().__init__(what)
        self.facts = facts or ErrorFacts()
        self.what = what
        self.now = now or (_NOT_KNOWN if self.sent and self.facts.is_write else _NOTHING_CHANGED)
        advice_to_read = "" if self.facts.is_write else self.advice_to_read
        self.next = next or advice_to_read or self.advice

    def __str__(self) -> str:
        return f"{self.what} {self.now} {self.next}"

    @property
    def status(self) -> int | None:
        """Return the HTTP status, if there was a response."""
        return self.facts.status

    @property
    def code(self) -> str:
        """Return the server's short code for the error."""
        return self.facts.code

    @property
    def attr(self) -> str | None:
        """Return the field that the server objects to, nested names joined by `__`."""
        return self.facts.attr

    @property
    def detail(self) -> str:
        """Return the server's own sentence, unchanged."""
        return self.facts.detail


class BadHost(ApiError, ValueError):
    """The host is invalid. Raised before anything is sent."""

    advice = "Use us, eu, or an address such as https://flags.example.com."


class PlainHttpRefused(BadHost):
    """The key would cross the network unencrypted."""

    advice = "Use https, or set allow_plain_http = true in the profile if the network between is yours."


class BadKey(ApiError, ValueError):
    """The text cannot be a personal API key. Raised before anything is sent."""

    advice = "Create a personal API key in your account settings; it starts with phx_."


class Unreachable(ApiError):
    """No connection, so nothing was sent."""

    advice = "Check the network and the host, then try again."


class NameNotFound(Unreachable):
    """The host's name does not resolve."""

    advice = "Check the host for a typing mistake, and that you are online."


class Refused(Unreachable):
    """The machine is there, but nothing listens on that port."""

    advice = "Check host and port, and that the server is running."


class TlsFailed(Unreachable):
    """The server could not prove its identity."""

    advice = "Check the host, this machine's clock, and the certificates (ca_bundle, SSL_CERT_FILE)."


class ConnectTimedOut(Unreachable):
    """The connection timed out."""


class ProxyFailed(Unreachable):
    """The proxy from the environment did not connect to the server."""

    advice = "Check HTTPS_PROXY, HTTP_PROXY and ALL_PROXY."


class Unanswered(ApiError):
    """The request was sent, and no complete response came back."""

    sent = True
    advice = "Look at it again before you repeat it."
    advice_to_read = ApiError.advice


class Redirected(ApiError):
    """The server redirects to another address; neither the key nor a write follows."""

    advice = "Set the profile's host to the address the server named, if you trust it."


class NotSignedIn(ApiError):
    """401: the key is wrong, revoked, or from the other region."""

    advice = "Check the key, and that its owner is still active."


class Forbidden(ApiError):
    """403: the key is valid but lacks permission."""

    advice = "Ask an administrator of the project, or use another key."


class MissingScope(Forbidden):
    """The key lacks a scope."""

    @property
    def scope(self) -> str:
        """Return the missing scope, such as `feature_flag:write`."""
        match = re.search(r"scope '([a-z_*]+(?::[a-z]+)?)'", self.facts.detail)
        return match[1] if match else ""


class ClosedToKeys(Forbidden):
    """This server offers the operation to browser sessions only."""

    advice = "Use the web interface for this."


class NoAccess(Forbidden):
    """The key's owner may not see or change this, or the key is limited to other projects."""


class NotFound(ApiError):
    """404: the record does not exist, or is not visible to this key."""

    advice = "It may have been deleted, or this key may not see it; read the list again."


class ProjectNotFound(NotFound):
    """This host does not have the project."""

    advice = "Check the number of the project, and the host: projects live in one region only."


class EndpointNotFound(ApiError):
    """404: the server does not know the operation, or a proxy responds; it proves nothing of a record."""

    advice = "Use the web interface, or a newer version of the server."


class NotOffered(ApiError):
    """405: the server knows the address but does not offer this operation there."""

    advice = EndpointNotFound.advice


class Invalid(ApiError):
    """400: the server rejects the values; `attr` names the field."""

    advice = "Correct it and try again."


class PolicyConflict(Invalid):
    """400: several approval policies cover parts of the change; one request carries one approval."""

    advice = "Make its parts separate changes, such as the switch and the percentages."


class Conflict(ApiError):
    """409 conflict: another user changed the same field meanwhile."""

    advice = "Look at what they did, then decide again."


class ApprovalNeeded(ApiError):
    """409: a policy requires approval before the change."""

    advice = "Ask an approver; the change waits for them in the web interface."
    request_id = ""
    """The id of the change request; empty on servers that do not send it."""

    @property
    def pending(self) -> bool:
        """Return whether an earlier request for the same approval is still open."""
        return self.facts.code == "change_request_pending"


class PaymentNeeded(ApiError):
    """402: the organisation's plan does not include this, or its quota is used up."""

    advice = "Ask the people who manage the plan."


class RateLimited(ApiError):
    """429: too many requests with this key."""

    advice = "Try again then; what is loading continues automatically."

    @property
    def retry_after(self) -> float | None:
        """Return the seconds to wait, if the server named them."""
        return self.facts.retry_after


class ServerFault(ApiError):
    """5xx: the server or a gateway in front of it failed."""

    sent = True
    advice = "Try again in a moment; if it stays, ask the people who run the server."


class NotCalculated(ApiError):
    """The server accepted a query and failed to calculate it. Queries change nothing."""

    advice = "Ask again; if it stays like this, look at the metric in the browser."


class Unreadable(ApiError):
    """The server reported success, but its response cannot be read."""

    sent = True
    advice = "Check the host: a login page or a proxy may be responding instead of the server."


class TooLarge(ApiError):
    """A response or a request exceeds every reasonable size."""

    advice = "Make the change smaller, or have the limit of the server or its proxy raised."
    advice_to_read = "Ask for less at once."


class ResponseTooLarge(TooLarge):
    """The client cut the response off, so the server has acted."""

    sent = True
    advice = Unanswered.advice


class ListTooLong(TooLarge):
    """A list exceeds the limits of one load. The rows before are good."""

    advice = advice_to_read = "Narrow it with a filter, where there is one; the server may be at fault."
    may_pass = False
    """Whether a fault of the server stopped the load, rather than a limit."""


LASTING: Final = (
    *(NotSignedIn, BadKey, BadHost, Forbidden, PaymentNeeded),
    *(NotFound, EndpointNotFound, NotOffered, ListTooLong),
)


def may_pass(error: ApiError | None) -> bool:
    """Return whether a retry can succeed: not when the key or the server lacks something."""
    # A proxy that knows no such address, as during a deployment, sends no code of the API.
    is_of_proxy = isinstance(error, EndpointNotFound) and not error.code
    return error is not None and (is_of_proxy or not isinstance(error, LASTING))


def needs_key(error: ApiError | None) -> bool:
    """Return whether another key would help."""
    return isinstance(error, NotSignedIn | BadKey)
