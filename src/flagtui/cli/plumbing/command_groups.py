"""The commands of each group and where each is; loads none of them, and nothing but click for their help."""

import difflib
from collections.abc import Mapping
from functools import partial
from importlib import import_module
from typing import Any, Final

import click
from click.shell_completion import CompletionItem

from flagtui.cli.plumbing.command_descriptions import CommandPlace, DescribedCommand, descriptions
from flagtui.safe_text import safe_text

LINEAR: Final = "flagtui.linear"
"""Says in a click context that lines were asked for instead of a screen."""
HELP: Final = frozenset(("-h", "--help"))
_DESCRIPTION: Final = 45
"""Characters of what a shell shows beside a name."""


class LazyGroup(click.Group):
    """Loads a command's module only when that command is called; its help is made from its description.

    A command that there is not is told with those that are near it.
    """

    context_class = CommandPlace

    def __init__(self, name: str | None, *, modules: Mapping[str, str], **more: Any) -> None:
        """`modules` are those within `flagtui.cli`, by the names of commands."""
        super().__init__(name, **more)
        self.modules = modules

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(self.modules)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return self._loaded(cmd_name) if cmd_name in self.modules else None

    def _loaded(self, name: str) -> click.Command:
        declared = vars(import_module(f"flagtui.cli.{self.modules[name]}")).values()
        return next(one for one in declared if isinstance(one, click.Command) and one.name == name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        told = descriptions().get(self.words_of(args[0]))
        if told is not None and (ctx.resilient_parsing or not HELP.isdisjoint(args)):
            return args[0], DescribedCommand(args[0], told, partial(self._loaded, args[0])), args[1:]
        # A shell that completes a word shows no errors: what it prints would be in the middle of the line.
        is_called = not ctx.resilient_parsing and not args[0].startswith("-")
        if is_called and args[0] not in self.modules:
            near = self.near(ctx, args[0])
            likely = f" Did you mean {' or '.join(near)}?" if near else ""
            raise click.UsageError(f"No such command '{safe_text(args[0], 80)}'.{likely}", ctx)
        return super().resolve_command(ctx, args)

    def near(self, ctx: click.Context, word: str) -> list[str]:
        """Commands that are written nearly so."""
        return difflib.get_close_matches(word.casefold(), self.modules, 3)

    def words_of(self, command: str) -> str:
        """The words that name a command of the group."""
        return f"{self.name} {command}"

    def summary(self, command: str) -> str:
        """What a command of the group does, in a line."""
        found: str = descriptions()[self.words_of(command)]["summary"]
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        # The first help that a person sees is whole however narrow the terminal is.
        room = formatter.width - 6 - max(map(len, self.modules)) if ctx.parent is not None else 1_000
        with formatter.section("Commands"):
            formatter.write_dl([(name, self._line(name, room)) for name in self.list_commands(ctx)])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        names = [name for name in self.list_commands(ctx) if name.startswith(incomplete)]
        found = [CompletionItem(name, help=self._line(name, _DESCRIPTION)) for name in names]
        return [*found, *click.Command.shell_complete(self, ctx, incomplete)]

    def _line(self, name: str, room: int) -> str:
        return click.Command(name, help=self.summary(name)).get_short_help_str(room)


COMMANDS: Final[Mapping[str, tuple[str, str]]] = {
    "flags": ("plumbing.command_groups", "See and change feature flags."),
    "experiments": ("plumbing.command_groups", "See and change experiments."),
    "events": ("plumbing.command_groups", "See and change event definitions."),
    "activity": ("commands.activity", "Show who changed which flag."),
    "watch": ("commands.watch", "Print every change as it happens."),
    "pick": ("commands.pick", "Choose a flag in the list and print its key."),
    "demo": ("commands.demo", "Open the app on its own embedded service: no account, no network."),
    "serve": ("commands.serve", "Run the embedded service on a port of this machine."),
    "keys": ("plumbing.command_groups", "Create, list and revoke the API keys of an embedded service."),
    "auth": ("plumbing.command_groups", "Sign in, see who you are, sign out."),
    "profiles": ("commands.profiles", "List the profiles of the settings file."),
    "projects": ("commands.auth.account", "List the projects the key can open."),
    "journal": ("commands.journal", "Show what you changed, for reading, sharing and programs."),
    "undo": ("commands.undo", "Take back a change of yours, held against today's record."),
    "redo": ("commands.undo", "Make again what you undid last."),
    "doctor": ("commands.doctor", "Say what was found where; to paste into a report."),
    "commands": ("commands.reference", "List every command, for programs."),
    "completion": ("commands.completion", "Print the completion for a shell."),
}
"""Of the whole program: the module of each, and what it does in a shorter line than its own."""


def _group(name: str, modules: Mapping[str, str], help: str) -> LazyGroup:
    """`modules` have the names of their commands, with blanks between."""
    places = {command: module for module, words in modules.items() for command in words.split()}
    return LazyGroup(name, modules=places, help=help)


flags = _group(
    "flags",
    {
        "commands.flags.flag_changes": "archive delete disable enable restore rollout tag unarchive",
        "commands.flags.flag_edit": "edit",
        "commands.flags.flag_evaluations": "evaluate explain",
        "commands.flags.flag_extras": "cohort dashboard schedule",
        "commands.flags.flag_history": "diff due history",
        "commands.flags.flag_reports": "cohorts definitions payload stale status",
        "commands.flags.flag_views": "get list",
        "commands.flags.new_flag_changes": "copy create",
    },
    """See and change feature flags.

    FLAG is a key, an id, or a query such as 'is:stale tag:web'; several at once, and - reads them from
    standard input.
    """,
)
experiments = _group(
    "experiments",
    {
        "commands.experiments.experiment_changes": "archive cohort copy create delete duplicate edit"
        " end launch pause reset restore resume ship unarchive",
        "commands.experiments.experiment_results": "results timeseries",
        "commands.experiments.experiment_views": "eligible get history holdouts list metrics stats",
    },
    """See and change experiments.

    EXPERIMENT is a name, the key of its flag, an id, or a query such as 'is:running flag:checkout';
    several at once, and - reads them from standard input.
    """,
)
events = _group(
    "events",
    {
        "commands.events.definition_changes": "delete describe enforce hide owner property show"
        " tag unverify verify",
        "commands.events.event_views": "get list types",
    },
    """See and change event definitions.

    EVENT is a name, an id, or a query such as 'is:unverified seen:<7d'; several at once, and - reads them
    from standard input.
    """,
)
keys = _group(
    "keys",
    {"commands.keys.service_keys": "create list revoke"},
    "Create, list and revoke the API keys of an embedded service.",
)
auth = _group(
    "auth",
    {"commands.auth.account": "logout status", "commands.auth.login": "login"},
    "Sign in, see who you are, sign out.",
)
