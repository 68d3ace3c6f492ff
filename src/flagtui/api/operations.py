"""Every operation once: method, path, scope, effect of sending it twice; and those a host does not offer."""

import re
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final, Literal, TypeVar
from urllib.parse import quote

import msgspec

from flagtui.api.errors import (
    ApiError,
    ApprovalNeeded,
    ClosedToKeys,
    Conflict,
    EndpointNotFound,
    Forbidden,
    Invalid,
    NotFound,
    NotOffered,
    Unanswered,
)
from flagtui.models.json_value import JSON

Effect = Literal["read", "same", "again"]
"""`read` changes nothing; `same` is idempotent; `again` would repeat the change."""

_ID: Final = re.compile(r"[A-Za-z0-9_@.-]{1,400}")


class Operation(msgspec.Struct, frozen=True):
    """One operation of the API."""

    name: str
    method: str
    path: str
    """Below the host; `{project}` and the ids in braces are filled in."""
    scope: str
    """The scope a key needs; empty where the product offers none to keys."""
    effect: Effect
    is_slow: bool = False
    """Whether the server computes it from events or users: its timeout is longer."""

    @property
    def is_write(self) -> bool:
        """Return whether the operation changes something."""
        return self.effect != "read"

    def at(self, **ids: int | str) -> str:
        """Return the path with the ids filled in, each quoted so that it stays one path segment."""
        steps = {name: str(value) for name, value in ids.items()}
        if not all(_ID.fullmatch(step) and set(step) != {"."} for step in steps.values()):
            raise Invalid("An id holds characters that do not belong in an address.")
        return self.path.format_map({name: quote(step, safe="@") for name, step in steps.items()})


_P: Final = "/api/projects/{project}"
_F: Final = f"{_P}/feature_flags"
_E: Final = f"{_P}/experiments"
_COHORT: Final = "create_exposure_cohort_for_experiment"
_D: Final = f"{_P}/event_definitions"


_Line = tuple[str, str, str, str, Effect]
"""Name, method, path, scope and effect."""


def _crud_lines(family: str, path: str, read: str, write: str) -> tuple[_Line, ...]:
    """Return the five operations of a small kind of record: list, create, get, update, delete."""
    return (
        (f"{family}.list", "GET", f"{path}/", read, "read"),
        (f"{family}.create", "POST", f"{path}/", write, "again"),
        (f"{family}.get", "GET", f"{path}/{{id}}/", read, "read"),
        (f"{family}.update", "PATCH", f"{path}/{{id}}/", write, "same"),
        (f"{family}.delete", "DELETE", f"{path}/{{id}}/", write, "same"),
    )


def _table(*lines: _Line) -> dict[str, Operation]:
    slow = {"flags.blast_radius", "flags.my_flags", "flags.local_evaluation", "flags.test_evaluation",
            "flags.evaluation_reasons", "experiments.timeseries", "experiments.query",
            "experiments.old_result"}  # fmt: skip
    return {
        name: Operation(name, method, path, scope, effect, name in slow)
        for name, method, path, scope, effect in lines
    }


_FR, _FW, _AL = "feature_flag:read", "feature_flag:write", "activity_log:read"
_ER, _EW = "experiment:read", "experiment:write"
_DR, _DW = "event_definition:read", "event_definition:write"

