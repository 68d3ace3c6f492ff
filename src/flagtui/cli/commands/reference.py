"""`flagtui commands` and `flagtui completion`: every command, described for programs and for shells."""

from collections.abc import Iterator, Mapping
from types import SimpleNamespace
from typing import Any, Final

import click

from flagtui.cli.plumbing.command_tree import descriptions
from flagtui.cli.plumbing.completion_scripts import SCRIPTS
from flagtui.cli.plumbing.errors import EXIT_WORDS
from flagtui.cli.plumbing.output.printer import Printer
from flagtui.cli.plumbing.output.record_schema import RecordField, RecordSchema
from flagtui.cli.plumbing.record_command import command
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
            "Each: names, value, choices, required, many, default, excludes (what contradicts it), requires "
            "(one of these), help, shown, completed_by.",
        ),
        RecordField("output", "text", "The schema of what --json prints; empty for text."),
        RecordField("fields", "texts", "The names for --fields.", words=commas),
        RecordField("enums", "object", "By name of a field: every value that it can have."),
        RecordField("query", "objects", "The qualifiers of its QUERY, each: name, allowed, meaning."),
        RecordField("orders", "texts", "The values of --sort; a - before one reverses it.", words=commas),
        RecordField("operations", "texts", "Its operations of the API."),
        RecordField("examples", "texts", "How it is used."),
        RecordField("exit_codes", "object", "What they mean."),
        RecordField("program_options", "objects", "Options of the program, each: names, value, help."),
    ),
)


@command(
    "commands",
    line="List every command, for programs.",
    kind=COMMAND,
    is_online=False,
    examples=("", "--json --fields name,options,exit_codes"),
)
def commands(printer: Printer) -> None:
    """List every command of this program; with --json all that a program needs to use it."""
    codes = {str(code): words for code, words in EXIT_WORDS.items()}
    shared = {"exit_codes": codes, "program_options": [*_program_options()]}
    commands = [
        SimpleNamespace(**description, **shared, **_search(description))
        for description in descriptions().values()
    ]
    printer.records(COMMAND, commands)


def _program_options() -> Iterator[dict[str, Any]]:
    """Yield the options of the program, which may precede a command or follow it."""
    context = click.get_current_context().find_root()
    for option in context.command.params:
        if isinstance(option, click.Option) and not option.hidden:
            value = None if option.is_flag else option.make_metavar(context)
            yield {"names": [*option.opts], "value": value, "help": option.help or ""}


def _search(description: Mapping[str, Any]) -> dict[str, Any]:
    """Return the qualifiers and the orders of a command with a query."""
    words = (argument["completed_by"].partition(" of ") for argument in description["arguments"])
    kind = next((kind for way, _of, kind in words if way == "queries"), "")
    if not kind:
        return {"query": [], "orders": []}
    from flagtui.store.kinds import KINDS, load

    listing = KINDS[kind].listing if kind in KINDS else None
    vocabulary = listing.vocabulary if listing else load("flagtui.store.activity_listing:ACTIVITY")
    qualifiers = [
        {"name": each.name, "allowed": each.allowed, "meaning": each.meaning}
        for each in vocabulary.qualifiers.values()
    ]
    return {"query": qualifiers, "orders": [*listing.orders] if listing else []}


@command(
    "completion",
    line="Print the completion for a shell.",
    only_shows=True,
    is_online=False,
    examples=("bash", "fish"),
)
@click.argument("shell", type=click.Choice([*SCRIPTS]))
def completion(shell: str) -> None:
    """Print the completion for SHELL; keys and tags come from cached lists.

    bash: flagtui completion bash >> ~/.bashrc

    zsh: flagtui completion zsh > a file _flagtui in a folder of fpath

    fish: flagtui completion fish > ~/.config/fish/completions/flagtui.fish
    """
    click.echo(SCRIPTS[shell], nl=False)
