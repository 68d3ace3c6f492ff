"""From what the network library raises to what it means: was anything sent, and what can be done."""

import socket
from collections.abc import Iterator
from urllib.parse import urlsplit

from flagtui.api import errors
from flagtui.api.errors import ApiError
from flagtui.api.http_library import httpx
from flagtui.api.request import Question


def network_error(fault: Exception, question: Question, host: str) -> ApiError:
    """The error a failed exchange stands for. Only failures to connect count as certainly not sent."""
    facts = question.facts()
    match fault:
        case httpx.ConnectTimeout() | httpx.PoolTimeout():
            return errors.ConnectTimedOut(f"{host} did not answer in time.", facts=facts)
        case httpx.ProxyError():
            return errors.ProxyFailed(f"The proxy did not pass us on to {host}.", facts=facts)
        case httpx.ConnectError():
            return _connect_error(fault, question, host)
        case httpx.UnsupportedProtocol() | httpx.InvalidURL() | httpx.LocalProtocolError():
            return errors.Unreachable(f"{host} cannot be asked this way.", facts=facts)
        case httpx.TimeoutException() | TimeoutError():
            return errors.Unanswered(f"{host} took too long to answer.", facts=facts)
        case _:
            return errors.Unanswered(
                f"The connection to {host} broke before the whole answer was here.", facts=facts
            )


def setup_error(fault: Exception) -> ApiError:
    """The error for an environment the network library refuses to start in."""
    if isinstance(fault, OSError):
        words = "The certificate bundle named by SSL_CERT_FILE or SSL_CERT_DIR cannot be read."
        return errors.TlsFailed(words, next="Correct or unset the variable.")
    words = "The proxy named by HTTPS_PROXY, HTTP_PROXY or ALL_PROXY cannot be used."
    return errors.ProxyFailed(words, next="Use an http or https proxy, or unset the variable.")


def _connect_error(fault: Exception, question: Question, host: str) -> ApiError:
    facts = question.facts()
    causes = list(_causes(fault))
    words = " ".join(str(cause) for cause in causes).lower()
    if any(isinstance(cause, socket.gaierror) for cause in causes) or "name or service" in words:
        return errors.NameNotFound(f"No host is called {urlsplit(host).hostname or host}.", facts=facts)
    if any(isinstance(cause, ConnectionRefusedError) for cause in causes):
        return errors.Refused(f"Nothing listens at {host}.", facts=facts)
    if "ssl" in words or "certificate" in words or "tls" in words:
        return errors.TlsFailed(f"{host} could not prove who it is (TLS).", facts=facts)
    return errors.Unreachable(f"{host} cannot be reached.", facts=facts)


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
