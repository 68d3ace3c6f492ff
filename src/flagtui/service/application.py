"""Puts the service together: the database, the table of operations, and what opens and closes with them."""

import asyncio
import contextlib
import dataclasses
import secrets
import sqlite3
import uuid
from collections.abc import AsyncIterator, Callable
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Final

from msgspec.structs import replace
from starlette.applications import Starlette

from flagtui.service import (
    approvals,
    evaluation,
    event_definitions,
    experiments,
    flags,
    keys,
    projects,
    properties,
    scheduling,
)
from flagtui.service.access import hash_key
from flagtui.service.clock import stamp
from flagtui.service.database import Database, find, insert_row, usable
from flagtui.service.dispatch import Dispatcher
from flagtui.service.flags.encryption import key_file_beside
from flagtui.service.generations import DEFAULT, NEWEST, Generation
from flagtui.service.keys import NewKey, insert_key
from flagtui.service.operations import PROJECT, Operation, Routes
from flagtui.service.schema_document import schema_operation
from flagtui.service.sdk import operations as sdk
from flagtui.service.settings import Settings

Fill = Callable[[sqlite3.Connection, datetime], None]
"""Fills an empty database; called once, in one transaction, with the present moment."""

OPERATIONS: tuple[Operation, ...] = (
    *projects.OPERATIONS,
    *keys.OPERATIONS,
    *flags.OPERATIONS,
    *scheduling.OPERATIONS,
    *approvals.OPERATIONS,
    *evaluation.OPERATIONS,
    *experiments.OPERATIONS,
    *event_definitions.OPERATIONS,
    *properties.OPERATIONS,
    *sdk.OPERATIONS,
)


TICK_SECONDS = 1.0


def create_service(
    database: Path | str,
    settings: Settings | None = None,
    *,
    key: str | None = None,
    sample: Fill | None = None,
) -> Starlette:
    """Return the service as an ASGI application, ready for requests: it needs no start event.

    Opens or creates the file and raises DatabaseUnusable when it cannot. `key` becomes an all-access key of
    the first user. `sample` fills the database if it is new.
    Close it with `close_service`, or by the shutdown event.
    """
    path = Path(database)
    chosen = settings or Settings()
    if chosen.key_file is None:
        chosen = dataclasses.replace(chosen, key_file=key_file_beside(path))
    opened = Database(path)
    with contextlib.ExitStack() as undo:
        undo.callback(opened.close)
        now = chosen.clock()
        try:
            with usable(path):
                opened.write(lambda db: _prepare(db, key, sample, now)).result()
                opened.write(lambda db: scheduling.apply_due(db, chosen, now)).result()
        except KeyboardInterrupt:
            opened.interrupt()
            raise
        undo.pop_all()
    dispatcher = Dispatcher(opened, _routes(chosen.generation), chosen)
    application = Starlette(lifespan=_closing)
    # Not a Mount: its pattern stops at a line break, and such paths would be answered in plain text.
    application.router.default = dispatcher
    application.state.dispatcher = dispatcher
    return application


def close_service(application: Starlette) -> None:
    """Finish queued writes and close the file. A second call does nothing."""
    application.state.dispatcher.database.close()


def _prepare(db: sqlite3.Connection, key: str | None, fill: Fill | None, now: datetime) -> None:
    if fill is not None and db.execute("SELECT 1 FROM projects").fetchone() is None:
        fill(db, now)
    create_first_project(db, stamp(now))
    if key is not None:
        admit_key(db, key, stamp(now))


@cache
def _routes(generation: Generation) -> Routes[Operation]:
    """Return the operations of a generation by path: the same in every service of this process."""
    missing = generation.missing_operations
    served = tuple(
        _with_scope(operation, generation) for operation in OPERATIONS if operation.name not in missing
    )
    return Routes((*served, schema_operation(served, generation)))


def _with_scope(operation: Operation, generation: Generation) -> Operation:
    records = operation.path.removeprefix(f"{PROJECT}/").partition("/")[0]
    if operation.scope is None or records not in generation.own_scopes:
        return operation
    action = operation.scope.partition(":")[2]
    return replace(operation, scope=f"{generation.own_scopes[records]}:{action}")


SCOPES: Final = frozenset(
    scope
    for generation in (DEFAULT, NEWEST)
    for operation in OPERATIONS
    if (scope := _with_scope(operation, generation).scope)
)
"""Everything that a key can be confined to."""


@contextlib.asynccontextmanager
async def _closing(application: Starlette) -> AsyncIterator[None]:
    ticking = asyncio.create_task(_tick(application.state.dispatcher))
    try:
        yield
    finally:
        ticking.cancel()
        close_service(application)


async def _tick(dispatcher: Dispatcher) -> None:
    """Apply scheduled changes between requests."""
    while True:
        await asyncio.sleep(TICK_SECONDS)
        # Otherwise one locked moment would end it. The next request reports what is wrong.
        with contextlib.suppress(sqlite3.OperationalError):
            await dispatcher.make_due_changes()


def create_first_project(db: sqlite3.Connection, now: str) -> None:
    """Create one organization with one project and its owner; a no-op if there is a project."""
    if db.execute("SELECT 1 FROM projects").fetchone() is not None:
        return
    organization = {"id": str(uuid.uuid4()), "name": "My organization", "slug": "my-organization"}
    project = {"id": 1, "uuid": str(uuid.uuid4()), "name": "Default project"}
    owner = {"id": 1, "uuid": str(uuid.uuid4()), "first_name": "Owner", "email": "owner@localhost.test"}
    place, token = {"organization_id": organization["id"]}, "phc_" + secrets.token_hex(20)
    insert_row(db, "organizations", {**organization, "created_at": now})
    insert_row(db, "projects", {**project, **place, "api_token": token, "created_at": now})
    insert_row(db, "users", {**owner, "distinct_id": secrets.token_hex(16), "current_project_id": 1})
    insert_row(db, "organization_members", {**place, "user_id": 1, "level": 15})


def admit_key(db: sqlite3.Connection, secret: str, now: str) -> None:
    """Store `secret` as an all-access key of the first user, unless it is stored already."""
    if find(db, "api_keys", hash=hash_key(secret)) is None:
        insert_key(db, NewKey(label="given at start", scopes=("*",), secret=secret), now)
