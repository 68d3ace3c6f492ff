"""The flags that a program gets: those of its runtime, and of the evaluation contexts that it declares."""

import re
from collections.abc import Mapping
from typing import Final

import msgspec

from flagtui.evaluate import wire
from flagtui.service.errors import Json

RUNTIMES: Final = ("client", "server")
"""Flags of any other runtime are evaluated everywhere."""
_LIBRARY: Final = re.compile(
    r"posthog-(?:(?P<server>python|ruby|php|java|go|node|edge|dotnet|elixir|server)"
    r"|(?P<client>js|android|ios|react-native|flutter))/[^\s]"
)
_BROWSER: Final = re.compile(r"(?:Mozilla|Chrome|Safari|Firefox|Edge)/")
_SERVER: Final = re.compile(r"(?:python-requests|curl)/")
_BROWSER_HEADERS: Final = ("origin", "referer", "sec-fetch-mode", "sec-fetch-site")


SCOPE_FIELDS: Final = ("evaluation_runtime", "evaluation_contexts_match_mode")
"""Fields of a stored flag that decide, beside its contexts, which programs get it."""


class FlagScope(msgspec.Struct, frozen=True):
    """The programs that a flag is evaluated for."""

    runtime: str = "all"
    contexts: frozenset[str] = frozenset()
    needs_all_contexts: bool = False
    """Whether a program has to declare every context; otherwise any one is enough."""

    @classmethod
    def of(cls, raw: Mapping[str, Json]) -> "FlagScope":
        """Read it from a flag; malformed members count as absent."""
        # Older servers have the contexts under their first name.
        contexts = raw.get("evaluation_contexts", raw.get("evaluation_tags"))
        return cls(
            str(raw.get("evaluation_runtime") or "all").lower(),
            frozenset(map(str, wire.items(contexts))),
            raw.get("evaluation_contexts_match_mode") == "all",
        )


class ProgramScope(msgspec.Struct, frozen=True):
    """The runtime of a program, and the contexts that it declares.

    The runtime `all` has every flag, an unknown one (None) those that are evaluated everywhere.
    """

    runtime: str | None = "all"
    contexts: frozenset[str] = frozenset()

    def covers(self, flag: FlagScope) -> bool:
        """Return whether a flag of this scope is evaluated for the program."""
        if flag.runtime in RUNTIMES and self.runtime not in (flag.runtime, "all"):
            return False
        if not flag.contexts or not self.contexts:
            return True
        if flag.needs_all_contexts:
            return flag.contexts <= self.contexts
        return not flag.contexts.isdisjoint(self.contexts)


def runtime_of(headers: Mapping[str, str]) -> str | None:
    """Return the runtime that the product detects in the headers of a request."""
    agent = headers.get("user-agent", "")
    if agent.startswith("posthog-"):
        library = _LIBRARY.match(agent)
        if library is not None:
            return library.lastgroup
    elif _BROWSER.search(agent):
        return "client"
    elif _SERVER.search(agent):
        return "server"
    return "client" if any(name in headers for name in _BROWSER_HEADERS) else None


def read_scope(body: Mapping[str, Json], headers: Mapping[str, str]) -> ProgramScope:
    """Return what the body declares; without a runtime there, the one of the headers."""
    declared = body.get("evaluation_runtime")
    runtime = runtime_of(headers)
    if isinstance(declared, str):
        runtime = declared.lower() if declared.lower() in RUNTIMES else "all"
    named = body.get("evaluation_contexts", body.get("evaluation_environments"))
    names = named if isinstance(named, list) else ()
    return ProgramScope(runtime, frozenset(name for name in names if isinstance(name, str)))
