"""`flagtui keys`: the API keys of an embedded service, in its database file."""

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import click

from flagtui.cli.plumbing.errors import Trouble
from flagtui.cli.plumbing.output.printer import Printer
from flagtui.cli.plumbing.output.record_schema import RecordField, RecordSchema
from flagtui.cli.plumbing.record_command import command
from flagtui.cli.plumbing.value_types import FilePath
from flagtui.cli.records.field_words import age_words
from flagtui.service import (
    SCOPES,
    DatabaseUnusable,
    KeyRefused,
    ListedKey,
    NewKey,
    create_key,
    list_keys,
    revoke_key,
)


def _or_all(ids: list[str]) -> str:
    return ",".join(ids) or "all"


DATABASE: Final = click.option(
    "--db",
    "database",
    type=FilePath(exists=True, dir_okay=False),
    required=True,
    help="The service's database file.",
)

SERVICE_KEY: Final[RecordSchema[ListedKey]] = RecordSchema(
    "service-key",
    "A key of an embedded service.",
    (
        RecordField("id", "text", "The id for keys revoke.", is_shown=True),
        RecordField("mask", "text", "Its beginning and end.", is_shown=True),
        RecordField("scopes", "texts", "What it may do; * is everything.", is_shown=True, is_long=True),
        RecordField(
            "projects", "texts", "Ids; none means all.", lambda key: list(map(str, key.teams)), True, _or_all
        ),
        RecordField("owner", "text", "Its owner.", is_shown=True),
        RecordField("label", "text", "What it is for.", is_shown=True, is_long=True),
        RecordField("created_at", "time?", "When it was made."),
        RecordField("last_used_at", "time?", "When it was used.", is_shown=True, words=age_words),
    ),
)


@command(
    "create",
    is_online=False,
    examples=("--db flagtui.db", "--db flagtui.db --label ci --scope feature_flag:read --scope user:read"),
)
@DATABASE
@click.option("--label", default="flagtui keys create", show_default=True, help="What the key is for.")
@click.option(
    "--scope",
    "scopes",
    multiple=True,
    type=click.Choice(("*", *sorted(SCOPES))),
    metavar="SCOPE",
    help="feature_flag:read, experiment:write, …; default: everything.",
)
@click.option(
    "--project", "teams", multiple=True, type=int, metavar="ID", help="Confine the key to this project."
)
@click.option("--owner", metavar="EMAIL", help="The owner of the key; default: the first user.")
def create(
    database: Path, label: str, scopes: tuple[str, ...], teams: tuple[int, ...], owner: str | None
) -> None:
    """Create a key and show it, once."""
    with _trouble():
        secret = create_key(database, NewKey(label, scopes or ("*",), teams, owner))
    print(secret)


@command("list", kind=SERVICE_KEY, is_online=False, examples=("--db flagtui.db", "--db flagtui.db --json"))
@DATABASE
def list_all(database: Path, printer: Printer) -> None:
    """List the keys, without their secrets."""
    with _trouble():
        keys = list_keys(database)
    printer.records(SERVICE_KEY, keys, f"There is no key. Create one with: {_command('create', database)}")


@command("revoke", is_online=False, examples=("ci --db flagtui.db", "'flagtui keys create' --db flagtui.db"))
@DATABASE
@click.argument("key_id")
def revoke(database: Path, key_id: str) -> None:
    """Make a key invalid at once. KEY_ID is its id, label or mask, as `list` prints them."""
    with _trouble():
        is_revoked = revoke_key(database, key_id)
    if not is_revoked:
        raise Trouble(
            f"there is no key {key_id} in this database; see: {_command('list', database)}",
            code="not_found",
        )
    print("revoked")


def _command(name: str, database: Path) -> str:
    return shlex.join(("flagtui", "keys", name, "--db", str(database)))


@contextmanager
def _trouble() -> Iterator[None]:
    try:
        yield
    except DatabaseUnusable as fault:
        raise Trouble(str(fault)) from None
    except KeyRefused as refused:
        raise Trouble(str(refused), code="usage") from None
