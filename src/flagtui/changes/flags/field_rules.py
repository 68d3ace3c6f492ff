"""Whether a flag's own fields would be accepted, beside its targeting."""

from collections.abc import Callable, Mapping
from typing import Final

from flagtui.changes.flags.filter_rules import problems_in
from flagtui.changes.flags.flag_refusals import is_plain_key
from flagtui.models.flag import Flag
from flagtui.models.json_value import JSON

TAG_LIMIT: Final = 255
CONTEXTS_LIMIT: Final = 50
RUNTIMES: Final = ("server", "client", "all")
BUCKETS: Final = ("distinct_id", "device_id")


def problems_in_fields(fields: Mapping[str, JSON], flag: Flag | None = None) -> list[str]:
    """What is wrong with these new values, each as a sentence that names its place."""
    found: list[str] = []
    for name, value in fields.items():
        if name == "filters":
            found += _targeting(value, flag)
        elif (check := _CHECKS.get(name)) and (words := check(value)):
            found.append(f"{name} {words}")
    return found


def _targeting(filters: JSON, flag: Flag | None) -> list[str]:
    is_encrypted = flag is not None and flag.has_encrypted_payloads
    problems = problems_in(filters, flag.id if flag else None, is_new=flag is None, is_encrypted=is_encrypted)
    return [f"{'.'.join(filter(None, ('filters', problem.where)))} {problem.words}" for problem in problems]


def _text(value: JSON) -> str:
    return "" if isinstance(value, str) else "must be text"


def _key(value: JSON) -> str:
    if isinstance(value, str) and is_plain_key(value):
        return ""
    return "must be 1 to 400 letters, digits, - and _, and nothing else"


def _switch(value: JSON) -> str:
    return "" if isinstance(value, bool) else "must be true or false"


def _switch_or_null(value: JSON) -> str:
    return "" if isinstance(value, bool | None) else "must be true, false or null"


def _tags(value: JSON) -> str:
    if not isinstance(value, list) or not all(isinstance(tag, str) for tag in value):
        return "must be a list of texts"
    if any(not tag.strip() or len(tag) > TAG_LIMIT for tag in value):
        return f"must have 1 to {TAG_LIMIT} characters each"
    return ""


def _contexts(value: JSON) -> str:
    if words := _tags(value):
        return words
    return f"must be {CONTEXTS_LIMIT} at most" if len(value) > CONTEXTS_LIMIT else ""


def _one_of(allowed: tuple[str, ...]) -> Callable[[JSON], str]:
    def check(value: JSON) -> str:
        return "" if value in (None, "", *allowed) else f"must be {', '.join(allowed)} or null"

    return check


_CHECKS: Final[Mapping[str, Callable[[JSON], str]]] = {
    "key": _key,
    "name": _text,
    "active": _switch,
    "archived": _switch,
    "tags": _tags,
    "evaluation_tags": _tags,
    "evaluation_contexts": _contexts,
    "evaluation_runtime": _one_of(RUNTIMES),
    "bucketing_identifier": _one_of(BUCKETS),
    "ensure_experience_continuity": _switch_or_null,
    "is_remote_configuration": _switch_or_null,
    "has_encrypted_payloads": _switch_or_null,
}
