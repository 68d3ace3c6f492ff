"""`flagtui commands`: every command, option, output and exit code, for programs."""

import click

from flagtui.cli.output.printer import Printer
from flagtui.cli.records.command_records import COMMAND
from flagtui.cli.twin_command import TwinCommand


@click.command(
    "commands",
    cls=TwinCommand,
    kind=COMMAND,
    is_online=False,
    examples=("commands", "commands --json --fields name,options,exit_codes"),
)
def command(printer: Printer) -> None:
    """List every command of this program; with --json all that a program needs to use it."""
    from flagtui.cli.command_tree import describe_commands

    root = click.get_current_context().find_root().command
    if isinstance(root, click.Group):
        printer.records(COMMAND, describe_commands(root))
