"""The same API on SQLite. Shares no code with the client but the evaluator, only examples."""

from flagtui.service.application import SCOPES, close_service, create_service
from flagtui.service.database import DatabaseUnusable
from flagtui.service.keys import KeyRefused, ListedKey, NewKey, create_key, list_keys, revoke_key
from flagtui.service.settings import Settings

__all__ = [
    "SCOPES",
    "DatabaseUnusable",
    "KeyRefused",
    "ListedKey",
    "NewKey",
    "Settings",
    "close_service",
    "create_key",
    "create_service",
    "list_keys",
    "revoke_key",
]
