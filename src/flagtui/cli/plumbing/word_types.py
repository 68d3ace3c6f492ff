"""Arguments that name records, completed from the copies of lists on disk."""

from collections.abc import Callable
from typing import Any, Final

import click
from click.shell_completion import CompletionItem, ShellComplete

from flagtui.cli.plumbing.option_rules import limit_option, ruled_option
from flagtui.cli.plumbing.value_types import QueryWord, SortOrder, option_value, query_words
from flagtui.config.locations import find_locations, state_in


class RecordWord(click.types.StringParamType):
    """A name, an id, `-` or a query."""

    name = "word"

    def __init__(self, kind: str, *, is_tag: bool = False) -> None:
        self.kind = kind
        self.is_tag = is_tag

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        from flagtui.cli.plumbing.completion_words import known_words

        profile, project = option_value(ctx, "profile"), option_value(ctx, "project")
        words = known_words(self.kind, profile, project, incomplete, is_tag=self.is_tag)
        if ":" in incomplete and not self.is_tag:
            words += query_words(self.kind, profile, project, incomplete)
        return [CompletionItem(word) for word in words]


class CommandWords(click.types.StringParamType):
    """Words of another command of this program, on the same profile or on the demo."""

    name = "command"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        words = [] if param.name is None else [*ctx.params.get(param.name, ())]
        completion = ShellComplete(ctx.find_root().command, {}, "flagtui", "")
        if ctx.info_name != "demo":
            profile = option_value(ctx, "profile")
            words = [*(["--profile", profile] if profile else []), *words]
            return completion.get_completions(words, incomplete)
        # Loaded here: only completion of the demo's commands needs it.
        from flagtui.cli.plumbing.demo_places import DEMO_PROFILE, sample_name, state_of

        name = sample_name(ctx.params.get("flags"), is_nasty=ctx.params.get("nasty") is True)
        data = find_locations().data
        with state_in(None if data is None else state_of(data, name)):
            return completion.get_completions(["--profile", DEMO_PROFILE, *words], incomplete)


class WordArgument:
    """A decorator that adds the argument."""

    def __init__(
        self, name: str, metavar: str, kind: str, *, is_many: bool, is_required: bool = True
    ) -> None:
        self.word_type = RecordWord(kind)
        self._name = name
        self._metavar = metavar
        self._is_many = is_many
        self._is_required = is_required

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        metavar = f"{self._metavar}..." if self._is_many else self._metavar
        count = -1 if self._is_many else 1
        return click.argument(
            self._name, metavar=metavar, nargs=count, required=self._is_required, type=self.word_type
        )(function)


FLAG_WORDS: Final = WordArgument("flags", "FLAG", "flags", is_many=True)
FLAG_WORD: Final = WordArgument("flag", "FLAG", "flags", is_many=False)
FLAG_OR_FILE: Final = WordArgument("flag", "[FLAG]", "flags", is_many=False, is_required=False)
EXPERIMENT_WORDS: Final = WordArgument("experiments", "EXPERIMENT", "experiments", is_many=True)
EXPERIMENT_WORD: Final = WordArgument("experiment", "EXPERIMENT", "experiments", is_many=False)
EVENT_WORDS: Final = WordArgument("events", "EVENT", "events", is_many=True)
EVENT_WORD: Final = WordArgument("event", "EVENT", "events", is_many=False)
TAG: Final = RecordWord("flags", is_tag=True)
COMMAND_WORDS: Final = CommandWords()


def tag_options(kind: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare `--add`, `--remove` and `--set` as `added`, `removed` and `only`, completed with tags."""

    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        tag = RecordWord(kind, is_tag=True)
        for name, into, words in reversed(
            (
                ("--add", "added", "Add this tag; may be repeated."),
                ("--remove", "removed", "Remove this tag; may be repeated."),
                ("--set", "only", "Replace all tags with this one; may be repeated."),
            )
        ):
            function = ruled_option(
                name,
                into,
                multiple=True,
                metavar="TAG",
                type=tag,
                help=words,
                excludes=() if name == "--set" else ("--set",),
            )(function)
        return function

    return add


def query_argument(kind: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare `[QUERY]...`, completed with the qualifiers of this kind."""
    return click.argument("query", nargs=-1, metavar="[QUERY]...", type=QueryWord(kind))


def list_options(kind: str, orders: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare `[QUERY]...`, `--sort` and `--limit` of a list; `orders` describes the orders."""

    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        sort = click.option("--sort", default="", metavar="ORDER", type=SortOrder(kind), help=orders)
        return query_argument(kind)(sort(limit_option()(function)))

    return add
