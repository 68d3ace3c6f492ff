"""What can go wrong with a server: what happened, what is true now, what to do next. Imports nothing big."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from flagtui.models.json_value import JSON, as_dict, as_text

_NOTHING_CHANGED = "Nothing was changed."
_NOT_KNOWN = "Whether the server made the change is not known."


@dataclass(frozen=True, slots=True)
class ErrorFacts:
    """What is known about a failure. `detail` and `raw` are the server's own words: unsafe to print as is."""

    method: str = "GET"
    is_write: bool = False
    """Whether the request was meant to change something; some that only read are POSTs."""
    path: str = ""
    status: int | None = None
    code: str = ""
    attr: str | None = None
    detail: str = ""
    raw: Mapping[str, JSON] = field(default_factory=dict)
    retry_after: float | None = None
    """Seconds the server asks us to wait."""
    other_region: str = ""
    """The cloud region that was not asked, `us` or `eu`; empty for other hosts."""


class ApiError(Exception):
    """A request that did not do what it was for."""

    sent = False
    """Whether the server may have acted on the request."""
    advice = "Try again; if it stays like this, ask the people who run the server."
    """What to do next, unless the place that raised it knows better."""
    advice_to_read = ""
    """The same after a request that changes nothing, where it differs."""

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
        """The HTTP status, where there was an answer."""
        return self.facts.status

    @property
    def code(self) -> str:
        """The server's short word for it."""
        return self.facts.code

    @property
    def attr(self) -> str | None:
        """The field the server objects to, nested names joined by `__`."""
        return self.facts.attr

    @property
    def detail(self) -> str:
        """The server's own sentence, as it came."""
        return self.facts.detail


class BadHost(ApiError, ValueError):
    """The address is none we can use. Raised before anything is sent."""

    advice = "Use us, eu, or an address such as https://flags.example.com."


class PlainHttpRefused(BadHost):
    """The key would cross the network readable by others."""

    advice = "Use https, or allow plain http for this profile if the network between is yours."


class BadKey(ApiError, ValueError):
    """What was given cannot be a personal API key. Raised before anything is sent."""

    advice = "Make a personal API key in your account settings; it starts with phx_."


class Unreachable(ApiError):
    """No connection, so nothing was sent."""

    advice = "Check the network and the host, then try again."


class NameNotFound(Unreachable):
    """The host's name leads nowhere."""

    advice = "Check the host for a typing mistake, and that you are online."


class Refused(Unreachable):
    """Something is there, but nothing listens on that port."""

    advice = "Check host and port, and that the server is running."


class TlsFailed(Unreachable):
    """The server could not prove who it is."""

    advice = "Check the host, the clock of this machine, and the certificate bundle (SSL_CERT_FILE)."


class ConnectTimedOut(Unreachable):
    """There is no answer to a connection."""


class ProxyFailed(Unreachable):
    """The proxy from the environment did not pass us on."""

    advice = "Check HTTPS_PROXY, HTTP_PROXY and ALL_PROXY."


class Unanswered(ApiError):
    """The request went out and no whole answer came back."""

    sent = True
    advice = "Look at it again before you repeat it."
    advice_to_read = ApiError.advice


class Redirected(ApiError):
    """The server sent us elsewhere; the key does not go there and a change is not repeated there."""

    advice = "Set the profile's host to the address the server named, if you trust it."


class NotSignedIn(ApiError):
    """401: the key is wrong, revoked, or from the other region."""

    advice = "Check the key, and that its owner is still active."


class Forbidden(ApiError):
    """403: the key is good but may not do this."""

    advice = "Ask an administrator of the project, or use another key."


class MissingScope(Forbidden):
    """The key lacks a scope."""

    @property
    def scope(self) -> str:
        """The scope that is missing, such as `feature_flag:write`."""
        found = re.search(r"scope '([a-z_*]+(?::[a-z]+)?)'", self.facts.detail)
        return found[1] if found else ""


class ClosedToKeys(Forbidden):
    """This server offers the operation to browser sessions only."""

    advice = "Use the web interface for this."


class NoAccess(Forbidden):
    """The key's owner may not see or change this, or the key is confined to other projects."""


class NotFound(ApiError):
    """404: it is not there, or not for us."""

    advice = "Refresh; it may have been deleted."


class ProjectNotFound(NotFound):
    """There is no such project on this host."""

    advice = "Check the number of the project, and the host: projects live in one region only."


class EndpointNotFound(NotFound):
    """The server does not know the operation: it is older or newer than it."""

    advice = "This server does not offer it; the web interface may."


class NotOffered(ApiError):
    """405: the server knows the place but does not do this there."""

    advice = "This server does not offer it."


class Invalid(ApiError):
    """400: the server objects to what was sent; `attr` names the field."""

    advice = "Correct it and try again."


class PolicyConflict(Invalid):
    """Two approval policies contradict each other."""

    advice = "Ask an administrator to sort out the approval policies."


class Conflict(ApiError):
    """409 conflict: the same field was changed on the server meanwhile."""

    advice = "Look at what they did, then decide again."


class ApprovalNeeded(ApiError):
    """409: a policy holds the change back until it is approved."""

    advice = "Ask an approver; the change waits for them in the web interface."

    @property
    def change_request_id(self) -> str:
        """The id of the request for approval."""
        direct = as_text(self.facts.raw.get("change_request_id"))
        return direct or as_text(as_dict(self.facts.raw.get("change_request")).get("id"))

    @property
    def pending(self) -> bool:
        """True when an earlier request for the same is still open."""
        return self.facts.code == "change_request_pending"


class PaymentNeeded(ApiError):
    """402: the organisation's plan does not include it, or its quota is used up."""

    advice = "Ask the people who manage the plan."


class RateLimited(ApiError):
    """429: too many requests with this key."""

    advice = "Wait; requests go on by themselves."

    @property
    def retry_after(self) -> float | None:
        """Seconds to wait, where the server said so."""
        return self.facts.retry_after


class ServerFault(ApiError):
    """5xx: the server or a gateway before it failed."""

    sent = True
    advice = "Try again in a moment; if it stays, ask the people who run the server."


class NotCalculated(ApiError):
    """The server took a query on and gave it up. Queries change nothing."""

    advice = "Ask again; if it stays like this, look at the metric in the browser."


class Unreadable(ApiError):
    """The server said yes, but what came with it is not an answer we can read."""

    sent = True
    advice = "Check the host: a login page or a proxy may be answering instead of the server."


class TooLarge(ApiError):
    """An answer, or what we would send, is beyond all reason."""

    advice = "Ask for less at once."


class AnswerTooLarge(TooLarge):
    """The answer was cut off by us, so the server has acted."""

    sent = True


class ListTooLong(TooLarge):
    """A list does not end within what is read of one. The rows that came before are good."""

    advice = "Narrow it with a filter, where there is one; the server may be at fault."
    may_pass = False
    """Whether a fault of the server ended it, and no limit."""


LASTING: Final = (NotSignedIn, BadKey, BadHost, Forbidden, NotFound, NotOffered, PaymentNeeded, ListTooLong)


def may_pass(error: ApiError | None) -> bool:
    """Whether the same question may be answered later: not when the key or the server lacks something."""
    return error is not None and not isinstance(error, LASTING)


def needs_key(error: ApiError | None) -> bool:
    """Whether another key would help."""
    return isinstance(error, NotSignedIn | BadKey)
