"""Every status and every shape of body becomes the error it means, cheap to match and safe to show."""

import json
from typing import Any, Final

import pytest

from flagtui.api import errors
from flagtui.api.errors import ApiError, ErrorFacts
from flagtui.api.faults import refusal

KINDS: Final = [
    kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, ApiError)
]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("is_write", [False, True])
def test_every_error_states_what_is_true_and_what_to_do(kind: type[ApiError], is_write: bool) -> None:
    error = kind("It went wrong.", facts=ErrorFacts(is_write=is_write))
    unsure = "Whether the server made the change is not known."
    assert error.now == (unsure if kind.sent and is_write else "Nothing was changed.")
    assert error.next.endswith(".")
    assert str(error) == f"It went wrong. {error.now} {error.next}"
    # The advice holds on the command line, too.
    advice = f" {kind.advice} {kind.advice_to_read} ".casefold()
    assert not [word for word in (" refresh", " press ", " key f", " f5", " esc ") if word in advice]


def test_refusals_before_sending_are_wrong_values_without_a_scope() -> None:
    for kind in (errors.BadHost, errors.BadKey, errors.PlainHttpRefused):
        assert issubclass(kind, ValueError)
        assert not kind.sent
    assert errors.MissingScope("x", facts=ErrorFacts(detail="missing required scope")).scope == ""


def error_of(status: int, body: Any = None, method: str = "GET", **headers: str) -> ApiError:
    content = body if isinstance(body, bytes) else (b"" if body is None else json.dumps(body).encode())
    facts = ErrorFacts(method, method != "GET", "/api/x/", status)
    return refusal(facts, {name.replace("_", "-"): value for name, value in headers.items()}, content)


def error_body(detail: str, **more: Any) -> dict[str, Any]:
    plain = {"type": "authentication_error", "code": "permission_denied", "attr": None}
    return plain | {"detail": detail} | more


PAGE = b"<!doctype html><html><head><title>502 Bad\n Gateway</title></head></html>"

CASES: list[tuple[int, Any, type[ApiError]]] = [
    (400, error_body("Bad", attr="filters__groups__0"), errors.Invalid),
    (400, {"code": "policy_conflict", "error": "Two policies"}, errors.PolicyConflict),
    (400, {"success": False, "error": "This feature flag has been deleted."}, errors.Invalid),
    (400, b"", errors.Invalid),
    (401, error_body("Personal API key found in request Authorization header is invalid."),
     errors.NotSignedIn),
    (401, PAGE, ApiError),
    (401, {"message": "Unauthorized"}, ApiError),
    (401, b"", errors.NotSignedIn),
    (402, error_body("premium"), errors.PaymentNeeded),
    (403, error_body("API key missing required scope 'feature_flag:write'"), errors.MissingScope),
    (403, error_body("This action does not support Personal API Key access"), errors.ClosedToKeys),
    (403, error_body("This action does not support project secret API key access"), errors.ClosedToKeys),
    (403, error_body("API key does not have access to the requested project: ID 7."), errors.NoAccess),
    (403, error_body("You don't have access to the project."), errors.NoAccess),
    (403, error_body("You do not have editor access to this resource."), errors.NoAccess),
    (403, error_body("Organization 'Acme' does not allow using personal API keys."), errors.NoAccess),
    (403, error_body("This action is not allowed by approval policy: x"), errors.Forbidden),
    (403, b"", errors.Forbidden),
    (403, PAGE, ApiError),
    (403, b"RBAC: access denied", ApiError),
    (404, error_body("Project not found."), errors.ProjectNotFound),
    (404, error_body("Endpoint not found."), errors.EndpointNotFound),
    (404, PAGE, errors.EndpointNotFound),
    (404, b"404 page not found", errors.EndpointNotFound),
    (404, {"message": "no Route matched with those values"}, errors.EndpointNotFound),
    (404, error_body("Not found."), errors.NotFound),
    (404, b"", errors.EndpointNotFound),
    (404, {"status": "unknown", "reason": "Flag could not be found"}, errors.NotFound),
    (405, b"", errors.NotOffered),
    (407, PAGE, errors.ProxyFailed),
    (405, error_body('Method "PUT" not allowed.'), errors.NotOffered),
    (409, error_body("updated by grace", code="conflict"), errors.Conflict),
    (409, {"code": "approval_required", "change_request_id": "018f"}, errors.ApprovalNeeded),
    (409, {"code": "change_request_pending", "change_request": {"id": "018f"}}, errors.ApprovalNeeded),
    (413, PAGE, errors.TooLarge),
    (415, error_body('Unsupported media type "text/plain" in request.'), ApiError),
    (422, {"detail": "Activity log is incomplete."}, errors.Invalid),
    (429, error_body("Request was throttled. Expected available in 21 seconds."), errors.RateLimited),
    (429, b"slow down", errors.RateLimited),
    (500, error_body("A server error occurred."), errors.ServerFault),
    (502, PAGE, errors.ServerFault),
    (503, b"\xff\xfe\x00", errors.ServerFault),
    (301, b"", errors.Redirected),
    (599, b"[1, 2", errors.ServerFault),
]  # fmt: skip


