"""Whether a flag is in use: the status word of a flag and the endpoint that explains it."""

import sqlite3
from collections.abc import Mapping
from datetime import datetime, timedelta

from flagtui.evaluate import wire
from flagtui.service.call import Call
from flagtui.service.clock import read_stamp, stamp
from flagtui.service.errors import Fault, Json
from flagtui.service.flags.rows import called_row, find_row
from flagtui.service.responses import Response, respond, value_of

STALE_AFTER = timedelta(days=30)


def stale_before(now: datetime) -> str:
    """Return the moment before which a last call makes a flag stale."""
    return stamp(now - STALE_AFTER)


def status_word(call: Call, row: sqlite3.Row, stale_limit: str) -> str:
    """Return the status in upper case, as flags have it. `stale_limit` is `stale_before` of the present."""
    if row["deleted"]:
        return "DELETED"
    if call.generation.is_older:
        return _older_word(row, stale_limit)
    if row["archived"]:
        return "ARCHIVED"
    if not row["active"]:
        return "ACTIVE"
    called = row["last_called_at"]
    if called is not None:
        return "STALE" if called < stale_limit else "ACTIVE"
    return "STALE" if is_for_everyone(row) and row["created_at"] < stale_limit else "ACTIVE"


def _older_word(row: sqlite3.Row, stale_limit: str) -> str:
    called, old = row["last_called_at"], row["created_at"] < stale_limit
    if (called is None and old) or (called is not None and called < stale_limit):
        return "INACTIVE"
    return "STALE" if row["active"] and old and is_for_everyone(row) else "ACTIVE"


def is_for_everyone(row: sqlite3.Row) -> bool:
    """Return whether everyone gets one value; False for rules, which are not analysed."""
    if not row["full_rollout"]:
        return False
    return '"version"' not in row["filters"] or wire.has_known_version(value_of(row["filters"]))


def flag_status(call: Call) -> Response:
    """Return the status in lower case, with the reason in words."""
    if call.generation.is_older:
        return _older_status(call)
    row = called_row(call, "viewer")
    limit = stale_before(call.now)
    word = status_word(call, row, limit)
    filters = value_of(row["filters"])
    reason, states_rollout = _reason(row, word, filters, call.now)
    return respond(
        {
            "status": word.lower(),
            "reason": reason,
            "reason_states_rollout": states_rollout,
            "rollout": describe_rollout(row, filters),
        }
    )


def _older_status(call: Call) -> Response:
    row = find_row(call.db, call.project.id, call.number("id"))
    if row is None:
        raise Fault(404, {"status": "unknown", "reason": "Flag could not be found"})
    word = status_word(call, row, stale_before(call.now))
    reasons = {
        "DELETED": "Flag has been deleted",
        "INACTIVE": "Flag has not been called recently",
        "STALE": _rollout_reason(value_of(row["filters"])),
    }
    return respond(
        {"status": word.lower(), "reason": reasons.get(word, "Flag is active and being evaluated")}
    )


def _reason(row: sqlite3.Row, word: str, filters: Mapping[str, Json], now: datetime) -> tuple[str, bool]:
    """Return the reason, and whether it also states how far the flag is rolled out."""
    if word in ("DELETED", "ARCHIVED"):
        return f"Flag has been {word.lower()}", False
    if not row["active"]:
        return "Flag is disabled (not evaluated for staleness)", False
    if row["last_called_at"] is not None:
        return _called_reason((now - read_stamp(row["last_called_at"])).days, word), False
    if word == "STALE":
        return _rollout_reason(filters), True
    return "Flag has no usage data yet", False


def _called_reason(days: int, word: str) -> str:
    if word == "STALE":
        return f"Flag has not been called in {days} days"
    if days < 1:
        return "Flag was called today"
    return f"Flag was last called {days} {'day' if days == 1 else 'days'} ago"


def _rollout_reason(filters: Mapping[str, Json]) -> str:
    variants = variants_of(filters)
    if not variants:
        return 'This boolean flag will always evaluate to "true"'
    forced = [group.get("variant") for group in groups_of(filters) if is_open(group) and group.get("variant")]
    whole = [variant.get("key") for variant in variants if variant.get("rollout_percentage") == 100]
    return f'This flag will always use the variant "{(forced + whole + [""])[0]}"'


def describe_rollout(row: sqlite3.Row, filters: Mapping[str, Json]) -> dict[str, Json]:
    groups = groups_of(filters)
    percentages = [percentage_of(group) for group in groups]
    highest = max(percentages, default=None)
    return {
        "effectively_full_rollout": is_for_everyone(row),
        "has_targeting_conditions": any(group.get("properties") for group in groups),
        "max_rollout_percentage": int(highest)
        if highest is not None and highest == int(highest)
        else highest,
        "is_multivariate": bool(variants_of(filters)),
    }


def percentage_of(group: Mapping[str, Json]) -> float:
    """Return the rollout percentage of a condition; missing means 100."""
    percentage = group.get("rollout_percentage")
    return percentage if isinstance(percentage, int | float) else 100


def is_open(group: Mapping[str, Json]) -> bool:
    """Return whether a condition matches everyone."""
    return group.get("rollout_percentage") == 100 and not group.get("properties")


def groups_of(filters: Mapping[str, Json] | None) -> list[dict[str, Json]]:
    """Return the valid conditions of stored filters."""
    return [group for group in wire.conditions(filters) if isinstance(group, dict)]


def variants_of(filters: Mapping[str, Json] | None) -> list[dict[str, Json]]:
    """Return the variants of stored filters; a flag without any is boolean."""
    return [variant for variant in wire.variants(filters) if isinstance(variant, dict)]
