"""Whether a flag's own fields would be accepted, beside its targeting."""

from collections.abc import Mapping

from flagtui.changes.flags.filter_rules import problems_in
from flagtui.models.flag import Flag
from flagtui.models.json_value import JSON
from flagtui.models.record_fields import FLAG_FIELDS


def problems_in_fields(fields: Mapping[str, JSON], flag: Flag | None = None) -> list[str]:
    """What is wrong with these new values, each as a sentence that names its place."""
    found: list[str] = []
    for name, value in fields.items():
        found += _targeting(value, flag) if name == "filters" else FLAG_FIELDS.problems({name: value})
    return found


def _targeting(filters: JSON, flag: Flag | None) -> list[str]:
    is_encrypted = flag is not None and flag.has_encrypted_payloads
    problems = problems_in(filters, flag.id if flag else None, is_new=flag is None, is_encrypted=is_encrypted)
    return [f"{'.'.join(filter(None, ('filters', problem.where)))} {problem.words}" for problem in problems]
