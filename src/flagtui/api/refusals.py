"""From an answer's status and body to the error it means. The status decides, never the body's `type`."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from flagtui.api import errors
from flagtui.api.errors import ApiError, ErrorFacts
from flagtui.api.retry import asked_wait
from flagtui.models.envelope import ErrorBody
from flagtui.safe_text import safe_text

_CLOSED: Final = (
    "does not support personal api key access",
    "does not support project secret api key access",
)


def refusal(facts: ErrorFacts, headers: Mapping[str, str], body: bytes) -> ApiError:
    """The error a status from 300 on stands for. `facts` holds method, path and status."""
    said = ErrorBody.of(body)
    facts = replace(
        facts,
        code=said.code,
        attr=said.attr,
        detail=said.detail,
        raw=said.raw,
        retry_after=asked_wait(headers, said.detail) if facts.status in {429, 503} else None,
    )
    status = facts.status or 0
    if 300 <= status < 400:
        return _redirected(facts, headers)
    if status >= 500:
        return errors.ServerFault(_with_words(f"The server failed ({status})", facts), facts=facts)
    read = _BY_STATUS.get(status)
    if read:
        return read(facts, said)
    return ApiError(_with_words(f"The server refused this ({status})", facts), facts=facts)


def _redirected(facts: ErrorFacts, headers: Mapping[str, str]) -> ApiError:
    place = safe_text(headers.get("location", ""), 120) or "another address"
    return errors.Redirected(f"The server points to {place}.", facts=facts)


def _unsigned(facts: ErrorFacts, said: ErrorBody) -> ApiError:
    next = ""
    if facts.other_region:
        next = f"Check the key; if the project is in the other region, use the host {facts.other_region}."
    return errors.NotSignedIn(_with_words("The key was not accepted (401)", facts), next=next, facts=facts)


def _forbidden(facts: ErrorFacts, said: ErrorBody) -> ApiError:
    detail = said.detail.lower()
    if "missing required scope" in detail:
        error = errors.MissingScope("The key lacks a scope (403).", facts=facts)
        if error.scope:
            error.what = f"The key lacks the scope {error.scope}."
            error.next = f"Add {error.scope} to the key, or use a key that has it."
        return error
    if any(words in detail for words in _CLOSED):
        return errors.ClosedToKeys("This server does not offer this to API keys.", facts=facts)
    if "access" in detail or "personal api keys" in detail or "scoped projects" in detail:
        return errors.NoAccess(_with_words("No access (403)", facts), facts=facts)
    return errors.Forbidden(_with_words("Not allowed (403)", facts), facts=facts)


def _not_found(facts: ErrorFacts, said: ErrorBody) -> ApiError:
    detail = said.detail.lower()
    if detail.startswith("project not found"):
        return errors.ProjectNotFound("There is no such project on this host.", facts=facts)
    if "endpoint not found" in detail or said.is_web_page:
        return errors.EndpointNotFound("This server does not know this operation (404).", facts=facts)
    return errors.NotFound(_with_words("It is not there (404)", facts), facts=facts)


def _conflict(facts: ErrorFacts, said: ErrorBody) -> ApiError:
    if said.code in {"approval_required", "change_request_pending"}:
        pending = said.code == "change_request_pending"
        what = "A request to approve this is already open." if pending else "This change needs approval."
        return errors.ApprovalNeeded(what, facts=facts)
    return errors.Conflict(_with_words("Somebody else changed it meanwhile", facts), facts=facts)


def _invalid(facts: ErrorFacts, said: ErrorBody) -> ApiError:
    if said.code == "policy_conflict":
        return errors.PolicyConflict(
            _with_words("Approval policies contradict each other", facts), facts=facts
        )
    place = f" in {safe_text(said.attr, 120)}" if said.attr else ""
    return errors.Invalid(_with_words(f"The server objects{place}", facts), facts=facts)


def _limited(facts: ErrorFacts, said: ErrorBody) -> ApiError:
    wait = facts.retry_after
    what = f"Too many requests; wait {wait:.0f} s." if wait else "Too many requests."
    return errors.RateLimited(what, facts=facts)


def _with_words(start: str, facts: ErrorFacts) -> str:
    words = safe_text(facts.detail, 300)
    ending = "" if words.endswith((".", "!", "?", "…")) else "."
    return f"{start}: {words}{ending}" if words else f"{start}."


_BY_STATUS: Final[Mapping[int, Callable[[ErrorFacts, ErrorBody], ApiError]]] = {
    400: _invalid,
    401: _unsigned,
    402: lambda facts, said: errors.PaymentNeeded(
        _with_words("The plan does not include it", facts), facts=facts
    ),
    403: _forbidden,
    404: _not_found,
    405: lambda facts, said: errors.NotOffered("The server does not do this here (405).", facts=facts),
    409: _conflict,
    413: lambda facts, said: errors.TooLarge("The server finds this too large (413).", facts=facts),
    422: _invalid,
    429: _limited,
}
