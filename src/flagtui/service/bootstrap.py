"""What an empty database needs before anybody can ask it anything: an organization, a project, a user."""

import secrets
import sqlite3
import uuid

from flagtui.service.access import hash_key
from flagtui.service.database import find
from flagtui.service.keys import NewKey, insert_key


def found(db: sqlite3.Connection, now: str) -> None:
    """Makes one organization with one project and its owner; does nothing when there is a project already."""
    if db.execute("SELECT 1 FROM projects").fetchone() is not None:
        return
    organization = str(uuid.uuid4())
    db.execute(
        "INSERT INTO organizations (id, name, slug, created_at)"
        " VALUES (?, 'My organization', 'my-organization', ?)",
        (organization, now),
    )
    db.execute(
        "INSERT INTO projects (id, uuid, organization_id, name, api_token, created_at)"
        " VALUES (1, ?, ?, 'Default project', ?, ?)",
        (str(uuid.uuid4()), organization, "phc_" + secrets.token_hex(20), now),
    )
    db.execute(
        "INSERT INTO users (id, uuid, distinct_id, first_name, email, current_project_id)"
        " VALUES (1, ?, ?, 'Owner', 'owner@localhost.test', 1)",
        (str(uuid.uuid4()), secrets.token_hex(16)),
    )
    db.execute(
        "INSERT INTO organization_members (organization_id, user_id, level) VALUES (?, 1, 15)",
        (organization,),
    )


def admit_key(db: sqlite3.Connection, secret: str, now: str) -> None:
    """Lets `secret` in as an all-access key of the first user, unless it is stored already."""
    if find(db, "api_keys", hash=hash_key(secret)) is None:
        insert_key(db, NewKey(label="given at start", scopes=("*",), secret=secret), now)
