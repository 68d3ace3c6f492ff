"""The tree of the commands: names from the index, help from descriptions, and a command when it is called.

Declaring a command loads all that it needs, so neither help nor completion does.
"""

import difflib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import Any, Final

import click
from click.core import ParameterSource
from click.shell_completion import CompletionItem

from flagtui.cli.plumbing.global_options import move_options
from flagtui.cli.plumbing.option_rules import check_repeats, check_rules, empty_value, label_of, refuse_option
from flagtui.cli.plumbing.registry import COMMANDS, command_index, load_command
from flagtui.cli.plumbing.value_types import BY_WAY, FieldNames, KnownWord, ListedWord, QueryWord, SortOrder
from flagtui.cli.plumbing.word_types import COMMAND_WORDS, CommandWords, RecordWord
from flagtui.safe_text import safe_text

FILE: Final = Path(__file__).parents[1] / "commands.jsonl"
"""A line for each command. `make generate` writes it."""
LINEAR: Final = "flagtui.linear"
"""Key in a click context: lines were requested instead of a screen."""
DEFAULT: Final = "run"
"""The default command of a group: `flagtui mirror --sample`."""
HELP: Final = frozenset(("-h", "--help"))
MAY_BE_EMPTY: Final = ("description", "text", "comment", "primary", "only")
"""Parameters whose empty value clears a text, a primary property or all tags."""
PLAN, FINDING = "change-plan", "code-finding"
"""The schemas of every dry run, and of the JSON of check."""
_DESCRIPTION: Final = 45
"""Characters of what a shell shows beside a name."""


@cache
def descriptions() -> Mapping[str, Mapping[str, Any]]:
    """Load the descriptions by command name, in the order of the help."""
    lines = map(json.loads, FILE.read_text(encoding="utf-8").splitlines())
    return {line["name"]: line for line in lines}


def schemas() -> Mapping[str, str]:
    """Return the commands that print each schema, by its name."""
    printed = {line["output"]: words for words, line in descriptions().items() if line["output"]}
    return {**printed, PLAN: "flags enable", FINDING: "check"}


class SchemaName(ListedWord):
    def words(self, context: click.Context, begun: str) -> Iterable[str]:
        return sorted(schemas())


class CommandPlace(click.Context):
    """The current command on the command line, which usage errors name."""

    def __exit__(
        self, exc_type: type[BaseException] | None, exc_value: BaseException | None, tb: TracebackType | None
    ) -> bool | None:
        if isinstance(exc_value, click.UsageError) and exc_value.ctx is None:
            # An option without its value may belong to any command.
            exc_value.ctx = self
        return super().__exit__(exc_type, exc_value, tb)


def check_words(context: click.Context) -> None:
    """Refuse an empty option or argument, such as an unset variable of a script; a query may be empty.

    Refuse an option of the command behind --, too, where it would be a name or a part of a query.

    Raises:
        UsageError: names the option or argument.
    """
    if context.resilient_parsing:
        return
    for param in context.command.params:
        name = param.name or ""
        if context.get_parameter_source(name) is not ParameterSource.COMMANDLINE:
            continue
        value = context.params.get(name)
        words = [each for each in (value if isinstance(value, tuple) else (value,)) if isinstance(each, str)]
        is_name = isinstance(param, click.Argument) and not isinstance(param.type, QueryWord | CommandWords)
        is_option = isinstance(param, click.Option) and name not in MAY_BE_EMPTY
        if (is_name or is_option) and not all(map(str.strip, words)):
            raise click.UsageError(empty_value(label_of(param), is_required=param.required), context)
        is_record = isinstance(param.type, RecordWord) and not param.type.is_tag
        for word in words if is_record or isinstance(param.type, QueryWord) else ():
            refuse_option(word, context)


