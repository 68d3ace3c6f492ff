"""Convert exceptions of the network library, statuses and bodies to `ApiError`."""

import socket
from collections.abc import Callable, Iterator, Mapping
from typing import Final
from urllib.parse import SplitResult, urlsplit
from urllib.request import getproxies, proxy_bypass

import msgspec

from flagtui.api import errors
from flagtui.api.errors import ApiError, ErrorFacts
from flagtui.api.hosts import is_loopback
from flagtui.api.http_library import httpx
from flagtui.api.limits import read_retry_after
from flagtui.api.request import Request
from flagtui.models.json_value import JSON, NotJson, as_dict, as_text, read_json
from flagtui.safe_text import safe_text


class ErrorBody(msgspec.Struct, frozen=True):
    """The body of a refusal. All text is the server's and unsafe to print as is."""

    code: str = ""
    detail: str = ""
    attr: str | None = None
    """The field, nested names and indexes joined by `__`."""
    request_id: str = ""
    """The id of the change request that waits for approval."""
    is_foreign: bool = False
    """Whether it is no JSON of the API but a proxy's: it proves nothing of key and record."""

    @classmethod
    def of(cls, body: bytes) -> "ErrorBody":
        """Read `{code, detail, attr}`, `{detail}`, `{error}`, `{message}`, nothing, and web pages."""
        try:
            value = read_json(body) if body.strip() else None
        except NotJson:
            return cls(detail=_words_of(body), is_foreign=True)
        if not isinstance(value, dict):
            return cls(detail=_sentence(value))
        texts = (value.get(name) for name in ("detail", "error", "message", "error_message", "reason"))
        return cls(
            code=as_text(value.get("code")),
            detail=next((text for item in texts if (text := _sentence(item))), ""),
            attr=as_text(value.get("attr")) or None,
            request_id=as_text(value.get("change_request_id"))
            or as_text(as_dict(value.get("change_request")).get("id")),
            is_foreign=value.keys().isdisjoint(_MEMBERS),
        )


_MEMBERS: Final = frozenset({"code", "detail", "error", "reason", "status", "success", "type"})
"""Every refusal of the API has one of them; gateways send a `message` alone."""


def _sentence(value: JSON) -> str:
    if isinstance(value, list):
        return "; ".join(text for item in value[:5] if (text := _sentence(item)))
    if isinstance(value, dict):
        return "; ".join(f"{key}: {_sentence(item)}" for key, item in list(value.items())[:5])
    return as_text(value).strip()


def _words_of(page: bytes) -> str:
    """Return the title of a web page, or the beginning of plain text."""
    text = page[:4000].decode("utf-8", "replace").strip()
    lowered = text.lower()
    start = lowered.find("<title>")
    if start >= 0:
        end = lowered.find("</title>", start)
        return " ".join(text[start + 7 : end if end > 0 else start + 200].split())
    return "" if text.startswith("<") else " ".join(text[:300].split())


_CLOSED: Final = (
    "does not support personal api key access",
    "does not support project secret api key access",
)


def refusal(facts: ErrorFacts, headers: Mapping[str, str], body: bytes) -> ApiError:
    """Return the error for a status from 300. `facts` holds method, path and status."""
    refused = ErrorBody.of(body)
    facts = facts._replace(
        code=refused.code,
        attr=refused.attr,
        detail=refused.detail,
        retry_after=read_retry_after(headers, refused.detail) if facts.status in {429, 503} else None,
    )
    status = facts.status or 0
    if 300 <= status < 400:
        return _redirection(facts, headers)
    if status >= 500:
        return errors.ServerFault(_with_words(f"The server failed ({status})", facts), facts=facts)
    if refused.is_foreign and status in {401, 403}:
        # The server has not judged the key.
        what = _with_words(f"A proxy or a web page refused this ({status})", facts)
        return ApiError(what, next=errors.Unreadable.advice, facts=facts)
    read = _BY_STATUS.get(status)
    if read:
        return read(facts, refused)
    return ApiError(_with_words(f"The server refused this ({status})", facts), facts=facts)


def _redirection(facts: ErrorFacts, headers: Mapping[str, str]) -> ApiError:
    place = headers.get("location", "")
    what = f"The server points to {safe_text(place, 120)}."
    if not place:
        what = f"The server redirects without an address ({facts.status})."
    next = "" if _is_same_path(place, facts.path) else errors.Unreadable.advice
    return errors.Redirected(what, next=next, facts=facts)


