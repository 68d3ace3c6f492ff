"""The flags of the mirror: the last definitions with the overrides in place, as a source for programs."""

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Final

from flagtui.evaluate import wire
from flagtui.evaluate.definitions import Definitions
from flagtui.evaluate.run import Group, Person
from flagtui.mirror.overrides import Overrides
from flagtui.mirror.requests_seen import RequestSeen, RequestsSeen, requests_of
from flagtui.models.json_value import JSON, as_dict, as_list, as_text
from flagtui.service.clock import system_clock
from flagtui.service.news import News
from flagtui.service.responses import encode
from flagtui.service.sdk.flag_set import FlagRecord, FlagSet
from flagtui.service.sdk.sdk_call import EvaluationContext, Noted

EMPTY: Final[Mapping[str, JSON]] = {"flags": [], "group_type_mapping": {}, "cohorts": {}}


class MirroredFlags:
    """Definitions and overrides; every change of either is announced to programs that listen."""

    def __init__(self, document: Mapping[str, JSON] = EMPTY) -> None:
        self.news = News()
        self.seen = RequestsSeen()
        self.time_zone = "UTC"
        self._document = document
        self._overrides = Overrides()
        self._apply()

    @property
    def document(self) -> Mapping[str, JSON]:
        """Return the definitions as they came, without overrides."""
        return self._document

    @property
    def overrides(self) -> Overrides:
        """Return the overrides in effect."""
        return self._overrides

    @property
    def flag_count(self) -> int:
        """Return the number of flags in the definitions as they came."""
        return len(as_list(self._document.get("flags")))

    @property
    def local_keys(self) -> list[str]:
        """Return the overridden keys that the definitions do not have: flags of this machine alone."""
        existing = {as_text(as_dict(flag).get("key")) for flag in as_list(self._document.get("flags"))}
        return list(dict.fromkeys(each.key for each in self._overrides if each.key not in existing))

    @property
    def unknown_variants(self) -> list[str]:
        """Return the overrides with a variant that the definitions of the flag do not have."""
        named = [each for each in self._overrides if isinstance(each.value, str)]
        keys, flags = {each.key for each in named}, map(as_dict, as_list(self._document.get("flags")))
        variants = {
            key: wire.variant_keys(flag.get("filters"))
            for flag in flags
            if (key := as_text(flag.get("key"))) in keys
        }
        return [str(each) for each in named if each.value not in variants.get(each.key, (each.value,))]

    def replace(self, document: Mapping[str, JSON] | None = None, overrides: Overrides | None = None) -> None:
        """Serve other definitions or other overrides from now on."""
        before = self.definitions
        self._document = self._document if document is None else document
        self._overrides = self._overrides if overrides is None else overrides
        self._apply()
        if self.definitions != before:
            self.news.announce()

    def _apply(self) -> None:
        raw = self._overrides.apply(self._document)
        flags = [as_dict(flag) for flag in as_list(raw.get("flags"))]
        records = {record.key: record for record in map(FlagRecord.of, flags)}
        definitions = Definitions.of_document(raw, time_zone=self.time_zone)
        self._flag_set = FlagSet(definitions, records, overrides=self._overrides.values)
        self._raw = {str(flag.get("key")): flag for flag in flags}
        for_libraries = self._overrides.apply_for_libraries(self._document)
        self.definitions = encode({name: value for name, value in for_libraries.items() if name != "etag"})
        """The document that libraries evaluate, as JSON."""

    def admit(self, token: str) -> None:
        """Admit everyone on this machine: any token works."""

    def flag_set(self) -> FlagSet:
        """Return the flags as they are now."""
        return self._flag_set

    def person_of(self, context: EvaluationContext) -> Person:
        """Return the person with the values that the program sends; all others are unknown."""
        groups = {
            name: Group(key, context.group_properties.get(name, {})) for name, key in context.groups.items()
        }
        return Person(context.distinct_id, context.properties, groups, context.device_id, now=system_clock())

    def raw_flag(self, key: str) -> dict[str, Any] | None:
        """Return the definition of a flag, with overrides in place."""
        return self._raw.get(key)

    def requests_of(self, caller: str, noted: Sequence[Noted]) -> Sequence[RequestSeen]:
        """Return the counts of one response."""
        return [request for each in noted for request in requests_of(caller, each)]

    def count(self, requests: Sequence[Hashable]) -> None:
        """Count what a program requested."""
        self.seen.count(requests)

    def note_events(self, count: int) -> None:
        """Count events that are dropped."""
        self.seen.events += count