SEED: Final = _table(
    ("experiments.list", "GET", f"{_E}/", _ER, "read"),
    ("experiments.create", "POST", f"{_E}/", _EW, "again"),
    ("experiments.get", "GET", f"{_E}/{{id}}/", _ER, "read"),
    ("experiments.update", "PATCH", f"{_E}/{{id}}/", _EW, "same"),
    ("experiments.hard_delete", "DELETE", f"{_E}/{{id}}/", _EW, "same"),
    ("experiments.create_exposure_cohort", "POST", f"{_E}/{{id}}/{_COHORT}/", _EW, "same"),
    ("experiments.duplicate", "POST", f"{_E}/{{id}}/duplicate/", _EW, "again"),
    ("experiments.timeseries", "GET", f"{_E}/{{id}}/timeseries_results/", _ER, "read"),
    ("experiments.requires_flag_implementation", "GET", f"{_E}/requires_flag_implementation/", _ER, "read"),
    ("flags.list", "GET", f"{_F}/", _FR, "read"),
    ("flags.create", "POST", f"{_F}/", _FW, "again"),
    ("flags.get", "GET", f"{_F}/{{id}}/", _FR, "read"),
    ("flags.update", "PATCH", f"{_F}/{{id}}/", _FW, "same"),
    ("flags.hard_delete", "DELETE", f"{_F}/{{id}}/", _FW, "same"),
    ("flags.activity_of", "GET", f"{_F}/{{id}}/activity/", _AL, "read"),
    ("flags.create_static_cohort", "POST", f"{_F}/{{id}}/create_static_cohort_for_flag/", "", "again"),
    ("flags.dashboard", "POST", f"{_F}/{{id}}/dashboard/", "", "again"),
    ("flags.enrich_usage_dashboard", "POST", f"{_F}/{{id}}/enrich_usage_dashboard/", "", "same"),
    ("flags.remote_config", "GET", f"{_F}/{{id}}/remote_config/", _FR, "read"),
    ("flags.status", "GET", f"{_F}/{{id}}/status/", _FR, "read"),
    ("flags.activity", "GET", f"{_F}/activity/", _AL, "read"),
    ("flags.bulk_keys", "POST", f"{_F}/bulk_keys/", _FR, "read"),
    ("flags.evaluation_reasons", "GET", f"{_F}/evaluation_reasons/", _FR, "read"),
    ("flags.local_evaluation", "GET", f"{_F}/local_evaluation/", _FR, "read"),
    ("flags.my_flags", "GET", f"{_F}/my_flags/", _FR, "read"),
    ("flags.blast_radius", "POST", f"{_F}/user_blast_radius/", _FR, "read"),
    ("event_definitions.list", "GET", f"{_D}/", _DR, "read"),
    ("event_definitions.get", "GET", f"{_D}/{{id}}/", _DR, "read"),
    ("event_definitions.update", "PATCH", f"{_D}/{{id}}/", _DW, "same"),
    ("event_definitions.delete", "DELETE", f"{_D}/{{id}}/", _DW, "same"),
    ("event_definitions.metrics", "GET", f"{_D}/{{id}}/metrics/", "", "read"),
)  # fmt: skip
"""The operations that every server of recent years has."""

