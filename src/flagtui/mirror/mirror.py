"""The running mirror: polls its upstream, reloads its override file, and reports each trouble in one line."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Final

import msgspec

from flagtui.api.clock import Clock, SystemClock
from flagtui.local_time import ago
from flagtui.mirror.kept_definitions import Kept, KeptDefinitions
from flagtui.mirror.mirrored_flags import MirroredFlags
from flagtui.mirror.override_file import OverrideFile
from flagtui.mirror.overrides import Overrides
from flagtui.mirror.requests_seen import RecordFile
from flagtui.mirror.upstream import Upstream, UpstreamError
from flagtui.models.json_value import JSON, as_list
from flagtui.models.override import Override
from flagtui.text.formats import count

POLL_SECONDS: Final = 30.0
"""Between two requests for definitions."""
LOOK_SECONDS: Final = 0.5
"""Between two looks at the override file, and two writes of the record."""


class MirroredProject(msgspec.Struct, frozen=True):
    """The project whose flags are served, by which the app opens the same one."""

    profile: str
    origin: str
    project: str


class Mirror(msgspec.Struct):
    """One mirror; `report` gets a line for a person."""

    upstream: Upstream
    flags: MirroredFlags
    report: Callable[[str], None]
    file: OverrideFile | None = None
    record: RecordFile | None = None
    kept: KeptDefinitions | None = None
    project: MirroredProject | None = None
    """None for definitions that are not those of a profile."""
    clock: Clock = msgspec.field(default_factory=SystemClock)
    session: Overrides = msgspec.field(default_factory=Overrides)
    """Overrides of the command line and of `flagtui mirror set`; they win over those of the file."""
    trouble: str = ""
    """Why the definitions are not current; empty when they are."""
    fetched_at: float = 0.0
    """When the upstream last responded with these definitions, or their file was written, in Unix seconds."""

    async def start(self) -> None:
        """Fetch the definitions for the first time, or continue with those of an earlier run.

        Raises:
            UpstreamError: There are none, or the key may not read them.
        """
        try:
            document = await self.upstream.fetch()
            self.flags.time_zone = await self.upstream.time_zone()
            self._take(document)
        except UpstreamError as error:
            kept = self.kept.read() if self.kept is not None and error.is_passing else None
            if kept is None:
                raise
            self.flags.time_zone, self.fetched_at = kept.time_zone, kept.fetched_at
            self.flags.replace(kept.document)
            self._note_error(error)
        finally:
            # The mirror may serve in another event loop, where the connection opens again.
            await self.upstream.close()
        if self.file is not None:
            self._reload()
        self._apply()

    def _take(self, document: Mapping[str, JSON] | None) -> None:
        """Serve fetched definitions, and keep them for a start without a connection; None is unchanged."""
        self.fetched_at = self.clock.time() if self.upstream.as_of is None else self.upstream.as_of
        if document is not None:
            self.flags.replace(document)
            self._keep()

    def _keep(self) -> None:
        if self.kept is not None:
            self.kept.write(Kept(self.flags.document, self.fetched_at, self.flags.time_zone))

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Poll and watch files until the end of the block; then write the record and the definitions."""
        tasks = [asyncio.create_task(self._watch_files())]
        if self.upstream.is_polled:
            tasks.append(asyncio.create_task(self._poll()))
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            with suppress(asyncio.CancelledError):
                await asyncio.gather(*tasks)
            await self.upstream.close()
            self._write_record()
            # The upstream may have confirmed them since they were fetched.
            self._keep()

    async def _poll(self) -> None:
        while True:
            await self.clock.sleep(POLL_SECONDS)
            await self.refresh()

    async def _watch_files(self) -> None:
        while True:
            await self.clock.sleep(LOOK_SECONDS)
            self.look_at_files()

    def look_at_files(self) -> None:
        """Reload the override file if it was saved, and write the record if there are new requests."""
        if self.file is not None and self._reload():
            self._apply()
        self._write_record()

    async def refresh(self) -> None:
        """Fetch changed definitions; on trouble the last good ones stay."""
        try:
            document = await self.upstream.fetch()
        except UpstreamError as error:
            self._note_error(error)
            return
        if document is not None and not as_list(document.get("flags")) and self.flags.flag_count:
            had = count(self.flags.flag_count, "flag")
            self._note_trouble(f"{_EMPTY}, where it had {had}; restart the mirror if that is right.")
            return
        self._take(document)
        if self.trouble:
            self.trouble = ""
            self.report(
                f"upstream responds again; serving {count(self.flags.flag_count, 'flag')} as they are now"
            )

    def _note_error(self, error: UpstreamError) -> None:
        advice = f"Trying again every {POLL_SECONDS:.0f} s." if error.is_passing else error.advice
        self._note_trouble(f"{error.what} {advice}".rstrip())

    def _note_trouble(self, trouble: str) -> None:
        if trouble != self.trouble:
            self.trouble = trouble
            self.report(f"upstream: {trouble} Serving the definitions read {self.age}.")

    @property
    def age(self) -> str:
        """Return the age of the definitions: `2 min ago`."""
        return ago(self.fetched_at, self.clock.time())

    def set(self, overrides: Iterable[Override]) -> None:
        """Add overrides, or replace those for the same flag and person."""
        self.session = Overrides.of([*self.session, *overrides])
        self._apply()

    def unset(self, key: str, person: str | None = None) -> bool:
        """Remove an override that was set; return whether there was one."""
        rest = [each for each in self.session if (each.key, each.person) != (key, person)]
        is_set = len(rest) < len(self.session)
        self.session = Overrides.of(rest)
        self._apply()
        return is_set

    def clear(self) -> int:
        """Remove every override but those of the file; return how many."""
        removed = len(self.session)
        self.session = Overrides()
        self._apply()
        return removed

    @property
    def from_file(self) -> Overrides:
        """Return the overrides of the file that none of the session replaces."""
        own = [] if self.file is None else self.file.overrides
        return Overrides.of(each for each in own if (each.key, each.person) not in self.session.by_place)

    def describe(self) -> dict[str, JSON]:
        """Return the state of the mirror for `flagtui mirror list` and the app."""
        project = self.project or MirroredProject("", "", "")
        return {
            "upstream": self.upstream.name,
            "profile": project.profile,
            "origin": project.origin,
            "project": project.project,
            "is_recording": self.record is not None,
            "trouble": self.trouble,
            "fetched_at": self.fetched_at,
            "flags": self.flags.flag_count,
            "file": "" if self.file is None else str(self.file.path),
            "file_trouble": "" if self.file is None else self.file.trouble,
            "local_keys": self.flags.local_keys,
            "unknown_variants": self.flags.unknown_variants,
            "events_dropped": self.flags.seen.events,
            "overrides": [
                _describe(each, source)
                for source, overrides in (("set", self.session), ("file", self.from_file))
                for each in overrides
            ],
        }

    def _apply(self) -> None:
        from_file = [] if self.file is None else self.file.overrides
        self.flags.replace(overrides=Overrides.of([*from_file, *self.session]))

    def _reload(self) -> bool:
        assert self.file is not None
        is_changed = self.file.reload()
        if is_changed and self.file.trouble:
            kept = count(len(self.file.overrides), "override")
            self.report(f"{self.file.trouble}; keeping the last good {kept}")
        elif is_changed:
            self.report(f"{self.file.path}: {count(len(self.file.overrides), 'override')}")
        return is_changed

    def _write_record(self) -> None:
        if self.record is None:
            return
        before = self.record.trouble
        self.record.write(self.flags.seen)
        if self.record.trouble and self.record.trouble != before:
            self.report(self.record.trouble)


_EMPTY: Final = "the project has no flags now"


def _describe(override: Override, source: str) -> Mapping[str, JSON]:
    return {
        "key": override.key,
        "value": override.value_text,
        "person": override.person,
        "source": source,
        "text": str(override),
    }
