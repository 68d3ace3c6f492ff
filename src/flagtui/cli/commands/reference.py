"""`flagtui commands` and `flagtui completion`: every command, described for programs and for shells."""

from types import SimpleNamespace
from typing import Final

import click

from flagtui.cli.plumbing.command_tree import descriptions
from flagtui.cli.plumbing.errors import EXIT_WORDS
from flagtui.cli.plumbing.output.printer import Printer
from flagtui.cli.plumbing.output.record_schema import RecordField, RecordSchema
from flagtui.cli.plumbing.record_command import command
from flagtui.cli.plumbing.shell_scripts import SCRIPTS
from flagtui.cli.records.field_words import commas

COMMAND: Final[RecordSchema[SimpleNamespace]] = RecordSchema(
    "command",
    "A command of this program.",
    (
        RecordField("name", "text", "Its words, after flagtui.", is_shown=True),
        RecordField("summary", "text", "What it does.", is_shown=True),
        RecordField("writes", "truth", "Whether it changes something."),
        RecordField("arguments", "objects", "Each: name, many, required, choices, shown, completed_by."),
        RecordField(
            "options",
            "objects",
            "Each: names, value, choices, required, many, default, help, shown, completed_by.",
        ),
        RecordField("output", "text", "The schema of what --json prints; empty for text."),
        RecordField("fields", "texts", "The names for --fields.", words=commas),
        RecordField("operations", "texts", "Its operations of the API."),
        RecordField("examples", "texts", "How it is used."),
        RecordField("exit_codes", "object", "What they mean."),
    ),
)


@command(
    "commands",
    line="List every command, for programs.",
    kind=COMMAND,
    is_online=False,
    examples=("commands", "commands --json --fields name,options,exit_codes"),
)
def commands(printer: Printer) -> None:
    """List every command of this program; with --json all that a program needs to use it."""
    codes = {str(code): words for code, words in EXIT_WORDS.items()}
    commands = [SimpleNamespace(**description, exit_codes=codes) for description in descriptions().values()]
    printer.records(COMMAND, commands)


@command(
    "completion",
    line="Print the completion for a shell.",
    is_online=False,
    examples=("completion bash", "completion fish"),
)
@click.argument("shell", type=click.Choice([*SCRIPTS]))
def completion(shell: str) -> None:
    """Print the completion for SHELL; keys and tags come from cached lists.

    bash: flagtui completion bash >> ~/.bashrc

    zsh: flagtui completion zsh > a file _flagtui in a folder of fpath

    fish: flagtui completion fish > ~/.config/fish/completions/flagtui.fish
    """
    click.echo(SCRIPTS[shell], nl=False)
