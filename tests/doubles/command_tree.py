"""Every command of the program, by the words that name it, and described."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from inspect import cleandoc
from pkgutil import walk_packages
from types import MappingProxyType
from typing import Any, Final

import click

from flagtui.cli import commands
from flagtui.cli.main import program
from flagtui.cli.plumbing.command_tree import SchemaName
from flagtui.cli.plumbing.option_rules import RuledOption, label_of, param_of
from flagtui.cli.plumbing.record_command import RecordCommand
from flagtui.cli.plumbing.registry import COMMANDS, command_index
from flagtui.cli.plumbing.value_types import (
    ChangeId,
    FieldNames,
    KnownWord,
    ProfileName,
    ProjectId,
    ProposalId,
    QueryWord,
    SetName,
    SortOrder,
)
from flagtui.cli.plumbing.word_types import CommandWords, RecordWord

ROOT: Final = click.Context(program, info_name="flagtui", **program.context_settings)


@cache
def all_commands() -> Mapping[str, RecordCommand]:
    """Without groups: `auth login`, `flags list`. Reading all of them takes as long as running one."""
    return MappingProxyType({" ".join(words): command for words, command in _walk(program, ())})


def index_text() -> str:
    """The file of the index; a folder of `commands/` is a group."""
    rows = []
    for info in walk_packages(commands.__path__, f"{commands.__name__}."):
        module = import_module(info.name)
        if info.ispkg:
            line = click.Group(help=module.__doc__).get_short_help_str(1_000)
            rows.append([info.name.rpartition(".")[2], module.__name__, "", "", line])
    for words, command in COMMANDS.items():
        module_name = command.callback.__module__ if command.callback is not None else ""
        line = command.line or command.get_short_help_str(1_000)
        rows.append([words, module_name, *completed_records(command), line])
    return "".join("\t".join(row).replace("flagtui.cli.", "", 1) + "\n" for row in sorted(rows))


def completed_records(command: RecordCommand) -> tuple[str, str]:
    """The kind of records that its arguments name, and the options that take a tag of them."""
    typed = [(param, param.type.kind) for param in command.params if isinstance(param.type, RecordWord)]
    kind = next((kind for param, kind in typed if isinstance(param, click.Argument)), "")
    options = [name for param, _kind in typed if isinstance(param, click.Option) for name in param.opts]
    return (kind, " ".join(options)) if kind else ("", "")


def required_options(command: RecordCommand) -> list[str]:
    """The options a command does not go without, each with some value."""
    options = [option for option in command.params if isinstance(option, click.Option) and option.required]
    return [word for option in options for word in words_of(option)]


def words_of(option: click.Option, value: str = "") -> list[str]:
    """The option with a value that it accepts, or with this one."""
    if option.is_flag or option.count:
        return [label_of(option)]
    kind = option.type
    some = {"NAME=VALUE": "name=1", "STATE": "on"}.get(str(option.metavar), "1")
    if isinstance(kind, click.Choice):
        some = str(kind.choices[0])
    elif isinstance(kind, click.Path) and kind.exists:
        some = __file__
    return [label_of(option), f"{value}=1" if value and "=" in some else value or some]


def words_of_use(command: click.Command, use: str) -> list[str]:
    """Words of a command that are such a use of an option or an argument."""
    param = param_of(command, use)
    return words_of(param, use.partition(" ")[2]) if isinstance(param, click.Option) else ["x"]


def missing_words(command: click.Command, given: Sequence[str]) -> list[str]:
    """What the command requires in addition to these words."""
    missing: list[str] = []
    for param in command.params:
        if isinstance(param, click.Argument) and param.required:
            missing.append("x")
        elif isinstance(param, click.Option) and param.required and label_of(param) not in given:
            missing += words_of(param)
    return missing


def is_on_a_screen(name: str, example: str) -> bool:
    """Whether it opens the app; the demo with a command does what that command does."""
    inner = [word for word in example.split()[1:] if word in command_index()]
    return name == "pick" or (name == "demo" and not inner)


def names_records(command: RecordCommand) -> bool:
    """Whether its words are names of records."""
    arguments = [argument for argument in command.params if isinstance(argument, click.Argument)]
    return any(isinstance(argument.type, RecordWord) for argument in arguments)


def _walk(group: click.Group, words: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], RecordCommand]]:
    """The commands below a group with the words that name them."""
    for name in group.list_commands(ROOT):
        command = group.get_command(ROOT, name)
        if isinstance(command, click.Group):
            yield from _walk(command, (*words, name))
        elif isinstance(command, RecordCommand):
            yield (*words, name), command
        else:
            raise TypeError(f"{name} does not say what it prints")


def describe(name: str, command: RecordCommand) -> dict[str, Any]:
    """A command as plain values, with all that its help and its completion show."""
    context = click.Context(command, info_name=name, parent=ROOT)
    fields = command.kind.fields if command.kind is not None else ()
    return {
        "name": name,
        "summary": command.get_short_help_str(1_000),
        # From 3.13 on, Python drops the indentation itself.
        "help": cleandoc(command.help or ""),
        "writes": command.writes,
        "arguments": [
            _argument(each, context) for each in command.params if isinstance(each, click.Argument)
        ],
        "options": [
            _option(each, context)
            for each in command.get_params(context)
            if isinstance(each, click.Option) and not each.hidden
        ],
        "output": command.kind.name if command.kind is not None else "",
        "fields": command.kind.names if command.kind is not None else (),
        "enums": {field.name: field.choices for field in fields if field.choices},
        "operations": command.operations,
        "examples": [f"flagtui {example}" for example in command.examples],
    }


def _argument(argument: click.Argument, context: click.Context) -> dict[str, Any]:
    return {
        "name": argument.name,
        "many": argument.nargs == -1,
        "required": argument.required,
        "choices": _choices(argument.type),
        "shown": argument.make_metavar(context),
        "completed_by": _completed_by(argument.type),
    }


def _option(option: click.Option, context: click.Context) -> dict[str, Any]:
    record = option.get_help_record(context)
    return {
        "names": [*option.opts],
        "value": None if option.is_flag else option.make_metavar(context),
        "choices": _choices(option.type),
        "required": option.required,
        "many": option.multiple,
        "default": option.default if isinstance(option.default, str | int | float | bool) else None,
        "excludes": excluded_uses(context.command, option),
        "requires": [*option.requires] if isinstance(option, RuledOption) else [],
        "help": option.help or "",
        "shown": record[1] if record is not None else "",
        "completed_by": _completed_by(option.type),
    }


def rules_of(command: click.Command) -> Iterator[RuledOption]:
    """The options of the command with rules."""
    return (param for param in command.params if isinstance(param, RuledOption))


def excluded_uses(command: click.Command, option: click.Option) -> list[str]:
    """What contradicts an option of the command, whichever of both declares it."""
    own = option.excludes if isinstance(option, RuledOption) else ()
    uses = [use for use in own if param_of(command, use) is not None]
    for other in rules_of(command):
        uses += [label_of(other) for use in other.excludes if use in option.opts]
    return [*dict.fromkeys(uses)]


def _choices(kind: click.ParamType[Any]) -> list[str]:
    return [*kind.choices] if isinstance(kind, click.Choice | KnownWord) else []


def _completed_by(kind: click.ParamType[Any]) -> str:
    if isinstance(kind, RecordWord):
        return f"{'tags of ' * kind.is_tag}{kind.kind}"
    if isinstance(kind, QueryWord | SortOrder):
        return f"{'queries' if isinstance(kind, QueryWord) else 'orders'} of {kind.kind}"
    ways = {
        click.Choice: "choices",
        KnownWord: "words",
        SchemaName: "schemas",
        SetName: "sets",
        ProposalId: "proposals",
        click.Path: "files",
        CommandWords: "commands",
        FieldNames: "fields",
        ProfileName: "profiles",
        ProjectId: "projects",
        ChangeId: "changes",
    }
    return next((way for type_, way in ways.items() if isinstance(kind, type_)), "")