def _is_same_path(address: str, path: str) -> bool:
    """Return whether an address is this path of another host, not a login page or the like."""
    try:
        parts = urlsplit(address)
    except ValueError:
        return False
    return bool(parts.netloc) and parts.path.rstrip("/") == path.rstrip("/")


def _missing_sign_in(facts: ErrorFacts, body: ErrorBody) -> ApiError:
    next = ""
    if facts.other_region:
        next = f"Check the key; if the project is in the other region, use the host {facts.other_region}."
    return errors.NotSignedIn(_with_words("The key was not accepted (401)", facts), next=next, facts=facts)


def _forbidden(facts: ErrorFacts, body: ErrorBody) -> ApiError:
    detail = body.detail.lower()
    if "missing required scope" in detail:
        error = errors.MissingScope("The key lacks a scope (403).", facts=facts)
        if error.scope:
            error.what = f"The key lacks the scope {error.scope}."
            error.next = f"Add {error.scope} to the key, or use a key that has it."
        return error
    if any(words in detail for words in _CLOSED):
        return errors.ClosedToKeys("This server does not offer this to API keys.", facts=facts)
    if "access" in detail or "personal api keys" in detail or "scoped projects" in detail:
        is_confined = "requested project" in detail
        next = "Choose another project, or use a key that can open this one." if is_confined else ""
        return errors.NoAccess(_with_words("No access (403)", facts), next=next, facts=facts)
    return errors.Forbidden(_with_words("Not allowed (403)", facts), facts=facts)


_SILENT: Final = ("/remote_config/", "/activity/")
"""Ends of the paths where the API itself sends a 404 without a body."""


def _not_found(facts: ErrorFacts, body: ErrorBody) -> ApiError:
    detail = body.detail.lower()
    if detail.startswith("project not found"):
        return errors.ProjectNotFound("There is no such project on this host.", facts=facts)
    if "endpoint not found" in detail:
        return errors.EndpointNotFound("This server does not know this operation (404).", facts=facts)
    if body.is_foreign or not (detail or facts.path.endswith(_SILENT)):
        what = _with_words("A proxy or an old server responded (404)", facts)
        next = f"{facts.host_notice} Check the host; an older server may not offer it.".lstrip()
        return errors.EndpointNotFound(what, next=next, facts=facts)
    return errors.NotFound(_with_words("It is not there (404)", facts), facts=facts)


def _conflict(facts: ErrorFacts, body: ErrorBody) -> ApiError:
    if body.code in {"approval_required", "change_request_pending"}:
        pending = body.code == "change_request_pending"
        what = "A request to approve this is already open." if pending else "This change needs approval."
        error = errors.ApprovalNeeded(what, facts=facts)
        error.request_id = body.request_id
        return error
    is_of_another = body.code == "conflict"
    what = "Another user changed it meanwhile" if is_of_another else "The server reports a conflict (409)"
    return errors.Conflict(_with_words(what, facts), facts=facts)


def _invalid(facts: ErrorFacts, body: ErrorBody) -> ApiError:
    if body.code == "policy_conflict":
        what = "Several approval policies cover this change"
        return errors.PolicyConflict(_with_words(what, facts), facts=facts)
    place = f" in {safe_text(body.attr, 120)}" if body.attr else ""
    return errors.Invalid(_with_words(f"The server objects{place}", facts), facts=facts)


def _payment(facts: ErrorFacts, body: ErrorBody) -> ApiError:
    is_quota = "quota" in f"{body.code} {body.detail}".lower()
    what = "A quota is used up (402)" if is_quota else "The plan does not include it"
    return errors.PaymentNeeded(_with_words(what, facts), facts=facts)


def _rate_limit(facts: ErrorFacts, body: ErrorBody) -> ApiError:
    wait = facts.retry_after
    if not wait:
        next = "Try again in a minute; what is loading continues automatically."
        return errors.RateLimited("Too many requests.", next=next, facts=facts)
    return errors.RateLimited(f"Too many requests; wait {max(wait, 1):.0f} s.", facts=facts)


def _with_words(start: str, facts: ErrorFacts) -> str:
    words = safe_text(facts.detail, 300)
    ending = "" if words.endswith((".", "!", "?", "…")) else "."
    return f"{start}: {words}{ending}" if words else f"{start}."