NEWER: Final = _table(
    ("flags.enable", "POST", f"{_F}/{{id}}/enable/", _FW, "same"),
    ("flags.disable", "POST", f"{_F}/{{id}}/disable/", _FW, "same"),
    ("flags.archive", "POST", f"{_F}/{{id}}/archive/", _FW, "same"),
    ("flags.unarchive", "POST", f"{_F}/{{id}}/unarchive/", _FW, "same"),
    ("flags.set_rollout", "POST", f"{_F}/{{id}}/set_release_condition_rollout/", _FW, "same"),
    ("flags.roll_out_to_everyone", "POST", f"{_F}/{{id}}/roll_out_to_everyone/", _FW, "same"),
    ("flags.dependents", "GET", f"{_F}/{{id}}/dependent_flags/", _FR, "read"),
    ("flags.matching_ids", "GET", f"{_F}/matching_ids/", _FR, "read"),
    ("flags.bulk_delete", "POST", f"{_F}/bulk_delete/", _FW, "same"),
    ("flags.bulk_update_tags", "POST", f"{_F}/bulk_update_tags/", _FW, "same"),
    ("flags.version", "GET", f"{_F}/{{id}}/versions/{{number}}/", _FR, "read"),
    ("flags.test_evaluation", "POST", f"{_F}/{{id}}/test_evaluation/", _FR, "read"),
    ("flags.definitions", "GET", "/flags/definitions", _FR, "read"),
    ("experiments.activity_of", "GET", f"{_E}/{{id}}/activity/", _AL, "read"),
    *_crud_lines("schedule", f"{_P}/scheduled_changes", _FR, _FW),
    ("flags.copy", "POST", "/api/organizations/{organization}/feature_flags/copy_flags/", _FW, "same"),
    ("experiments.launch", "POST", f"{_E}/{{id}}/launch/", _EW, "same"),
    ("experiments.pause", "POST", f"{_E}/{{id}}/pause/", _EW, "same"),
    ("experiments.resume", "POST", f"{_E}/{{id}}/resume/", _EW, "same"),
    ("experiments.end", "POST", f"{_E}/{{id}}/end/", _EW, "same"),
    ("experiments.archive", "POST", f"{_E}/{{id}}/archive/", _EW, "same"),
    ("experiments.unarchive", "POST", f"{_E}/{{id}}/unarchive/", _EW, "same"),
    ("experiments.reset", "POST", f"{_E}/{{id}}/reset/", _EW, "same"),
    ("experiments.ship_variant", "POST", f"{_E}/{{id}}/ship_variant/", _EW, "same"),
    ("experiments.freeze_exposure", "POST", f"{_E}/{{id}}/freeze_exposure/", _EW, "same"),
    ("experiments.unfreeze_exposure", "POST", f"{_E}/{{id}}/unfreeze_exposure/", _EW, "same"),
    ("experiments.copy_to_project", "POST", f"{_E}/{{id}}/copy_to_project/", _EW, "again"),
    ("experiments.recalculate_timeseries", "POST", f"{_E}/{{id}}/recalculate_timeseries/", _EW, "same"),
    ("experiments.recalculate", "POST", f"{_E}/{{id}}/metrics_recalculation/", _EW, "same"),
    ("experiments.latest_recalculation", "GET", f"{_E}/{{id}}/metrics_recalculation/latest/", _ER, "read"),
    ("experiments.recalculation", "GET", f"{_E}/{{id}}/metrics_recalculation/{{run}}/", _ER, "read"),
    ("experiments.old_result", "GET", f"{_E}/{{id}}/results/", _ER, "read"),
    ("experiments.eligible_flags", "GET", f"{_E}/eligible_feature_flags/", _FR, "read"),
    ("experiments.stats", "GET", f"{_E}/stats/", _ER, "read"),
    ("experiments.query", "POST", f"{_P}/query/", "query:read", "read"),
    ("experiments.query_status", "GET", f"{_P}/query/{{id}}/", "query:read", "read"),
    *_crud_lines("holdouts", f"{_P}/experiment_holdouts", _ER, _EW),
    *_crud_lines("saved_metrics", f"{_P}/experiment_saved_metrics", _ER, _EW),
    ("event_definitions.create", "POST", f"{_D}/", _DW, "again"),
    ("event_definitions.by_name", "GET", f"{_D}/by_name/", _DR, "read"),
    ("event_definitions.primary_properties", "GET", f"{_D}/primary_properties/", _DR, "read"),
    ("event_definitions.bulk_update_tags", "POST", f"{_D}/bulk_update_tags/", _DW, "same"),
    ("event_definitions.bulk_update_verified", "POST", f"{_D}/bulk_update_verified/", _DW, "same"),
    ("event_definitions.code", "GET", f"{_D}/{{language}}/", _DR, "read"),
    ("change_requests.get", "GET", f"{_P}/change_requests/{{id}}/", "approvals:read", "read"),
    ("cohorts.list", "GET", f"{_P}/cohorts/", "cohort:read", "read"),
    ("properties.list", "GET", f"{_P}/property_definitions/", "property_definition:read", "read"),
    ("properties.person_values", "GET", f"{_P}/persons/values/", "person:read", "read"),
    ("properties.group_values", "GET", f"{_P}/groups/property_values/", "group:read", "read"),
    ("projects.list", "GET", "/api/projects/", "project:read", "read"),
    ("projects.get", "GET", f"{_P}/", "project:read", "read"),
    ("people.me", "GET", "/api/users/@me/", "user:read", "read"),
    ("people.key", "GET", "/api/personal_api_keys/@current/", "", "read"),
)  # fmt: skip
"""Newer operations, and those around the records; a server may lack any of them."""

