"""Authentication and limits: from the Authorization header to a caller and a project."""

import hashlib
import hmac
import math
import re
import sqlite3
import threading
from collections import deque
from collections.abc import Mapping
from datetime import datetime

from msgspec.structs import replace

from flagtui.service.bodies import read_id
from flagtui.service.call import Call, Caller, Project
from flagtui.service.database import fetch, find
from flagtui.service.errors import (
    authentication_failed,
    closed_to_keys,
    forbidden,
    missing_scope,
    not_authenticated,
    not_found,
    throttle_fault,
)
from flagtui.service.operations import Operation
from flagtui.service.responses import value_of
from flagtui.service.settings import Settings

_MINUTE = 60.0
"""Seconds in which requests of a key are counted."""
ADMINISTRATOR = 8
ANONYMOUS = Caller()
_BEARER = re.compile(r"Bearer\s+(\S+)\s*")
_ONLY_PROJECTS = "API keys with scoped projects are only supported on project-based endpoints."

_FIND_KEY = """
    SELECT k.id AS key_id, k.hash, k.scopes, k.scoped_teams, k.scoped_organizations, u.*
    FROM api_keys AS k JOIN users AS u ON u.id = k.user_id WHERE k.hash = ? AND u.is_active = 1"""

_FIND_PROJECT = """
    SELECT p.*, o.name AS organization_name, o.members_can_use_keys, m.level,
        EXISTS (SELECT 1 FROM project_members AS x WHERE x.project_id = p.id AND x.user_id = :user) AS listed
    FROM projects AS p JOIN organizations AS o ON o.id = p.organization_id
    LEFT JOIN organization_members AS m ON m.organization_id = p.organization_id AND m.user_id = :user
    WHERE p.id = :project"""


def hash_key(key: str) -> str:
    """Return the stored hash of a key. A key has over 200 random bits, so one round is enough."""
    return "sha256$" + hashlib.sha256(key.encode()).hexdigest()


def bearer(authorization: str | None) -> str:
    """Return the secret of the header; the word is case-sensitive, spaces around the secret are tolerated."""
    match = _BEARER.fullmatch(authorization or "")
    if match is None:
        raise not_authenticated()
    return match[1]


def identify(db: sqlite3.Connection, authorization: str | None) -> Caller:
    """Return the owner of the key in the header; 401 for none, an unknown one, or an inactive owner."""
    caller = owner_of(db, bearer(authorization))
    if caller is None:
        raise authentication_failed()
    return caller


def owner_of(db: sqlite3.Connection, secret: str) -> Caller | None:
    """Return the owner of a key; None for an unknown key, or an inactive owner."""
    hashed = hash_key(secret)
    if secret.startswith("phs_"):
        return _project_caller(db, hashed)
    row = db.execute(_FIND_KEY, (hashed,)).fetchone()
    if row is None or not hmac.compare_digest(row["hash"], hashed):
        return None
    return replace(
        caller_of(row),
        key_id=row["key_id"],
        scopes=frozenset(value_of(row["scopes"])),
        teams=frozenset(value_of(row["scoped_teams"])),
        organizations=frozenset(value_of(row["scoped_organizations"])),
    )


def caller_of(user: sqlite3.Row) -> Caller:
    """Return a user without a key."""
    places = ("id", "distinct_id", "current_project_id")
    return Caller(*(user[name] for name in places))


def user_with_all_scopes(db: sqlite3.Connection, user_id: int | None) -> Caller:
    """Return the user in whose name the service makes a change later; anonymous if the user is gone."""
    user = find(db, "users", id=user_id)
    return ANONYMOUS if user is None else replace(caller_of(user), scopes=frozenset("*"))


def _project_caller(db: sqlite3.Connection, hashed: str) -> Caller | None:
    row = find(db, "projects", secret_hash=hashed)
    if row is None or not hmac.compare_digest(row["secret_hash"], hashed):
        return None
    return replace(
        ANONYMOUS,
        key_id=hashed,
        current_project_id=row["id"],
        scopes=frozenset(("feature_flag:read",)),
        teams=frozenset((row["id"],)),
        is_project=True,
    )


def admit(
    db: sqlite3.Connection,
    caller: Caller,
    operation: Operation,
    params: Mapping[str, str],
    settings: Settings,
) -> Project | None:
    """Check access in the order of the product, up to the record; return the project of the path."""
    is_closed = operation.closed or operation.name in settings.generation.closed_operations
    if settings.strict and is_closed:
        raise closed_to_keys()
    if caller.is_project and not operation.project_secret:
        raise forbidden("This action does not support project secret API key access")
    if "project_id" in params:
        return _admit_to_project(db, caller, params["project_id"], operation)
    _admit_outside(db, caller, params, operation)
    return None


def _admit_to_project(db: sqlite3.Connection, caller: Caller, name: str, operation: Operation) -> Project:
    row = _find_project(db, caller, name)
    _check_ban(row, row["organization_name"])
    _check_organization(caller, row["organization_id"])
    if caller.teams and row["id"] not in caller.teams:
        raise forbidden(f"API key does not have access to the requested project: ID {row['id']}.")
    _check_scope(caller, operation)
    if not caller.is_project and not is_member(row):
        raise forbidden("You don't have access to the project.")
    return project_from(row)


