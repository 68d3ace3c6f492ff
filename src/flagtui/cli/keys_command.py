"""`flagtui keys`: the API keys of an embedded service, in its database file."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from flagtui.cli.errors import Trouble
from flagtui.cli.output.printer import Printer
from flagtui.cli.records.account_records import SERVICE_KEY
from flagtui.cli.twin_command import TwinCommand
from flagtui.service import DatabaseUnusable, KeyRefused, NewKey, create_key, list_keys, revoke_key

DATABASE = click.option(
    "--db",
    "database",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    required=True,
    help="The service's database file.",
)


@click.group("keys")
def command() -> None:
    """Create, list and revoke the API keys of an embedded service."""


@command.command(
    "create",
    cls=TwinCommand,
    is_online=False,
    examples=(
        "keys create --db flagtui.db",
        "keys create --db flagtui.db --label ci --scope feature_flag:read --scope user:read",
    ),
)
@DATABASE
@click.option("--label", default="made by flagtui keys", show_default=True, help="What the key is for.")
@click.option(
    "--scope", "scopes", multiple=True, help="feature_flag:read, experiment:write, …; default: everything."
)
@click.option("--project", "teams", multiple=True, type=int, help="Confine the key to this project.")
@click.option("--owner", metavar="EMAIL", help="Whose key; default: the first user.")
def create(
    database: Path, label: str, scopes: tuple[str, ...], teams: tuple[int, ...], owner: str | None
) -> None:
    """Make a key and show it, once."""

    with _trouble():
        secret = create_key(database, NewKey(label, scopes or ("*",), teams, owner))
    print(secret)


@command.command(
    "list",
    cls=TwinCommand,
    kind=SERVICE_KEY,
    is_online=False,
    examples=("keys list --db flagtui.db", "keys list --db flagtui.db --json"),
)
@DATABASE
def list_all(database: Path, printer: Printer) -> None:
    """Show every key: never its secret."""

    with _trouble():
        found = list_keys(database)
    printer.records(SERVICE_KEY, found, "There is no key. Make one with: flagtui keys create")


@command.command(
    "revoke",
    cls=TwinCommand,
    is_online=False,
    examples=("keys revoke ci --db flagtui.db", "keys revoke 'made by flagtui keys' --db flagtui.db"),
)
@DATABASE
@click.argument("key_id")
def revoke(database: Path, key_id: str) -> None:
    """Make a key invalid at once. KEY_ID is its id, label or mask, as `list` prints them."""

    with _trouble():
        found = revoke_key(database, key_id)
    if not found:
        raise Trouble(
            f"there is no key {key_id} in this database; see: flagtui keys list --db {database}",
            code="not_found",
        )
    print("revoked")


@contextmanager
def _trouble() -> Iterator[None]:

    try:
        yield
    except (DatabaseUnusable, KeyRefused) as fault:
        raise Trouble(str(fault)) from None
