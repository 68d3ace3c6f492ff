"""The errors for an unknown name, with similar names, and for an option that is of other commands."""

import difflib
import re
import shlex
from collections.abc import Iterable, Sequence
from typing import Final

import click

from flagtui.cli.plumbing.command_tree import descriptions
from flagtui.cli.plumbing.errors import Trouble
from flagtui.cli.plumbing.next_commands import next_command
from flagtui.cli.plumbing.other_words import OPTIONS, QUERIES
from flagtui.cli.plumbing.profile_choice import program_words
from flagtui.cli.plumbing.value_types import QueryWord, query_words
from flagtui.cli.plumbing.word_types import RecordWord
from flagtui.safe_text import safe_text
from flagtui.store.query.vocabulary import SYNONYMS as QUALIFIERS

NEAR: Final = 3
"""Similar names that the error suggests."""
LISTED: Final = 5
"""Missing names that the error lists; the search for similar ones takes long in a long list."""


def similar_names(missing: Sequence[str], names: Iterable[str]) -> list[str]:
    """Return the names that the first of the missing ones could mean, each once."""
    names = list(names)
    by_fold = {name.casefold(): name for name in names}
    near: list[str] = []
    for word in missing[:LISTED]:
        folded = re.sub(r"[\s_]+", "-", word.casefold())
        close = difflib.get_close_matches(folded, by_fold, NEAR, 0.6)
        alike = [name for name in names if word.casefold() in name.casefold()]
        near += [by_fold[name] for name in close] or alike[:NEAR]
    return list(dict.fromkeys(near))


def not_found(noun: str, missing: Sequence[str], names: Iterable[str], where: str) -> Trouble:
    """Return the trouble about a missing name, with similar names, else with the command that lists all."""
    names = list(names)
    absent = ", ".join(safe_text(word, 80) for word in missing[:LISTED])
    more = f" and {len(missing) - LISTED:,} more" if len(missing) > LISTED else ""
    likely = ", ".join(safe_text(name, 80) for name in similar_names(missing, names))
    fix = (
        f"Did you mean {likely}? Nothing was done."
        if likely
        else f"Nothing was done. See: {next_command(*where.split())}"
    )
    whole = {name.casefold(): name for name in names}.get(" ".join(missing).casefold())
    if whole is not None and len(missing) > 1:
        fix = f"Did you mean {safe_text(whole, 80)!r}, in quotes? Nothing was done."
    return Trouble(f"there is no {noun} {absent}{more}.", fix, code="not_found")


def option_of_commands(name: str, prefix: str, where: str) -> Trouble | None:
    """Return that an option follows a command whose words begin with `prefix`; None for other options.

    `where` is the group in which it was given.
    """
    options = {
        words: option
        for words, line in descriptions().items()
        for option in line["options"]
        if words.startswith(prefix) and name in option["names"]
    }
    if not options:
        return None
    fix = f"See: {where} --help"
    if example := next((words for words in (f"{prefix}list", "flags list") if words in options), ""):
        option = options[example]
        value = next(iter(option["choices"]), option["value"] or "")
        fix = f"Example: {' '.join((*program_words(), example, name, value))}".rstrip()
    return Trouble(f"{name} is an option of commands, and follows one.", fix, code="usage")


def near_options(name: str, command: click.Command) -> list[str]:
    """Return what an unknown option could mean: words of the command's query, else similar options."""
    options = [option for param in command.params if isinstance(param, click.Option) for option in param.opts]
    meant = [option for option in OPTIONS.get(name, ()) if option in options]
    meant = meant or [option for option in options if option.startswith(f"{name}-")]
    if meant:
        return meant
    kinds = [
        param.type.kind
        for param in command.params
        if isinstance(param, click.Argument) and isinstance(param.type, QueryWord | RecordWord)
    ]
    if meant := _query_words(name.lstrip("-"), kinds[0]) if kinds else []:
        return meant
    near = difflib.get_close_matches(name.lstrip("-"), [option.lstrip("-") for option in options], 3, 0.6)
    return [option for option in options if option.lstrip("-") in near]


def _query_words(word: str, kind: str) -> list[str]:
    """Return the words of a query that mean the same as an option of another program."""
    if word in QUERIES:
        return ["QUERY without an option"]
    qualifiers = {*query_words(kind, "", "", ""), *query_words(kind, "", "", "is:")}
    name = QUALIFIERS.get(word, word)
    return [
        f"{qualifier} in the query" for qualifier in (f"{name}:", f"is:{name}") if qualifier in qualifiers
    ]


def example_with(wrong: click.MissingParameter) -> str:
    """Return an example of the command with the missing option or argument; empty without one."""
    if wrong.ctx is None or wrong.param is None:
        return ""
    line = descriptions().get(" ".join(wrong.ctx.command_path.split()[1:]), {"examples": ()})
    is_option = isinstance(wrong.param, click.Option)
    for example in line["examples"]:
        words = shlex.split(example)
        if not is_option or not {*words}.isdisjoint(wrong.param.opts):
            return f"Example: {' '.join((*program_words(), example.partition(' ')[2]))}"
    return ""
