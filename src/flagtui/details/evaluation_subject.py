"""A line that names an evaluation subject: a distinct id, and what else is taken as true of it."""

import json
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from flagtui.evaluate.run import Group, Person
from flagtui.models.json_value import JSON

HINT: Final = "distinct id   plan=pro   group:company=acme   group:company.plan=pro   device:ID   cohort:31"
LONGEST: Final = 2_000


class Misread(ValueError):
    """The line names nobody; the text says why."""


@dataclass(frozen=True)
class EvaluationSubject:
    """A person to evaluate flags for."""

    distinct_id: str
    properties: Mapping[str, JSON] = field(default_factory=dict)
    """Taken as true whatever the server knows."""
    groups: Mapping[str, str] = field(default_factory=dict)
    group_properties: Mapping[str, Mapping[str, JSON]] = field(default_factory=dict)
    device_id: str | None = None
    cohorts: frozenset[str] = frozenset()

    @property
    def is_supposed(self) -> bool:
        """True when the server cannot be asked, since part of the subject is supposed."""
        return bool(self.properties or self.group_properties or self.device_id or self.cohorts)

    def person(self, known: Mapping[str, JSON], *, is_complete: bool) -> Person:
        """For the evaluator, with what the server knows of them below what was typed."""
        groups = {name: Group(key, self.group_properties.get(name, {})) for name, key in self.groups.items()}
        return Person(
            self.distinct_id,
            {**known, **self.properties},
            groups,
            self.device_id,
            self.cohorts,
            is_complete=is_complete,
        )


def read_subject(line: str) -> EvaluationSubject | None:
    """The subject the line names, None for an empty one. Raises Misread."""
    try:
        words = shlex.split(line[:LONGEST])
    except ValueError:
        raise Misread("a quote is not closed") from None
    if not words:
        return None
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
            group_properties.setdefault(group, {})[key] = read_value(value)
        elif kind == "group" and is_given:
            groups[name] = value
        else:
            key, is_given, value = word.partition("=")
            if not is_given or not key:
                raise Misread(f"after the distinct id: key=value, not {word}")
            properties[key] = read_value(value)
    if missing := set(group_properties) - set(groups):
        raise Misread(f"which {min(missing)}? add group:{min(missing)}=its key")
    return EvaluationSubject(words[0], properties, groups, group_properties, device, frozenset(cohorts))


def read_value(text: str) -> JSON:
    """`true`, `3` and `[1]` as JSON, everything else as text."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text