class ShownCommand(click.Command):
    """A command whose help ends with examples."""

    context_class = CommandPlace
    examples: Sequence[str] = ()
    """Each without the name of the program."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not ctx.allow_interspersed_args:
            is_unfinished = ctx.resilient_parsing
            args = move_options(args, self.params, is_command=True, is_unfinished=is_unfinished)
        if not ctx.resilient_parsing:
            check_repeats(args, ctx)
        rest = super().parse_args(ctx, args)
        check_words(ctx)
        check_rules(ctx)
        return rest

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        if self.examples:
            with formatter.section("Examples"):
                for example in self.examples:
                    formatter.write(f"{'':{formatter.current_indent}}flagtui {example}\n")
        super().format_epilog(ctx, formatter)


class DescribedCommand(ShownCommand):
    """Represent a command for help and completion; everything else is left to that command."""

    def __init__(self, name: str, description: Mapping[str, Any], real: Callable[[], click.Command]) -> None:
        params: list[click.Parameter] = [*map(_argument, description["arguments"])]
        # Click makes the one for help.
        params += [
            _option(option, description["fields"])
            for option in description["options"]
            if "--help" not in option["names"]
        ]
        # What follows the first word of another command is for that command, a call for help too.
        is_whole = all(argument["completed_by"] != "commands" for argument in description["arguments"])
        settings = {"allow_interspersed_args": is_whole}
        super().__init__(name, help=description["help"], params=params, context_settings=settings)
        self.examples = [example.removeprefix("flagtui ") for example in description["examples"]]
        self._real = real

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        for param in self.params:
            if isinstance(param.type, CommandWords) and param.name and ctx.params.get(param.name):
                # An option of that command.
                return param.type.shell_complete(ctx, param, incomplete)
        return super().shell_complete(ctx, incomplete)

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        given = list(args)
        made = super().make_context(info_name, args, parent, **extra)
        if made.resilient_parsing:
            return made
        # The word was the value of an option: a call for help has ended the program.
        return self._real().make_context(info_name, given, parent, **extra)


def _argument(row: Mapping[str, Any]) -> click.Argument:
    count = -1 if row["many"] else 1
    return click.Argument([row["name"]], metavar=row["shown"], nargs=count, required=False, type=_type(row))


def _option(row: Mapping[str, Any], fields: Sequence[str]) -> click.Option:
    if row["value"] is None:
        return click.Option(row["names"], is_flag=True, help=row["shown"])
    return click.Option(
        row["names"], metavar=row["value"], multiple=row["many"], help=row["shown"], type=_type(row, fields)
    )


def _type(row: Mapping[str, Any], fields: Sequence[str] = ()) -> click.ParamType[Any]:
    """Return the type that completes an option's value; `fields` are those that the command prints."""
    way, _of, kind = row["completed_by"].partition(" of ")
    makers: dict[str, Callable[[], click.ParamType[Any]]] = {
        "": lambda: click.STRING,
        "choices": lambda: click.Choice(row["choices"]),
        "files": click.Path,
        "words": lambda: KnownWord(row["choices"]),
        "commands": lambda: COMMAND_WORDS,
        "tags": lambda: RecordWord(kind, is_tag=True),
        "queries": lambda: QueryWord(kind),
        "orders": lambda: SortOrder(kind),
        "fields": lambda: FieldNames(fields),
        "schemas": SchemaName,
        **BY_WAY,
    }
    return makers[way]() if way in makers else RecordWord(way)


def _begins_with_options(args: Sequence[str]) -> bool:
    """Return whether a group is called without a command, and not for its help."""
    return not args or (args[0].startswith("-") and args[0] not in HELP)


class LazyGroup(click.Group):
    """Loads a command's module only when that command is called; its help is made from its description.

    The error for an unknown command names those that are near it.
    """

    context_class = CommandPlace

    def __init__(self, name: str | None, *, prefix: str = "", **more: Any) -> None:
        """`prefix` is what precedes the commands of the group: `flags `; empty for the whole program."""
        super().__init__(name, **more)
        self.prefix = prefix

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        args = move_options(args, self.params, is_unfinished=ctx.resilient_parsing)
        if not ctx.resilient_parsing:
            check_repeats(args, ctx)
        if self.prefix and f"{self.prefix}{DEFAULT}" in command_index() and _begins_with_options(args):
            args = [DEFAULT, *args]
        rest = super().parse_args(ctx, args)
        check_words(ctx)
        check_rules(ctx)
        return rest

    def list_commands(self, ctx: click.Context) -> list[str]:
        rests = [
            words.removeprefix(self.prefix) for words in command_index() if words.startswith(self.prefix)
        ]
        return [rest for rest in rests if " " not in rest]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        words = f"{self.prefix}{cmd_name}"
        if words not in command_index():
            return None
        module = import_module(f"flagtui.cli.{command_index()[words].module}")
        # A group is a package, which declares no command.
        return COMMANDS.get(words) or LazyGroup(cmd_name, prefix=f"{words} ", help=module.__doc__)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name, words = args[0], f"{self.prefix}{args[0]}"
        if (ctx.resilient_parsing or not HELP.isdisjoint(args)) and words in descriptions():
            return name, DescribedCommand(name, descriptions()[words], partial(load_command, words)), args[1:]
        # A shell that completes a word shows no errors: what it prints would be in the middle of the line.
        is_called = not ctx.resilient_parsing and not name.startswith("-")
        if is_called and words not in command_index():
            near = self.near(ctx, name)
            likely = f" Did you mean {' or '.join(near)}?" if near else ""
            raise click.UsageError(f"No such command '{safe_text(name, 80)}'.{likely}", ctx)
        return super().resolve_command(ctx, args)

    def near(self, ctx: click.Context, word: str) -> list[str]:
        """Return commands with similar names, or the same purpose in another program."""
        if word == "help":
            return [f"{ctx.command_path} --help"]
        from flagtui.cli.plumbing.other_words import COMMANDS
        from flagtui.cli.plumbing.profile_choice import program_words

        synonyms = (*COMMANDS.get(word.casefold(), ()), *([word.casefold()] if self.prefix else ()))
        meant = [name for name in synonyms if f"{self.prefix}{name}" in command_index()]
        meant = meant or [" ".join((*program_words(), name)) for name in synonyms if name in command_index()]
        return meant or difflib.get_close_matches(word.casefold(), self.list_commands(ctx), 3)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, self._line(name)) for name in self.list_commands(ctx)])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        names = [name for name in self.list_commands(ctx) if name.startswith(incomplete)]
        items = [CompletionItem(name, help=self._short_line(name)) for name in names]
        return [*items, *click.Command.shell_complete(self, ctx, incomplete)]

    def _line(self, name: str) -> str:
        return command_index()[f"{self.prefix}{name}"].line

    def _short_line(self, name: str) -> str:
        """Return its first clause for a completion, cut where that is long too."""
        clause = self._line(name).partition(";")[0]
        return click.Command(name, help=clause).get_short_help_str(_DESCRIPTION)
