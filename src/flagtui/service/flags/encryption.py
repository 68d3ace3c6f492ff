"""Encrypted payloads: encrypted with a key beside the database, decrypted for callers with access."""

import os
import sqlite3
import sys
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from flagtui.service.call import Call
from flagtui.service.database import find
from flagtui.service.errors import Fault, Json, standard
from flagtui.service.flags.levels import check_level
from flagtui.service.responses import Response, respond, value_of

if TYPE_CHECKING:
    from cryptography.fernet import Fernet

PLACEHOLDER = '"********* (encrypted)"'
"""The JSON text shown for a sealed payload that is not opened."""


def key_file_beside(database: Path) -> Path:
    return Path(f"{database}.key")


def key_file_of(db: sqlite3.Connection) -> Path:
    """Return the key file of the database a connection has open."""
    return key_file_beside(Path(db.execute("PRAGMA database_list").fetchone()["file"]))


class CannotOpen(Exception):
    """The payload was sealed with another key, or is damaged."""


def seal(key_file: Path, payload: str) -> str:
    """Return the payload, sealed with the key of the file, which is made for the first one."""
    try:
        fernet = _fernet(key_file)
    except FileNotFoundError:
        make_key(key_file)
        fernet = _fernet(key_file)
    return fernet.encrypt(payload.encode()).decode()


@lru_cache(maxsize=512)
def unseal(key_file: Path, sealed: str) -> str:
    """Return the payload; CannotOpen when the key beside the database is not the one it was sealed with.

    Remembered, because opening takes longer than everything else about showing a flag.
    """
    from cryptography.fernet import InvalidToken

    try:
        return _fernet(key_file).decrypt(sealed.encode()).decode()
    except (InvalidToken, ValueError, OSError) as error:
        raise CannotOpen from error


@lru_cache(maxsize=8)
def _fernet(key_file: Path) -> "Fernet":
    """Return the key of the file. The library is slow to load and few flags need it."""
    from cryptography.fernet import Fernet

    return Fernet(key_file.read_bytes())


def make_key(key_file: Path) -> None:
    """Write a new key, whole or not at all. Call it in a writing transaction, which one program has."""
    from cryptography.fernet import Fernet

    descriptor, name = tempfile.mkstemp(dir=key_file.parent, prefix=key_file.name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(Fernet.generate_key())
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(key_file)
    finally:
        # Renamed already unless that failed.
        Path(name).unlink(missing_ok=True)
    if sys.platform == "win32":
        # It opens no folders.
        return
    folder = os.open(key_file.parent, os.O_RDONLY)
    try:
        # Otherwise a power cut could leave payloads without their key.
        os.fsync(folder)
    finally:
        os.close(folder)


def remote_config(call: Call) -> Response:
    """Return a JSON string that holds JSON; 200 and no body without a payload. Conditions do not matter."""
    number = call.number("id")
    named: dict[str, Json] = {"key": call.params["id"]} if number is None else {"id": number}
    row = find(call.db, "flags", project_id=call.project.id, deleted=0, **named)
    if row is None or not row["is_remote_configuration"]:
        raise Fault(404, None)
    check_level(call, row["id"], "viewer")
    payload = (value_of(row["filters"]).get("payloads") or {}).get("true")
    if payload is None:
        return Response()
    return respond(_open(call, payload) if row["has_encrypted_payloads"] else payload)


def _open(call: Call, sealed: str) -> str:
    """Return persons with a key of their own may read it; a program with the project's secret may not."""
    if call.caller.is_project or call.settings.key_file is None:
        return PLACEHOLDER
    try:
        return unseal(call.settings.key_file, sealed)
    except CannotOpen:
        detail = (
            "Failed to decrypt the remote config payload. Please contact support if the problem persists."
        )
        raise standard(500, "server_error", "remote_config_decrypt_failed", detail) from None
