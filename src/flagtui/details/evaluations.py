"""Evaluate flags for one user: by the server if it responds, else locally from the same data."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Final

import msgspec

from flagtui.evaluate.definitions import Definitions
from flagtui.evaluate.evaluation import Evaluation, Reason, RuleReason
from flagtui.evaluate.run import Group, Person
from flagtui.models.flag import Flag
from flagtui.models.flag_responses import EvaluatedFlag, Trial
from flagtui.models.json_value import JSON, read_json_text

HINT: Final = "distinct id   plan=pro   group:company=acme   group:company.plan=pro   device:ID   cohort:31"
LONGEST: Final = 2_000


class InvalidSubject(ValueError):
    """The line names no user; the message is the reason."""


class EvaluationSubject(msgspec.Struct, frozen=True):
    """A user to evaluate flags for."""

    distinct_id: str
    properties: Mapping[str, JSON] = {}
    """Override the properties that the server has stored."""
    groups: Mapping[str, str] = {}
    group_properties: Mapping[str, Mapping[str, JSON]] = {}
    device_id: str | None = None
    cohorts: frozenset[str] = frozenset()

    @property
    def is_hypothetical(self) -> bool:
        """Whether part of the subject is hypothetical, so that the server cannot evaluate it."""
        return bool(self.properties or self.group_properties or self.device_id or self.cohorts)

    def person(self, stored: Mapping[str, JSON], *, is_complete: bool) -> Person:
        """Return the user for the evaluator; typed properties override `stored`, the server's."""
        groups = {name: Group(key, self.group_properties.get(name, {})) for name, key in self.groups.items()}
        return Person(
            self.distinct_id,
            {**stored, **self.properties},
            groups,
            self.device_id,
            self.cohorts,
            is_complete=is_complete,
        )


def read_subject(line: str) -> EvaluationSubject | None:
    """Parse a line such as `u-1 plan=pro group:company=acme`; None for an empty line.

    Raises:
        InvalidSubject: The line is malformed.
    """
    try:
        words = shlex.split(line[:LONGEST])
    except ValueError:
        raise InvalidSubject("a quote is not closed") from None
    if not words:
        return None
    if not words[0].strip():
        raise InvalidSubject("the distinct id is empty")
    properties: dict[str, JSON] = {}
    groups: dict[str, str] = {}
    group_properties: dict[str, dict[str, JSON]] = {}
    device: str | None = None
    cohorts: set[str] = set()
    for word in words[1:]:
        kind, _, rest = word.partition(":")
        name, is_given, value = rest.partition("=")
        if kind == "device" and rest:
            device = rest
        elif kind == "cohort" and rest:
            cohorts.add(rest)
        elif kind == "group" and is_given and "." in name:
            group, _, key = name.partition(".")
            group_properties.setdefault(group, {})[key] = read_json_text(value)
        elif kind == "group" and is_given:
            groups[name] = value
        else:
            key, is_given, value = word.partition("=")
            if not is_given or not key:
                raise InvalidSubject(f"after the distinct id: key=value, not {word}")
            properties[key] = read_json_text(value)
    if missing := set(group_properties) - set(groups):
        raise InvalidSubject(f"which {min(missing)}? add group:{min(missing)}=its key")
    return EvaluationSubject(words[0], properties, groups, group_properties, device, frozenset(cohorts))


class PersonEvaluation(msgspec.Struct, frozen=True):
    """All flags evaluated for one user. The server's values win; local evaluation explains them."""

    subject: EvaluationSubject
    flag: Flag
    trial: Trial | None = None
    """The server's evaluation of this flag."""
    server_values: Mapping[str, EvaluatedFlag] = {}
    """The server's values of all flags."""
    local_values: Mapping[str, Evaluation] = {}
    """Local evaluations of all flags; empty without definitions."""
    definitions: Definitions | None = None
    refusals: tuple[str, ...] = ()
    """Why not reported by the server something, a sentence each."""
    by_library: Evaluation | None = None
    """This flag as a library with local evaluation evaluates it; it can disagree with the server."""
    before: PersonEvaluation | None = None
    """The current value, if this is the evaluation after a change set."""

    @property
    def here(self) -> Evaluation | None:
        """The local evaluation of this flag."""
        return self.local_values.get(self.flag.key)

    @property
    def by_server(self) -> Trial | None:
        """The server's evaluation; None for a hypothetical subject."""
        return None if self.subject.is_hypothetical else self.trial

    @property
    def is_from_server(self) -> bool:
        """Whether the value is the server's."""
        return self.by_server is not None

    @property
    def value(self) -> JSON:
        """True, false, a variant's key, any JSON for a flag with rules; None if not known."""
        if self.by_server is not None:
            return self._value_of_rules if self.flag.targeting.has_rules else self.by_server.result
        return self.here.value if self.here else None

    @property
    def _value_of_rules(self) -> JSON:
        """The server's value of rules, whose numbers and objects are `true` with a payload on the wire.

        Null and a failure are `false` there; a number or an object without its payload is not known.
        """
        trial = self.by_server
        if trial is None or self.flag.targeting.raw.get("return_type") in ("boolean", "string"):
            result = trial.result if trial else None
            is_null = result is False and self.flag.targeting.raw.get("return_type") == "string"
            return None if is_null else result
        has_payload = isinstance(trial.payload, str) and trial.result is True
        return read_json_text(trial.payload) if has_payload else None

    @property
    def condition_index(self) -> int | None:
        """The index, from 0, of the condition that decided or was nearest."""
        if self.by_server is not None and self.by_server.condition_index is not None:
            return self.by_server.condition_index
        return self.here.condition_index if self.here else None

    @property
    def reason(self) -> str:
        """The server's code of the reason."""
        if self.by_server is not None and self.by_server.reason:
            is_rule = self.flag.targeting.has_rules and self.by_server.reason == Reason.CONDITION_MATCH
            return RuleReason.TARGETING_MATCH if is_rule else self.by_server.reason
        return self.here.reason.value if self.here else "unknown"

    @property
    def payload(self) -> JSON:
        """The stored payload of the value."""
        if self.by_server is not None and self.by_server.payload is not None:
            return self.by_server.payload
        return self.flag.targeting.payloads.get("true" if self.value is True else str(self.value))

    def value_of(self, key: str) -> JSON:
        """Return any flag's value; None if not known."""
        if not self.subject.is_hypothetical and key in self.server_values:
            return self.server_values[key].value
        return self.local_values[key].value if key in self.local_values else None

    def is_known(self, key: str) -> bool:
        """Return whether a flag's value is known; a known one of rules can be None, the caller's default."""
        here = self.local_values.get(key)
        return self.value_of(key) is not None or (here is not None and here.is_known)