@pytest.mark.parametrize(("status", "body", "kind"), CASES)
@pytest.mark.parametrize("method", ["GET", "PATCH"])
def test_every_refusal_has_its_name_and_three_sentences(
    status: int, body: Any, kind: type[ApiError], method: str
) -> None:
    error = error_of(status, body, method)
    assert type(error) is kind
    assert error.status == status
    for sentence in (error.what, error.now, error.next):
        assert sentence.endswith(".")
        assert sentence.isprintable()
    assert error.sent == (status >= 500)
    expected = "Whether the server made the change is not known." if error.sent and method != "GET" else None
    assert error.now == (expected or "Nothing was changed.")


def test_refusals_name_the_scope_or_the_policies() -> None:
    error = error_of(403, error_body("API key missing required scope 'feature_flag:write'"))
    assert isinstance(error, errors.MissingScope)
    assert error.scope == "feature_flag:write"
    assert "feature_flag:write" in error.next
    error = error_of(403, error_body("API key does not have access to the requested project: ID 7."))
    assert error.next == "Choose another project, or use a key that can open this one."
    assert error_of(402, error_body("premium")).what == "The plan does not include it: premium."
    error = error_of(402, {"type": "quota_limited", "detail": "You have exceeded your request quota"})
    assert error.what == "A quota is used up (402): You have exceeded your request quota."
    error = error_of(400, {"code": "policy_conflict", "error": "Two policies match"}, "PATCH")
    assert error.what == "Several approval policies cover this change: Two policies match."
    assert error.next == "Make its parts separate changes, such as the switch and the percentages."


@pytest.mark.parametrize(("place", "is_moved"), [
    ("https://flags.example.test/api/x", True), ("//flags.example.test/api/x/?limit=1", True),
    ("https://sso.example.test/login?next=/api/x/", False), ("/login", False), ("/api/x/", False),
    ("https://[", False), ("", False),
])  # fmt: skip
def test_only_an_api_that_moved_is_proposed_as_host(place: str, is_moved: bool) -> None:
    error = error_of(302, location=place)
    assert error.what == (
        f"The server points to {place}." if place else "The server redirects without an address (302)."
    )
    assert error.next == (errors.Redirected if is_moved else errors.Unreadable).advice


def test_approval_and_conflict_name_what_the_server_does() -> None:
    for code, is_pending in (("approval_required", False), ("change_request_pending", True)):
        error = error_of(409, {"code": code}, "PATCH")
        assert isinstance(error, errors.ApprovalNeeded)
        assert error.pending is is_pending
    conflict = error_of(409, error_body("updated by grace", code="conflict"), "PATCH")
    assert conflict.what == "Another user changed it meanwhile: updated by grace."
    busy = error_of(409, {"error": "busy"}, "PATCH")
    assert busy.what == "The server reports a conflict (409): busy."


AT, LATER = "Sun, 06 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:47 GMT"


@pytest.mark.parametrize(("headers", "detail", "seconds"), [
    ({"retry_after": "7"}, "", 7.0),
    ({}, "Request was throttled. Expected available in 21 seconds.", 21.0),
    ({}, "Request was throttled. Expected available in 1 second.", 1.0),
    ({"retry_after": LATER, "date": AT}, "", 10.0), ({"retry_after": LATER}, "", None),
    ({"retry_after": "soon"}, "", None), ({"retry_after": "-5"}, "", None), ({}, "", None),
])  # fmt: skip
def test_the_wait_is_read_from_header_date_or_words(
    headers: dict[str, str], detail: str, seconds: float | None
) -> None:
    error = error_of(429, error_body(detail), **headers)
    assert isinstance(error, errors.RateLimited)
    assert error.retry_after == seconds


def test_the_servers_words_are_shown_safely_and_cut() -> None:
    error = error_of(400, error_body("\x1b[2J" + "x" * 5_000))
    assert "\x1b" not in error.what
    assert len(error.what) < 400
    assert error.detail.startswith("\x1b[2J")
