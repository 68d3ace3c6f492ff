"""Who an SDK is: a personal key with a project's public token, or the project's own secret key."""

import hmac
import sqlite3

from flagtui.service.access import admit, bearer, hash_key, identify, project_from
from flagtui.service.call import Call, Project
from flagtui.service.errors import authentication_failed, not_found, standard
from flagtui.service.operations import Operation

SECRET_PREFIX = "phs_"


def sdk_project(call: Call, operation: Operation) -> Project:
    """The project an SDK asks about; the faults are those of `operation`, which lies under that project."""
    token = call.query.get("token")
    secret = bearer(call.headers.get("authorization"))
    if secret.startswith(SECRET_PREFIX):
        return _project_of_secret(call.db, secret, token)
    caller = identify(call.db, call.headers.get("authorization"))
    number = caller.current_project_id if not token else _project_of_token(call.db, token)
    project = admit(call.db, caller, operation, {"project_id": str(number)}, call.settings)
    if project is None:
        raise not_found("Project not found.")
    return project


def _project_of_token(db: sqlite3.Connection, token: str) -> int:
    row = db.execute("SELECT id FROM projects WHERE api_token = ?", (token,)).fetchone()
    if row is None:
        detail = "Incorrect authentication credentials."
        raise standard(401, "authentication_error", "authentication_failed", detail)
    number: int = row["id"]
    return number


def _project_of_secret(db: sqlite3.Connection, secret: str, token: str | None) -> Project:
    hashed = hash_key(secret)
    row = db.execute("SELECT * FROM projects WHERE secret_hash = ?", (hashed,)).fetchone()
    if row is None or not hmac.compare_digest(row["secret_hash"], hashed):
        raise authentication_failed()
    if token and token != row["api_token"]:
        raise authentication_failed()
    return project_from(row)
