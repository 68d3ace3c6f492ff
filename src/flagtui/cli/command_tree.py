"""`flagtui commands`: every command, described for programs, for the documents and for man pages."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import click

from flagtui.cli.errors import EXIT_WORDS
from flagtui.cli.output.printer import Printer
from flagtui.cli.output.record_kind import RecordField, RecordKind
from flagtui.cli.records.field_words import commas
from flagtui.cli.twin_command import TwinCommand, command


@dataclass(frozen=True)
class CommandDescription:
    """One command; JSON values only."""

    name: str
    summary: str
    arguments: Sequence[Mapping[str, Any]]
    options: Sequence[Mapping[str, Any]]
    schema: str
    fields: Sequence[str]
    writes: bool
    operations: Sequence[str]
    examples: Sequence[str]
    exit_codes: Mapping[str, str]


COMMAND: Final[RecordKind[CommandDescription]] = RecordKind(
    "command",
    "A command of this program.",
    (
        RecordField("name", "text", "Its words, after flagtui.", is_shown=True),
        RecordField("summary", "text", "What it does.", is_shown=True),
        RecordField("writes", "truth", "Whether it changes something."),
        RecordField("arguments", "objects", "Each: name, many, required."),
        RecordField("options", "objects", "Each: names, value, choices, required, many, default, help."),
        RecordField(
            "output", "text", "The schema of what --json prints; empty for text.", lambda one: one.schema
        ),
        RecordField("fields", "texts", "What --fields takes.", words=commas),
        RecordField("operations", "texts", "What it asks the server."),
        RecordField("examples", "texts", "How it is used."),
        RecordField("exit_codes", "object", "What they mean."),
    ),
)


@command(
    "commands",
    kind=COMMAND,
    is_online=False,
    examples=("commands", "commands --json --fields name,options,exit_codes"),
)
def commands(printer: Printer) -> None:
    """List every command of this program; with --json all that a program needs to use it."""
    root = click.get_current_context().find_root().command
    if isinstance(root, click.Group):
        printer.records(COMMAND, describe_commands(root))


def describe_commands(root: click.Group) -> list[CommandDescription]:
    """All of them, without groups, in the order of the help."""
    context = click.Context(root, info_name="flagtui", **root.context_settings)
    return [described(context, words, command) for words, command in walk(context, root, ())]


def walk(
    context: click.Context, group: click.Group, words: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], TwinCommand]]:
    """The commands below a group with the words that name them."""
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from walk(context, command, (*words, name))
        elif isinstance(command, TwinCommand):
            yield (*words, name), command
        else:
            raise TypeError(f"{name} does not say what it prints")


def described(context: click.Context, words: tuple[str, ...], command: TwinCommand) -> CommandDescription:
    """One command as plain values."""
    inner = click.Context(command, info_name=words[-1], parent=context)
    return CommandDescription(
        name=" ".join(words),
        summary=command.get_short_help_str(1_000),
        arguments=[_argument(one) for one in command.params if isinstance(one, click.Argument)],
        options=[_option(one) for one in command.get_params(inner) if isinstance(one, click.Option)],
        schema=command.kind.name if command.kind is not None else "",
        fields=command.kind.names if command.kind is not None else (),
        writes=command.writes,
        operations=command.operations,
        examples=[f"flagtui {example}" for example in command.examples],
        exit_codes={str(code): words for code, words in EXIT_WORDS.items()},
    )


def _argument(one: click.Argument) -> dict[str, Any]:
    return {"name": one.name, "many": one.nargs == -1, "required": one.required}


def _option(one: click.Option) -> dict[str, Any]:
    return {
        "names": list(one.opts),
        "value": None if one.is_flag else one.make_metavar(click.Context(click.Command("x"))),
        "choices": list(one.type.choices) if isinstance(one.type, click.Choice) else [],
        "required": one.required,
        "many": one.multiple,
        "default": one.default if isinstance(one.default, str | int | float | bool) else None,
        "help": one.help or "",
    }