OPERATIONS: Final = SEED | NEWER


_ALWAYS_ASKED: Final = frozenset(
    {"list", "get", "create", "update", "delete", "hard_delete", "me", "key", "code"}
)
"""Second halves of the names of operations whose refusals are not remembered.

Every server has them; of generated code it may have some languages only.
"""

_TOGETHER: Final = (frozenset({"flags.set_rollout", "flags.roll_out_to_everyone"}),)
"""Operations that were added to servers in one version: a server that lacks one lacks them all."""

NOT_HERE: Final = (EndpointNotFound, ClosedToKeys, NotOffered)
"""Errors of servers too old for an operation, or that offer it to browsers only. Nothing was changed."""


@contextmanager
def after_write() -> Iterator[None]:
    """Report each error as a missing response: an earlier request of the same change was carried out.

    Taken for a refusal, it would mean that nothing was changed, and that the change can be sent again.
    """
    try:
        yield
    except ApiError as error:
        now = "A part of the change was made; whether all of it was is not known."
        raise Unanswered(error.what, now=now, facts=error.facts) from error


class Capabilities(msgspec.Struct, eq=False):
    """Operations that this host refused: closed to keys, or unknown to this version."""

    _missing: dict[str, ApiError] = {}

    def why_not(self, name: str) -> str:
        """Return why this host does not offer an operation; empty while it may work."""
        error = self._missing.get(name)
        return error.what if error else ""

    def check(self, operation: Operation) -> None:
        """Raise the remembered error of the operation without sending a request."""
        error = self._missing.get(operation.name)
        if error:
            raise type(error)(error.what, now=error.now, next=error.next, facts=error.facts)

    def remember(self, operation: Operation, error: ApiError) -> None:
        """Remember an error that will not change while this server runs."""
        if operation.name.partition(".")[2] in _ALWAYS_ASKED:
            return
        of_the_server = isinstance(error, EndpointNotFound | NotOffered) and error.code
        if of_the_server or isinstance(error, ClosedToKeys):
            for name in next((names for names in _TOGETHER if operation.name in names), {operation.name}):
                self._missing[name] = error

    def forget(self) -> None:
        """Forget every refusal, after an update of the server or a change of the key."""
        self._missing.clear()


Id = TypeVar("Id", int, str)
ChangedT = TypeVar("ChangedT")

_OF_ONE: Final = (Invalid, Forbidden, NotFound, Conflict, ApprovalNeeded)
"""Errors that concern one record only."""


async def one_by_one(
    ids: Sequence[Id], change: Callable[[Id], Awaitable[ChangedT]]
) -> tuple[list[ChangedT], list[dict[str, JSON]]]:
    """Return the changed records, and `id` and `reason` of each failed one. A connection error stops it."""
    changed: list[ChangedT] = []
    errors: list[dict[str, JSON]] = []
    for place, id in enumerate(ids):
        try:
            changed.append(await change(id))
        except _OF_ONE as refused:
            errors.append({"id": id, "reason": refused.what})
        except ApiError as fault:
            # A connection error would stop the remaining records too.
            is_sent = fault.sent and fault.facts.is_write
            errors.append({"id": id, "reason": f"{fault.what} {fault.now}", "is_sent": is_sent})
            errors += [{"id": left, "reason": "Not tried."} for left in ids[place + 1 :]]
            break
    return changed, errors


def edit_tags(tags: Sequence[str], action: str, given: Sequence[str]) -> list[str]:
    """Return the tags after `add`, `remove` or `set`, as servers store them: trimmed, lower case, unique."""
    given_tags = [tag.strip().lower() for tag in given]
    match action:
        case "add":
            result = [*tags, *given_tags]
        case "remove":
            result = [tag for tag in tags if tag not in given_tags]
        case _:
            result = given_tags
    return list(dict.fromkeys(result))
