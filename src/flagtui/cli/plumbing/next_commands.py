"""The next command that a message names: a copied one acts where the command that printed it did."""

import shlex
from collections.abc import Sequence
from typing import Final

import click

from flagtui.cli.plumbing.command_tree import descriptions
from flagtui.cli.plumbing.options import NEXT_PLACE
from flagtui.cli.plumbing.profile_choice import BUILT_IN, program_words

_PLACELESS: Final = ("journal", "projects")
"""Commands that take no project, or list all of them."""
NO_PLACE: Final = {"profile": "", "project": ""}
"""The place of a command that takes neither option."""


def next_command(*words: str, **place: str) -> str:
    """Return a command line for the profile and the project of this command, its words quoted.

    `place` has other values of these options. Variables of the environment are not repeated: they are still
    set where the line is pasted.
    """
    context = click.get_current_context(silent=True)
    # Commands without these options may follow them: `flagtui --profile prod mirror list`.
    before, kept = (context.find_root().params, context.meta.get(NEXT_PLACE, {})) if context else ({}, {})
    given = {**before, **kept, **place}
    # The demo has no profile, but a staged set, a journal and files of its own.
    names = [] if BUILT_IN else ["profile"]
    names += ["project"] if words[0] not in _PLACELESS else []
    options = [word for name in names if (value := given.get(name)) for word in (f"--{name}", value)]
    dashed = _dashed_names(words)
    left = [word for word in words if word not in dashed]
    return shlex.join([*program_words(), *left, *options, *(["--", *dashed] if dashed else [])])


def _dashed_names(words: Sequence[str]) -> list[str]:
    """Return the names among the words of a command that it would take for options, such as `-beta`."""
    dashed = [word for word in words if word.startswith("-") and word != "-"]
    if not dashed:
        return []
    lines = descriptions()
    line = lines.get(" ".join(words[:2])) or lines.get(words[0])
    options = {name for option in line["options"] for name in option["names"]} if line else {*dashed}
    return [word for word in dashed if word not in options]


def with_place(sentence: str, command: str) -> str:
    """Return the sentence with the profile and the project added to a command that it names."""
    return sentence.replace(command, next_command(*command.split()[1:]))