_BY_STATUS: Final[Mapping[int, Callable[[ErrorFacts, ErrorBody], ApiError]]] = {
    400: _invalid,
    401: _missing_sign_in,
    402: _payment,
    403: _forbidden,
    404: _not_found,
    405: lambda facts, body: errors.NotOffered("This server does not offer this (405).", facts=facts),
    409: _conflict,
    407: lambda facts, body: errors.ProxyFailed("The proxy wants a name and a password (407).", facts=facts),
    413: lambda facts, body: errors.TooLarge("The server finds this too large (413).", facts=facts),
    422: _invalid,
    429: _rate_limit,
}


def network_error(fault: Exception, request: Request, host: str) -> ApiError:
    """Return the error for a failed exchange. Only failures to connect are certain not to have been sent."""
    facts = request.facts()
    match fault:
        case httpx.ConnectTimeout() | httpx.PoolTimeout():
            return errors.ConnectTimedOut(f"{host} did not respond in time.", facts=facts)
        case httpx.ProxyError():
            return errors.ProxyFailed(f"The proxy did not pass us on to {host}.", facts=facts)
        case httpx.ConnectError():
            return _connect_error(fault, facts, host)
        case httpx.UnsupportedProtocol() | httpx.InvalidURL() | httpx.LocalProtocolError():
            return errors.Unreachable(f"{host} cannot be asked this way.", facts=facts)
        case httpx.TimeoutException() | TimeoutError():
            return errors.Unanswered(f"{host} took too long to respond.", facts=facts)
        case _:
            return errors.Unanswered(
                f"The connection to {host} broke before the whole response arrived.", facts=facts
            )


def setup_error(fault: Exception, ca_bundle: str) -> ApiError:
    """Return the error for an environment in which the network library refuses to start."""
    if isinstance(fault, OSError | RuntimeError) and ca_bundle:
        words = f"The certificate bundle {ca_bundle} cannot be read."
        return errors.TlsFailed(words, next="Correct the ca_bundle of the profile.")
    if isinstance(fault, OSError):
        words = "The certificate bundle named by SSL_CERT_FILE or SSL_CERT_DIR cannot be read."
        return errors.TlsFailed(words, next="Correct or unset the variable.")
    words = "The proxy named by HTTPS_PROXY, HTTP_PROXY or ALL_PROXY cannot be used."
    return errors.ProxyFailed(words, next="Use an http or https proxy, or unset the variable.")


def _connect_error(fault: Exception, facts: ErrorFacts, host: str) -> ApiError:
    causes = list(_causes(fault))
    words = " ".join(str(cause) for cause in causes).lower()
    is_unknown = any(isinstance(cause, socket.gaierror) for cause in causes) or "name or service" in words
    is_refused = any(isinstance(cause, ConnectionRefusedError) for cause in causes)
    if (is_unknown or is_refused) and _has_proxy(urlsplit(host)):
        return errors.ProxyFailed("The proxy cannot be reached.", facts=facts)
    if is_unknown:
        return errors.NameNotFound(f"No host is called {urlsplit(host).hostname or host}.", facts=facts)
    if is_refused:
        return errors.Refused(f"Nothing listens at {host}.", facts=facts)
    if any(sign in words for sign in _WITHOUT_TLS):
        return errors.TlsFailed(f"{host} responds without TLS.", next=_PLAIN, facts=facts)
    if "ssl" in words or "certificate" in words or "tls" in words:
        return errors.TlsFailed(f"{host} could not prove who it is (TLS).", facts=facts)
    return errors.Unreachable(f"{host} cannot be reached.", facts=facts)


_WITHOUT_TLS: Final = ("wrong_version_number", "record_layer_failure")
_PLAIN: Final = "Check the port, or begin the address with http:// if the server has no certificate."


def _has_proxy(address: SplitResult) -> bool:
    """Return whether a proxy of the environment passes on the requests to this address."""
    name = address.hostname or ""
    is_named = not getproxies().keys().isdisjoint((address.scheme, "all"))
    return is_named and not is_loopback(name) and not proxy_bypass(name)


def _causes(fault: BaseException | None) -> Iterator[BaseException]:
    seen = 0
    while fault is not None and seen < 20:
        yield fault
        # anyio gathers the attempts at several addresses in a group.
        if isinstance(fault, BaseExceptionGroup):
            for inner in fault.exceptions:
                yield from _causes(inner)
        fault = fault.__cause__ or fault.__context__
        seen += 1
