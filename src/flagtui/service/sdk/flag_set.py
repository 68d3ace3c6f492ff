"""The flags of one project at one moment, and the results of evaluating them for one person."""

from collections.abc import Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from flagtui.evaluate import wire
from flagtui.evaluate.definitions import Definitions
from flagtui.evaluate.evaluation import Evaluation, Reason, Unknown, Why
from flagtui.evaluate.explanation import describe_unknown
from flagtui.evaluate.flags import evaluate_all
from flagtui.evaluate.run import Person
from flagtui.service.errors import Json
from flagtui.service.evaluation.reasons import describe_reason
from flagtui.service.evaluation.rules import describe_rules
from flagtui.service.responses import text_of
from flagtui.service.sdk.program_scope import FlagScope, ProgramScope

FAILED: Final = "error"
"""The reason of a flag that was not evaluated."""
OVERRIDE: Final = "override"
"""The reason of a value that is set on this machine."""


class FlagRecord(msgspec.Struct, frozen=True):
    """The fields of a flag that responses show to every caller."""

    key: str
    id: int = 0
    version: int = 1
    description: str = ""
    has_experiment: bool = False
    is_active: bool = True
    is_remote_configuration: bool = False
    has_encrypted_payloads: bool = False
    """Its payloads are shown to no program here."""
    has_rules: bool = False
    """Its configuration is version 2."""
    has_variants: bool = False
    scope: FlagScope = FlagScope()

    @classmethod
    def of(cls, raw: Mapping[str, Json]) -> "FlagRecord":
        """Read a stored flag or one of a definitions document; malformed members count as absent."""
        filters = wire.mapping(raw.get("filters"))
        return cls(
            key=str(raw.get("key", "")),
            id=_whole(raw.get("id"), 0),
            version=_whole(raw.get("version"), 1),
            description=name if isinstance(name := raw.get("name"), str) else "",
            has_experiment=raw.get("has_experiment") is True,
            is_active=bool(raw.get("active")),
            is_remote_configuration=bool(raw.get("is_remote_configuration")),
            has_encrypted_payloads=bool(raw.get("has_encrypted_payloads")),
            has_rules=filters.get("version") == 2,
            has_variants=bool(wire.mapping(filters.get("multivariate")).get("variants")),
            scope=FlagScope.of(raw),
        )


def _whole(value: Json, default: int) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else default


class FlagResult(msgspec.Struct, frozen=True):
    """One flag for one person."""

    record: FlagRecord
    value: Any
    """True, false or a variant; with rules, any JSON. None is the caller's own default."""
    code: str
    description: str
    condition_index: int | None = None
    payload: str | None = None
    """JSON text."""
    problem: str = ""
    """Why the flag was not evaluated; empty when it was."""
    rule_id: str | None = None
    rule_type: str | None = None
    outcome: Hashable = None
    """Equal for equal results of one flag set; None where results are not kept."""

    @property
    def is_typed(self) -> bool:
        """Return whether the value is a number or an object, which older responses show as a payload."""
        return self.value is not None and not isinstance(self.value, bool | str)

    @property
    def is_on(self) -> bool:
        """Return what `enabled` of older responses is: also true for 0 and an empty object."""
        return self.value is not False and self.value is not None


