"""The payload of a remote configuration, as programs fetch it."""

import sqlite3

from flagtui.service.answers import Answer, answer, empty, value_of
from flagtui.service.call import Call
from flagtui.service.errors import hand_written, standard
from flagtui.service.flags.encryption import PLACEHOLDER, CannotOpen, unseal


def remote_config(call: Call) -> Answer:
    """A JSON string that holds JSON; 200 and no body without a payload. Conditions do not matter."""
    row = _find(call, call.params["id"])
    if row is None or not row["is_remote_configuration"]:
        raise hand_written(404, None)
    payload = (value_of(row["filters"]).get("payloads") or {}).get("true")
    if payload is None:
        return empty(200)
    return answer(_opened(call, payload) if row["has_encrypted_payloads"] else payload)


def _find(call: Call, name: str) -> sqlite3.Row | None:
    column = "id" if name.isascii() and name.isdigit() and len(name) < 19 else "key"
    found: sqlite3.Row | None = call.db.execute(
        f"SELECT * FROM flags WHERE {column} = ? AND project_id = ? AND deleted = 0", (name, call.project.id)
    ).fetchone()
    return found


def _opened(call: Call, sealed: str) -> str:
    """Persons with a key of their own may read it; a program with the project's secret may not."""
    if call.caller.is_project or call.settings.key_file is None:
        return PLACEHOLDER
    try:
        return unseal(call.settings.key_file, sealed)
    except CannotOpen:
        detail = (
            "Failed to decrypt the remote config payload. Please contact support if the problem persists."
        )
        raise standard(500, "server_error", "remote_config_decrypt_failed", detail) from None
