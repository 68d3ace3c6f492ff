"""A mirror in this process, as the app and the pipeline reach it, and faults of the way to it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from flagtui.api.errors import ApiError
from flagtui.mirror.mirror import Mirror, MirroredProject
from flagtui.mirror.mirrored_flags import MirroredFlags
from flagtui.mirror.upstream import DocumentUpstream
from flagtui.models.mirror_state import MirrorState
from flagtui.models.override import Override, read_override
from flagtui.service.sdk.sdk_call import Noted


@dataclass
class OpenMirror:
    """What the app holds of a running mirror."""

    mirror: Mirror
    address: str = "http://127.0.0.1:8020"
    error: ApiError | None = None
    """Raised in place of every response."""
    loses_response: bool = False
    """Whether the next change is applied and its response lost, with `error`."""
    changes: list[str] = field(default_factory=list)

    async def read(self) -> MirrorState:
        if self.error is not None and not self.loses_response:
            raise self.error
        described = self.mirror.describe()
        return MirrorState.of({**described, "requested": self.mirror.flags.seen.describe()})

    async def set(self, override: Override) -> MirrorState:
        return await self._change(f"set {override}", override)

    async def unset(self, key: str, person: str | None) -> MirrorState:
        return await self._change(f"unset {key}{'' if person is None else f'@{person}'}", (key, person))

    async def _change(self, words: str, what: Any) -> MirrorState:
        if self.error is not None and not self.loses_response:
            raise self.error
        self.changes.append(words)
        if isinstance(what, Override):
            # As over the wire: written as text, and read again.
            self.mirror.set([read_override(str(what))])
        else:
            self.mirror.unset(*what)
        if self.loses_response and self.error is not None:
            error, self.error, self.loses_response = self.error, None, False
            raise error
        return await self.read()

    def request(self, *keys: str, times: int = 1) -> None:
        """Count requests of a program, for flags that exist or not."""
        for _ in range(times):
            noted = Noted((), list(keys))
            self.mirror.flags.count(self.mirror.flags.requests_of("a program", [noted]))


def open_mirror(*overrides: str, flags: Sequence[Mapping[str, Any]] = (), **fields: Any) -> OpenMirror:
    """A mirror of these flags with these overrides set."""
    served = MirroredFlags({"flags": list(flags)})
    project = MirroredProject("prod", "https://eu.posthog.com", "1")
    mirror = Mirror(
        DocumentUpstream("prod (https://eu.posthog.com, project 1)", {}),
        served,
        lambda _line: None,
        project=project,
        **fields,
    )
    mirror.set(map(read_override, overrides))
    return OpenMirror(mirror)