@dataclass(frozen=True)
class FlagSet:
    """The flags of a project at one moment."""

    definitions: Definitions
    records: Mapping[str, FlagRecord] = field(default_factory=dict)
    """By key, without deleted flags."""
    serves_rules: bool = True
    """Evaluate flags of configuration version 2, and respond with their records to callers that know them."""
    overrides: Mapping[str, Mapping[str | None, Any]] = field(default_factory=dict)
    """By flag key and person, values that are set on this machine; the person None is everyone."""
    _results: dict[Hashable, FlagResult] = field(default_factory=dict, init=False)
    """By outcome: a flag has few results, however many people request it."""
    encoded: dict[Hashable, msgspec.Raw] = field(default_factory=dict, init=False)
    """By outcome, the JSON text of results, kept by the protocol that writes it."""

    def outside(self, scope: ProgramScope) -> frozenset[str]:
        return frozenset(key for key, record in self.records.items() if not scope.covers(record.scope))

    def evaluate(
        self, person: Person, keys: Iterable[str] | None = None, outside: Collection[str] = ()
    ) -> list[FlagResult]:
        """Return the results of these flags, or of all; keys that do not exist or are outside are skipped.

        Overrides reach every program.
        """
        values = self._values_for(person)
        requested = self.records if keys is None else [key for key in keys if key in self.records]
        existing = [key for key in requested if key in values or key not in outside]
        # Dependents of an overridden flag follow it; to those of a flag that is outside, it is off.
        decided = {
            key: _decide(key, values.get(key, False))
            for key in self._dependencies
            if key in values or key in outside
        }
        evaluated = [key for key in existing if key not in values and not self._is_refused(key)]
        evaluations = evaluate_all(person, self.definitions, evaluated, decided=decided)
        return [
            self._overridden(self.records[key], values[key])
            if key in values
            else self._result(evaluations[key])
            if key in evaluations
            else _refuse(self.records[key])
            for key in existing
        ]

    @cached_property
    def _dependencies(self) -> frozenset[str]:
        """Return the keys of the flags that others depend on, also through cohorts: few of all flags."""
        filters = (
            filter
            for flag in self.definitions.flags.values()
            for condition in flag.conditions
            for filter in condition.filters
            if filter.kind == "flag"
        )
        steps = {step for filter in filters for step in (filter.key, *(filter.chain or ()))}
        in_cohorts = wire.questions([*self.definitions.cohorts.values()], "flag")
        return frozenset(steps.union(str(question.get("key")) for question in in_cohorts))

    def _values_for(self, person: Person) -> dict[str, Any]:
        """Return the overrides that count for a person; their own win over those for everyone."""
        return {
            key: by_person[name]
            for key, by_person in self.overrides.items()
            if (name := person.distinct_id if person.distinct_id in by_person else None) in by_person
        }

    def _is_refused(self, key: str) -> bool:
        record = self.records[key]
        return record.has_rules and not self.serves_rules and record.is_active

    def _result(self, evaluation: Evaluation) -> FlagResult:
        if evaluation.rules is not None or evaluation.unknown is not None:
            return _result(self.records[evaluation.key], evaluation)
        outcome = (evaluation.key, evaluation.value, evaluation.reason, evaluation.condition_index)
        result = self._results.get(outcome)
        if result is None:
            result = replace(_result(self.records[evaluation.key], evaluation), outcome=outcome)
            self._results[outcome] = result
        return result

    def _overridden(self, record: FlagRecord, value: Any) -> FlagResult:
        payload = None
        if value is True or isinstance(value, str):
            stored = self.definitions.flags[record.key].payloads.get("true" if value is True else value)
            payload = _payload_text(record, stored)
        return FlagResult(record, value, OVERRIDE, "Override on this machine", payload=payload)


def _refuse(record: FlagRecord) -> FlagResult:
    description = describe_unknown(Unknown(Why.CONFIGURATION_NEWER, record.key))
    return FlagResult(record, None, FAILED, description, problem=description)


def _decide(key: str, value: Any) -> Evaluation:
    is_plain = isinstance(value, bool | str)
    return Evaluation(key, value if is_plain else True, Reason.CONDITION_MATCH)


def _result(record: FlagRecord, evaluation: Evaluation) -> FlagResult:
    problem = evaluation.unknown or (evaluation.problem if evaluation.rules else None)
    if problem is not None:
        return FlagResult(record, None, FAILED, description := describe_unknown(problem), problem=description)
    if (rules := evaluation.rules) is not None:
        return FlagResult(
            record,
            rules.value,
            rules.reason.value,
            describe_rules(rules),
            rules.rule_index,
            rule_id=rules.rule_id,
            rule_type=rules.rule_type,
        )
    return FlagResult(
        record,
        evaluation.value,
        evaluation.reason.value,
        describe_reason(evaluation),
        evaluation.condition_index,
        _payload_text(record, evaluation.payload) if evaluation.value else None,
    )


def _payload_text(record: FlagRecord, payload: Json) -> str | None:
    if payload is None or record.has_encrypted_payloads:
        return None
    return payload if isinstance(payload, str) else text_of(payload)
