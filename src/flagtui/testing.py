"""Flags for tests of your program: a mirror on a free port, with the values that a test sets.

    from flagtui.testing import mirror

    with mirror({"new-nav": True, "checkout": "test"}) as flags:
        client = Posthog(flags.token, host=flags.host)

With pytest, `from flagtui.testing import flag_mirror` in `conftest.py` makes the fixture `flag_mirror`.
"""

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Final

from flagtui.mirror.control import ask_mirror
from flagtui.mirror.endpoints import MirrorEndpoints
from flagtui.mirror.mirror import Mirror
from flagtui.mirror.mirrored_flags import EMPTY, MirroredFlags
from flagtui.mirror.overrides import Overrides
from flagtui.mirror.running_mirrors import RunningMirror, make_mirror_secret
from flagtui.mirror.upstream import DocumentUpstream
from flagtui.models.override import make_override
from flagtui.service.sdk.sdk_application import make_sdk_application
from flagtui.service.server import Place, serving_in_thread

TOKEN: Final = "phc_mirror"
"""Any other text works as well."""


@dataclass(frozen=True)
class FlagMirror:
    """A running mirror. A value is true, false, a variant, a number or an object."""

    port: int
    token: str = TOKEN
    _running: RunningMirror = field(repr=False, kw_only=True)

    @property
    def host(self) -> str:
        """Return the address for `host`, `api_host` or an OFREP provider."""
        return f"http://127.0.0.1:{self.port}"

    def set(self, key: str, value: Any, person: str | None = None) -> None:
        """Serve this value from now on, to everyone or to one person. Raises InvalidOverride."""
        ask_mirror(self._running, "set", {"overrides": [str(make_override(key, value, person))]})

    def unset(self, key: str, person: str | None = None) -> None:
        """Serve the value of the definitions again; without definitions the flag is off."""
        ask_mirror(self._running, "unset", {"key": key, "person": person})

    def clear(self) -> None:
        """Remove every value that was set."""
        ask_mirror(self._running, "clear")

    @property
    def requested(self) -> list[dict[str, Any]]:
        """Return what the program requested so far: key, value, reason, caller and count."""
        requests: list[dict[str, Any]] = ask_mirror(self._running)["requested"]
        return requests


@contextmanager
def mirror(
    values: Mapping[str, Any] | None = None,
    *,
    persons: Mapping[str, Mapping[str, Any]] | None = None,
    definitions: Mapping[str, Any] | None = None,
    origins: Sequence[str] = (),
) -> Iterator[FlagMirror]:
    """Serve flags on a free port until the end of the block.

    Args:
        values: By flag key, for everyone.
        persons: By distinct id, values by flag key that win over those for everyone.
        definitions: The document that flags without a value are evaluated from.
        origins: Origins whose pages may request flags, such as `http://localhost:3000`.

    Raises:
        InvalidOverride: A value that no flag can serve.
    """
    overrides = [make_override(key, value) for key, value in (values or {}).items()]
    for person, own in (persons or {}).items():
        overrides += [make_override(key, value, person) for key, value in own.items()]
    upstream = DocumentUpstream("a test", EMPTY if definitions is None else definitions)
    served = Mirror(upstream, MirroredFlags(), _ignore, session=Overrides.of(overrides))
    secret = make_mirror_secret()

    @asynccontextmanager
    async def running() -> AsyncIterator[None]:
        await served.start()
        async with served.running():
            yield

    application = make_sdk_application(served.flags, MirrorEndpoints(served, secret).table(), running)
    place = Place(port=0, origins=tuple(origins))
    with serving_in_thread(application, place, served.flags.news) as port:
        yield FlagMirror(port, _running=RunningMirror(port, secret, 0))


def _ignore(_line: str) -> None:
    """Report nothing: a test has no terminal."""


def _flag_mirror() -> Iterator[FlagMirror]:
    """Yield a mirror without flags; the test sets them."""
    with mirror() as flags:
        yield flags


def __getattr__(name: str) -> Any:
    """Make the fixture when it is imported: programs without pytest use `mirror` alone."""
    if name == "flag_mirror":
        return import_module("pytest").fixture(name=name)(_flag_mirror)
    raise AttributeError(name)
