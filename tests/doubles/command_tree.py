"""Every command of the program, by the words that name it."""

from collections.abc import Iterator

import click

from flagtui.cli.main import door
from flagtui.cli.twin_command import TwinCommand


def all_commands() -> dict[str, click.Command]:
    """Without groups: `auth login`, `flags list`."""
    return dict(_below(click.Context(door, info_name="flagtui", **door.context_settings), door, ()))


def twin_commands() -> dict[str, TwinCommand]:
    """Those that say what they print."""
    return {name: each for name, each in all_commands().items() if isinstance(each, TwinCommand)}


def _below(
    context: click.Context, group: click.Group, words: tuple[str, ...]
) -> Iterator[tuple[str, click.Command]]:
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from _below(context, command, (*words, name))
        else:
            yield " ".join((*words, name)), command
