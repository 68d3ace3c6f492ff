"""Every command of the program, by the words that name it."""

import click

from flagtui.cli.command_tree import walk
from flagtui.cli.main import door
from flagtui.cli.twin_command import TwinCommand
from flagtui.cli.word_types import RecordWord


def all_commands() -> dict[str, TwinCommand]:
    """Without groups: `auth login`, `flags list`."""
    context = click.Context(door, info_name="flagtui", **door.context_settings)
    return {" ".join(words): command for words, command in walk(context, door, ())}


def required_options(command: TwinCommand) -> list[str]:
    """The options a command does not go without, each with some value."""
    options = [one for one in command.params if isinstance(one, click.Option) and one.required]
    return [word for one in options for word in (one.opts[0], "allow" if one.type.name == "choice" else "1")]


def names_records(command: TwinCommand) -> bool:
    """Whether its words are names of records."""
    arguments = [one for one in command.params if isinstance(one, click.Argument)]
    return any(isinstance(one.type, RecordWord) for one in arguments)