def open_project(db: sqlite3.Connection, caller: Caller, project_id: int) -> Project | None:
    """Return a project other than that of the path, if the caller and the key may go there too."""
    row = db.execute(_FIND_PROJECT, {"user": caller.user_id, "project": project_id}).fetchone()
    if row is None or not is_member(row) or (caller.teams and row["id"] not in caller.teams):
        return None
    return project_from(row)


def project_of(db: sqlite3.Connection, project_id: int) -> Project:
    """Return a project that is known to exist, with no question asked."""
    return project_from(fetch(db, "projects", project_id))


def project_from(row: sqlite3.Row) -> Project:
    return Project(
        id=row["id"],
        organization_id=row["organization_id"],
        settings=value_of(row["settings"]),
        replay_flag_id=row["replay_flag_id"],
    )


def _find_project(db: sqlite3.Connection, caller: Caller, name: str) -> sqlite3.Row:
    number = caller.current_project_id if name == "@current" else read_id(name)
    match = None
    if number is not None:
        match = db.execute(_FIND_PROJECT, {"user": caller.user_id, "project": number}).fetchone()
    if match is None:
        raise not_found("Project not found.")
    row: sqlite3.Row = match
    return row


def with_named_project(db: sqlite3.Connection, params: Mapping[str, str], token: str) -> Mapping[str, str]:
    """Return the parts of the path, `@current` replaced by the project whose public token the query names."""
    if params.get("project_id") != "@current" or not token.startswith("phc_"):
        return params
    row = find(db, "projects", api_token=token)
    return params if row is None else {**params, "project_id": str(row["id"])}


def is_member(row: sqlite3.Row) -> bool:
    """Return whether the user whose `level` and `listed` a project row carries may see the project."""
    if row["level"] is None:
        return False
    return not row["is_private"] or row["level"] >= ADMINISTRATOR or bool(row["listed"])


def _check_ban(row: sqlite3.Row, organization: str) -> None:
    """Raise for a member of an organization that lets administrators alone use keys."""
    if not row["members_can_use_keys"] and row["level"] is not None and row["level"] < ADMINISTRATOR:
        raise forbidden(
            f"Organization '{organization}' does not allow using personal API keys. "
            "Contact an admin to enable personal API keys for this organization."
        )


def _check_organization(caller: Caller, organization_id: str) -> None:
    if caller.organizations and organization_id not in caller.organizations:
        detail = f"API key does not have access to the requested organization: ID {organization_id}."
        raise forbidden(detail)


def _check_scope(caller: Caller, operation: Operation) -> None:
    if operation.scope is not None and not caller.may(operation.scope):
        raise missing_scope(operation.scope)


def _admit_outside(
    db: sqlite3.Connection, caller: Caller, params: Mapping[str, str], operation: Operation
) -> None:
    if caller.teams and not operation.unconfined:
        raise forbidden(_ONLY_PROJECTS)
    if "organization_id" not in params:
        _check_scope(caller, operation)
        return
    organization = find_organization(db, caller, params["organization_id"])
    _check_ban(organization, organization["name"])
    _check_organization(caller, organization["id"])
    _check_scope(caller, operation)
    if organization["level"] is None:
        raise not_found()


def find_organization(db: sqlite3.Connection, caller: Caller, name: str) -> sqlite3.Row:
    """Return an organization by UUID, or the one of the caller's current project.

    `level` is null for strangers.
    """
    organization_id = name
    if name == "@current":
        row = find(db, "projects", id=caller.current_project_id)
        organization_id = row["organization_id"] if row else ""
    match = db.execute(
        "SELECT o.*, m.level FROM organizations AS o LEFT JOIN organization_members AS m"
        " ON m.organization_id = o.id AND m.user_id = ? WHERE o.id = ?",
        (caller.user_id, organization_id),
    ).fetchone()
    if match is None:
        raise not_found()
    organization: sqlite3.Row = match
    return organization


def called_organization(call: Call) -> sqlite3.Row:
    return find_organization(call.db, call.caller, call.params["organization_id"])


class Throttle:
    """`limit` requests a minute for each key; None lets all through."""

    def __init__(self, limit: int | None) -> None:
        self._limit = limit
        self._seen: dict[str, deque[float]] = {}
        self._gate = threading.Lock()

    def count(self, key_id: str, now: datetime) -> None:
        """Raise 429 with the wait when the key has used up its minute; a refused request does not count."""
        if self._limit is None:
            return
        moment = now.timestamp()
        with self._gate:
            seen = self._seen.setdefault(key_id, deque())
            while seen and seen[0] <= moment - _MINUTE:
                seen.popleft()
            if len(seen) >= self._limit:
                raise throttle_fault(max(1, math.ceil(seen[0] + _MINUTE - moment)))
            seen.append(moment)
