"""The state of a running mirror: overrides, problems, and requests of programs."""

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Final

import msgspec

from flagtui.models.json_value import JSON, as_dict, as_list, as_number, as_text
from flagtui.models.override import InvalidOverride, Override, read_override

MISSING: Final = "flag_not_found"
"""The reason of a request for a key without a flag."""
ELSEWHERE: Final = "other_runtime_or_context"
"""The reason of a request by a program that the flag is not evaluated for."""


class SetOverride(msgspec.Struct, frozen=True):
    """An override in effect."""

    override: Override
    is_in_file: bool = False
    """Whether `overrides.toml` sets it, rather than a command or the app."""


class Requested(msgspec.Struct, frozen=True):
    """Equal requests of programs for one flag."""

    key: str
    value: JSON
    reason: str
    count: int


class MirrorState(msgspec.Struct, frozen=True):
    """One response of a mirror. All texts are raw."""

    upstream: str = ""
    """For a line: `production (https://eu.posthog.com, project 1)`."""
    profile: str = ""
    origin: str = ""
    project: str = ""
    trouble: str = ""
    """Why the definitions are not current; empty when they are."""
    file: str = ""
    file_trouble: str = ""
    """Why the override file as it is now is not used."""
    is_recording: bool = False
    overrides: tuple[SetOverride, ...] = ()
    requests: tuple[Requested, ...] = ()

    @classmethod
    def of(cls, values: Mapping[str, JSON]) -> "MirrorState":
        """Read a response; overrides of a newer form are skipped."""
        texts = ("upstream", "profile", "origin", "project", "trouble", "file", "file_trouble")
        return cls(
            **{name: as_text(values.get(name)) for name in texts},
            is_recording=values.get("is_recording") is True,
            overrides=tuple(_overrides_in(as_list(values.get("overrides")))),
            requests=tuple(map(_request_of, map(as_dict, as_list(values.get("requested"))))),
        )

    def overrides_of(self, key: str) -> Sequence[SetOverride]:
        """Return the overrides of a flag, that for everyone first."""
        own = [each for each in self.overrides if each.override.key == key]
        return sorted(own, key=lambda each: each.override.person is not None)

    def override_at(self, key: str, person: str | None = None) -> SetOverride | None:
        """Return the override for everyone, or for one person."""
        own = self.overrides_of(key)
        return next((each for each in own if each.override.person == person), None)

    def requests_of(self, key: str) -> Sequence[Requested]:
        """Return the requests of a flag, the most frequent first."""
        own = [each for each in self.requests if each.key == key]
        return sorted(own, key=lambda each: -each.count)

    @property
    def missing_keys(self) -> Mapping[str, int]:
        """Return how often each key without a flag was requested, the most frequent first."""
        counts: Counter[str] = Counter()
        for each in self.requests:
            if each.reason == MISSING:
                counts[each.key] += each.count
        return dict(counts.most_common())


def _overrides_in(values: Sequence[JSON]) -> Sequence[SetOverride]:
    overrides = []
    for value in map(as_dict, values):
        with suppress(InvalidOverride):
            override = read_override(as_text(value.get("text")))
            overrides.append(SetOverride(override, value.get("source") == "file"))
    return overrides


def _request_of(values: Mapping[str, JSON]) -> Requested:
    count = int(as_number(values.get("count")) or 0)
    return Requested(as_text(values.get("key")), values.get("value"), as_text(values.get("reason")), count)
