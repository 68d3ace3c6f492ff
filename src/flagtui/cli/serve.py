"""`flagtui serve`: the embedded service on a port of this machine."""

from pathlib import Path

import click

from flagtui.cli.errors import Trouble


@click.command("serve")
@click.option(
    "--port", type=click.IntRange(0, 65_535), default=8010, show_default=True, help="0 takes a free one."
)
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option(
    "--allow-remote",
    is_flag=True,
    help="Allow an address other machines can reach; the key then crosses the network unencrypted.",
)
@click.option(
    "--db",
    "database",
    type=click.Path(path_type=Path),
    default=Path("flagtui.db"),
    show_default=True,
    help="The database file; made when missing.",
)
@click.option(
    "--key", help="An all-access key to accept, such as phx_local. Without it one is made for a new database."
)
@click.option("--sample", is_flag=True, help="Fill a new database with a believable company.")
@click.option("--nasty", is_flag=True, help="With --sample: add a project of hostile texts.")
@click.option("--flags", type=click.IntRange(0, 100_000), metavar="N", help="With --sample: how many flags.")
@click.option(
    "--rate-limit", type=click.IntRange(1), metavar="N", help="Refuse more than N requests a minute per key."
)
@click.option("--strict", is_flag=True, help="Keep from keys what the product keeps from them.")
@click.option("--legacy", is_flag=True, help="Behave like a server of 2025.")
def command(**options: object) -> None:
    """Run the embedded service on a port of this machine."""
    from flagtui.cli.serving import Serving, serve
    from flagtui.service import DatabaseUnusable

    try:
        serve(Serving(**options))  # type: ignore[arg-type]  # click has checked the types
    except DatabaseUnusable as fault:
        raise Trouble(str(fault)) from None
