"""`flagtui serve`: the embedded service on a port of this machine."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shlex import quote

import click
import msgspec

from flagtui.cli.plumbing.change_report import STOPPED
from flagtui.cli.plumbing.client import why_not_personal
from flagtui.cli.plumbing.errors import Trouble
from flagtui.cli.plumbing.option_rules import port_option, ruled_option
from flagtui.cli.plumbing.output.lines import warn
from flagtui.cli.plumbing.record_command import command
from flagtui.cli.plumbing.value_types import FilePath
from flagtui.safe_text import safe_text
from flagtui.service import DatabaseUnusable, Settings, close_service, create_service
from flagtui.service.keys import KeyRefused, check_secret, list_keys, make_secret
from flagtui.service.sample_data import room_for, sample
from flagtui.service.server import CannotListen, Place, end_on_signals, listen, run


class Serving(msgspec.Struct, frozen=True):
    """The options of the command line."""

    port: int
    host: str
    allow_remote: bool
    database: Path
    key: str | None
    sample: bool
    nasty: bool
    flags: int | None
    rate_limit: int | None
    strict: bool
    rules_v2: bool
    approvals: bool
    newest: bool
    legacy: bool


def _serve(options: Serving) -> None:
    """Serve until SIGTERM or ctrl+c.

    Raises:
        Trouble: when the options contradict each other or the address cannot be listened on.
        DatabaseUnusable: when the file cannot be used.
    """
    _check(options)
    place = Place(options.host, options.port, options.allow_remote, names=(options.host.lower(),))
    try:
        listener = listen(place)
    except CannotListen as fault:
        raise Trouble(str(fault)) from None
    with listener:
        key = options.key
        if key is None and not _has_keys(options.database):
            key = make_secret()
        with _reporting_interruption(options, key):
            application = create_service(
                options.database,
                Settings(
                    strict=options.strict,
                    rules_v2=options.rules_v2,
                    approvals=options.approvals,
                    newest=options.newest,
                    legacy=options.legacy,
                    rate_limit=options.rate_limit,
                    max_flags=room_for(options.flags),
                ),
                key=key,
                sample=sample(flags=options.flags, nasty=options.nasty) if options.sample else None,
            )
        try:
            end_on_signals()
            _introduce(options, listener.getsockname()[1], key)
            run(application, listener, place, _log, application.state.dispatcher.news)
        finally:
            close_service(application)


@contextmanager
def _reporting_interruption(options: Serving, key: str | None) -> Iterator[None]:
    """Report the state of the database when ctrl+c stops the block. Raises Exit."""
    is_new = not _has_keys(options.database)
    try:
        yield
    except KeyboardInterrupt:
        if is_new and key is not None and _has_keys(options.database):
            warn(f"stopped; {options.database} is complete, and its key is {key}.")
        elif is_new:
            warn(f"stopped; {options.database} has no data; start again to fill it.")
        else:
            warn(f"stopped; {options.database} is unchanged.")
        raise click.exceptions.Exit(STOPPED) from None


def _check(options: Serving) -> None:
    try:
        if options.key is not None:
            check_secret(options.key)
    except KeyRefused as fault:
        raise Trouble(f"--key: {fault}", code="usage") from None
    if options.key is not None and (why := why_not_personal(options.key)):
        raise Trouble(f"--key: {why}", "Use one that begins with phx_.", code="usage")


def _has_keys(database: Path) -> bool:
    """Return whether the database has keys; an empty file counts as a new database."""
    return database.is_file() and bool(list_keys(database))


def _introduce(options: Serving, port: int, key: str | None) -> None:
    address = f"http://[{options.host}]:{port}" if ":" in options.host else f"http://{options.host}:{port}"
    _print_line(f"serving {options.database} on {address}, project 1 · ctrl+c stops")
    if options.allow_remote:
        _print_line("other machines can reach it; keys and data cross the network unencrypted")
    if key is not None:
        _print_line(f"key: {safe_text(key, 600)}")
        _print_line(
            f"open the app on it: FLAGTUI_HOST={address} FLAGTUI_API_KEY={safe_text(key, 600)} flagtui"
        )
    else:
        _print_line(f"keys: flagtui keys list --db {quote(str(options.database))}")


def _print_line(line: str) -> None:
    print(line, flush=True)


def _log(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


@command(
    "serve", is_online=False, examples=("--sample --port 0", "--port 0 --db ci.db --key phx_local --strict")
)
@port_option(8010)
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option(
    "--allow-remote",
    is_flag=True,
    help="Allow an address other machines can reach; the key then crosses the network unencrypted.",
)
@click.option(
    "--db",
    "database",
    type=FilePath(),
    default=Path("flagtui.db"),
    show_default=True,
    help="The database file; created when missing.",
)
@click.option(
    "--key", help="An all-access key to accept, such as phx_local. A new database gets one without it."
)
@click.option("--sample", is_flag=True, help="Fill a new database with a made-up company.")
@ruled_option(
    "--nasty", is_flag=True, help="With --sample: add a project of hostile texts.", requires=("--sample",)
)
@ruled_option(
    "--flags",
    type=click.IntRange(0, 100_000),
    metavar="N",
    help="With --sample: how many flags; never fewer than its stories need.",
    requires=("--sample",),
)
@click.option(
    "--rate-limit", type=click.IntRange(1), metavar="N", help="Refuse more than N requests a minute per key."
)
@click.option("--strict", is_flag=True, help="Refuse personal keys where the product refuses them.")
@click.option(
    "--rules-v2", is_flag=True, help="Create, change and evaluate flags of configuration version 2 (rules)."
)
@click.option("--approvals", is_flag=True, help="Let every change of a flag wait for another member.")
@click.option("--newest", is_flag=True, help="Respond exactly like the newest servers, without older fields.")
@ruled_option("--legacy", is_flag=True, help="Behave like a server of 2025.", excludes=("--newest",))
def serve(**options: object) -> None:
    """Run the embedded service on a port of this machine."""
    try:
        _serve(Serving(**options))  # type: ignore[arg-type]  # click has checked the types
    except DatabaseUnusable as fault:
        raise Trouble(str(fault)) from None
