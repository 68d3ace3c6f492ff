"""API keys: making, listing and revoking them. Only a hash is stored; a secret is shown once."""

import contextlib
import re
import secrets
import sqlite3
import string
from collections.abc import Sequence
from pathlib import Path

import msgspec

from flagtui.service.access import hash_key
from flagtui.service.activity import ordered_uuid
from flagtui.service.call import Call
from flagtui.service.clock import stamp, system_clock
from flagtui.service.database import Database, fetch, find, insert_row
from flagtui.service.errors import Json, closed_to_keys, not_found
from flagtui.service.operations import Operation
from flagtui.service.responses import Response, respond, text_of, value_of

_LETTERS = string.ascii_letters + string.digits
_SCOPE = re.compile(r"\*|[a-z_]+:(read|write)")


class KeyRefused(ValueError):
    """The requested key is invalid. The text is a sentence for a user."""


class NewKey(msgspec.Struct, frozen=True):
    """The settings of a new key. `teams` confines it to project ids; empty is all the owner's projects."""

    label: str
    scopes: tuple[str, ...]
    teams: tuple[int, ...] = ()
    owner: str | None = None
    """E-mail of the owner; None is the first user."""
    secret: str | None = None
    """None makes one."""


class ListedKey(msgspec.Struct, frozen=True):
    """A stored key as a list shows it: never the secret."""

    id: str
    label: str
    mask: str
    owner: str
    scopes: tuple[str, ...]
    teams: tuple[int, ...]
    created_at: str
    last_used_at: str | None


def make_secret() -> str:
    return "phx_" + "".join(secrets.choice(_LETTERS) for _ in range(43))


def mask(secret: str) -> str:
    return f"{secret[:4]}...{secret[-4:]}" if len(secret) > 12 else "..."


def insert_key(db: sqlite3.Connection, new_key: NewKey, now: str) -> str:
    """Store the hash of a key and return the secret. KeyRefused when it cannot be."""
    for scope in new_key.scopes:
        if _SCOPE.fullmatch(scope) is None:
            raise KeyRefused(f"{scope!r} is not a scope. Write * or something like feature_flag:read.")
    if new_key.secret is not None:
        check_secret(new_key.secret)
    owner = db.execute(
        "SELECT id FROM users WHERE email = ? OR ? IS NULL ORDER BY id LIMIT 1",
        (new_key.owner, new_key.owner),
    ).fetchone()
    if owner is None:
        raise KeyRefused(f"There is no user {new_key.owner} in this database.")
    for team in new_key.teams:
        if find(db, "projects", id=team) is None:
            raise KeyRefused(f"There is no project {team} in this database.")
    secret = new_key.secret or make_secret()
    if find(db, "api_keys", hash=hash_key(secret)):
        raise KeyRefused("This key exists already.")
    stored = {
        "id": ordered_uuid(),
        "user_id": owner["id"],
        "label": new_key.label,
        "hash": hash_key(secret),
        "mask": mask(secret),
        "scopes": text_of(new_key.scopes),
        "scoped_teams": text_of(new_key.teams),
        "created_at": now,
    }
    insert_row(db, "api_keys", stored)
    return secret


def check_secret(secret: str) -> None:
    """Check that a text can be sent as a key. Raises KeyRefused."""
    if re.fullmatch(r"[\x21-\x7e]{3,512}", secret) is None:
        raise KeyRefused("A key is 3 to 512 visible ASCII characters without spaces.")


def note_use(db: sqlite3.Connection, key_id: str, now: str) -> None:
    db.execute("UPDATE api_keys SET last_used_at = ? WHERE id = ?", (now, key_id))


def create_key(database: Path, new_key: NewKey) -> str:
    """Make a key in the file and return the secret, which cannot be read again."""
    with contextlib.closing(Database(database)) as opened:
        return opened.write(lambda db: insert_key(db, new_key, stamp(system_clock()))).result()


def list_keys(database: Path) -> Sequence[ListedKey]:
    with contextlib.closing(Database(database)) as opened, opened.reading() as db:
        rows = db.execute(
            "SELECT k.*, u.email FROM api_keys AS k JOIN users AS u ON u.id = k.user_id ORDER BY k.created_at"
        ).fetchall()
    return [_line(row) for row in rows]


def revoke_key(database: Path, name: str) -> bool:
    """Forget the key with this id or, when only one has it, this label or mask; False when none does."""
    with contextlib.closing(Database(database)) as opened:
        return opened.write(lambda db: _forget(db, name)).result()


def _forget(db: sqlite3.Connection, name: str) -> bool:
    matches = db.execute(
        "SELECT id FROM api_keys WHERE id = :name OR label = :name OR mask = :name", {"name": name}
    ).fetchall()
    if len(matches) > 1:
        raise KeyRefused(f"{len(matches)} keys are called {name!r}. Give the id of one.")
    for row in matches:
        db.execute("DELETE FROM api_keys WHERE id = ?", (row["id"],))
    return bool(matches)


def _line(row: sqlite3.Row) -> ListedKey:
    return ListedKey(
        id=row["id"],
        label=row["label"],
        mask=row["mask"],
        owner=row["email"],
        scopes=tuple(value_of(row["scopes"])),
        teams=tuple(value_of(row["scoped_teams"])),
        created_at=row["created_at"],
        last_used_at=row["last_used_at"],
    )


def current_key(call: Call) -> Response:
    """Return the record of this request's key; other keys are a 404."""
    if call.params["id"] not in ("@current", call.caller.key_id):
        raise not_found()
    row = fetch(call.db, "api_keys", call.caller.key_id)
    kept = ("id", "label", "created_at", "last_used_at", "user_id")
    shown: dict[str, Json] = {name: row[name] for name in kept}
    shown |= {"value": None, "mask_value": row["mask"], "last_rolled_at": None}
    shown |= {name: value_of(row[name]) for name in ("scopes", "scoped_teams", "scoped_organizations")}
    return respond(shown)


def refuse_key_change(call: Call) -> Response:
    raise closed_to_keys()


_ONE = "/api/personal_api_keys/{id}"

OPERATIONS = (
    Operation("GET", _ONE, current_key, "Get the key of the request", unconfined=True),
    Operation("PATCH", _ONE, refuse_key_change, "Refused: a key cannot change keys", unconfined=True),
    Operation("DELETE", _ONE, refuse_key_change, "Refused: a key cannot delete keys", unconfined=True),
)
