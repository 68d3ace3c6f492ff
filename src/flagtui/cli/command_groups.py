"""The commands of each group: the module of each, and its line in the help. Loads click and none of them."""

from collections.abc import Mapping
from importlib import import_module
from types import TracebackType
from typing import Any, Final

import click
from click.shell_completion import CompletionItem

LINEAR: Final = "flagtui.linear"
"""Says in a click context that lines were asked for instead of a screen."""
_DESCRIPTION: Final = 45
"""Characters of what a shell shows beside a name."""
Table = Mapping[str, tuple[str, str]]
"""By the name of a command: its module, and what it does in a line."""


class CommandPlace(click.Context):
    """Where on the command line we are; a mistake of the person there names it."""

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc_value: BaseException | None,
        tb: TracebackType | None,
    ) -> bool | None:
        if isinstance(exc_value, click.UsageError) and exc_value.ctx is None:
            # An option without its value does not say of which command it is.
            exc_value.ctx = self
        return super().__exit__(exc_type, exc_value, tb)


class LazyGroup(click.Group):
    """Loads a command's module only when that command is named; its help is made from the table."""

    context_class = CommandPlace

    def __init__(self, name: str | None, *, table: Table, folder: str = "flagtui.cli", **more: Any) -> None:
        super().__init__(name, **more)
        self.table = table
        self._folder = folder

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.table:
            return None
        module = import_module(f"{self._folder}.{self.table[cmd_name][0]}")
        commands = (one for one in vars(module).values() if isinstance(one, click.Command))
        return next(one for one in commands if one.name == cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        # The first help that a person sees is whole however narrow the terminal is.
        room = formatter.width - 6 - max(map(len, self.table)) if ctx.parent is not None else 1_000
        with formatter.section("Commands"):
            formatter.write_dl([(name, self._line(name, room)) for name in self.table])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        names = [name for name in self.table if name.startswith(incomplete)]
        found = [CompletionItem(name, help=self._line(name, _DESCRIPTION)) for name in names]
        return [*found, *click.Command.shell_complete(self, ctx, incomplete)]

    def _line(self, name: str, room: int) -> str:
        return click.Command(name, help=self.table[name][1]).get_short_help_str(room)


COMMANDS: Final[Table] = {
    "flags": ("command_groups", "See and change feature flags."),
    "experiments": ("command_groups", "See and change experiments."),
    "events": ("command_groups", "See and change event definitions."),
    "activity": ("activity", "Show who changed which flag."),
    "watch": ("watch", "Print every change as it happens."),
    "pick": ("pick", "Choose a flag in the list and print its key."),
    "demo": ("demo", "Open the app on its own embedded service: no account, no network."),
    "serve": ("serve", "Run the embedded service on a port of this machine."),
    "keys": ("command_groups", "Create, list and revoke the API keys of an embedded service."),
    "auth": ("command_groups", "Sign in, see who you are, sign out."),
    "profiles": ("profiles", "List the profiles of the settings file."),
    "projects": ("account", "List the projects the key can open."),
    "journal": ("journal", "Show what you changed, for reading, sharing and programs."),
    "undo": ("undo", "Take back a change of yours, held against today's record."),
    "redo": ("undo", "Make again what you undid last."),
    "doctor": ("doctor", "Say what was found where; to paste into a report."),
    "commands": ("command_tree", "List every command, for programs."),
    "completion": ("completion", "Print the completion for a shell."),
}
FLAGS: Final[Table] = {
    "archive": ("flag_changes", "Turn flags off and put them out of the list."),
    "cohort": ("flag_extras", "Make a cohort of everyone who has a flag now."),
    "cohorts": ("flag_reports", "List the groups of people that conditions can ask for."),
    "copy": (
        "new_flag_changes",
        "Copy flags, off: one here under another key, or any number to another project.",
    ),
    "create": (
        "new_flag_changes",
        "Make a new flag: off, with a rollout of 0 %, unless options say otherwise.",
    ),
    "dashboard": ("flag_extras", "Make the usage dashboard of a flag, or put more on it."),
    "definitions": (
        "flag_reports",
        "Show flags as the server hands them to libraries that evaluate by themselves.",
    ),
    "delete": ("flag_changes", "Delete flags softly; restore brings them back."),
    "diff": ("flag_history", "Show what differs between two versions of a flag; by itself, the last change."),
    "disable": ("flag_changes", "Turn flags off; their targeting stays."),
    "due": ("flag_history", "List what the server will do to flags later."),
    "edit": (
        "flag_edit",
        "Change fields of a flag; without --field and --from its JSON opens in your editor.",
    ),
    "enable": ("flag_changes", "Turn flags on."),
    "evaluate": ("flag_evaluations", "Say what people get of flags; of all without FLAG."),
    "explain": ("flag_evaluations", "Say why people get what, condition by condition."),
    "get": ("flag_views", "Show flags as a whole: who sees them, and as what."),
    "history": ("flag_history", "Show who changed flags, newest first."),
    "list": ("flag_views", "List flags; QUERY narrows as the search line of the app does."),
    "payload": ("flag_reports", "Print the values of remote configurations; encrypted ones come decrypted."),
    "restore": ("flag_changes", "Bring deleted flags back, on or off as they were."),
    "rollout": (
        "flag_changes",
        "Set the share of people who get flags; conditions, variants and payloads stay as they are.",
    ),
    "schedule": ("flag_extras", "Have the server change a flag later, or drop what is scheduled."),
    "stale": ("flag_reports", "List stale flags, with what everyone gets of them; QUERY narrows."),
    "status": ("flag_reports", "Say whether flags are used, in the server's own words."),
    "tag": ("flag_changes", "Add, remove or set tags of flags."),
    "unarchive": ("flag_changes", "Bring flags back from the archive; they stay off."),
}
EXPERIMENTS: Final[Table] = {
    "archive": (
        "experiment_changes",
        "Put ended experiments away; their flags stay as they are unless said.",
    ),
    "cohort": ("experiment_changes", "Make a cohort of all who met an experiment."),
    "copy": ("experiment_changes", "Copy an experiment as a draft to another project."),
    "create": (
        "experiment_changes",
        "Make a draft experiment; metrics and the like as --field metrics='[…]'.",
    ),
    "delete": ("experiment_changes", "Delete experiments softly; restore brings them back."),
    "duplicate": ("experiment_changes", "Make a draft like an experiment, with a flag of its own."),
    "edit": (
        "experiment_changes",
        "Change fields: name, description, metrics, metrics_secondary, exposure_criteria, …",
    ),
    "eligible": ("experiment_views", "List the flags an experiment could use."),
    "end": ("experiment_changes", "End experiments; variants are still served."),
    "get": ("experiment_views", "Show experiments as a whole: variants, metrics, settings."),
    "history": ("experiment_views", "Show who changed experiments, newest first."),
    "holdouts": ("experiment_views", "List the people kept out of experiments."),
    "launch": ("experiment_changes", "Launch drafts; their flags are turned on."),
    "list": ("experiment_views", "List experiments; QUERY narrows as the search line of the app does."),
    "metrics": ("experiment_views", "List the metrics experiments can share."),
    "pause": ("experiment_changes", "Turn the flags of running experiments off."),
    "reset": ("experiment_changes", "Make experiments drafts again; results begin anew."),
    "restore": ("experiment_changes", "Bring deleted experiments back, by their ids."),
    "results": ("experiment_results", "Show what experiments measure: every metric for every variant."),
    "resume": ("experiment_changes", "Turn the flags of paused experiments on again."),
    "ship": ("experiment_changes", "Give one variant to all who get any, and end the experiment."),
    "stats": ("experiment_views", "Say how many experiments come and go."),
    "timeseries": ("experiment_results", "Show one metric day by day, each day cumulative."),
    "unarchive": ("experiment_changes", "Bring experiments back from the archive."),
}
EVENTS: Final[Table] = {
    "delete": (
        "definition_changes",
        "Delete definitions for real; the next such event brings one back bare.",
    ),
    "describe": ("definition_changes", "Change the description of an event."),
    "enforce": ("definition_changes", "Say whether events that do not fit are taken."),
    "get": ("event_views", "Show event definitions as a whole."),
    "hide": ("definition_changes", "Put events out of sight; that un-verifies them."),
    "list": ("event_views", "List event definitions; QUERY narrows as the search line of the app does."),
    "owner": ("definition_changes", "Say who looks after events."),
    "property": ("definition_changes", "Say which property tells most about an event."),
    "show": ("definition_changes", "Bring hidden events back into sight."),
    "tag": ("definition_changes", "Add, remove or set tags of events."),
    "types": ("event_views", "Print types for all events; as code, unless --json or --fields ask for more."),
    "unverify": ("definition_changes", "Take the verification back."),
    "verify": ("definition_changes", "Vouch for events; that un-hides them."),
}
KEYS: Final[Table] = {
    "create": ("keys_command", "Make a key and show it, once."),
    "list": ("keys_command", "Show every key: never its secret."),
    "revoke": ("keys_command", "Make a key invalid at once."),
}
AUTH: Final[Table] = {
    "login": ("auth", "Try a personal API key, see what it may do, and keep it for a profile."),
    "logout": ("account", "Forget the key kept for a profile, and its copies of rows."),
    "status": (
        "account",
        "Say which key is used, whose it is and what it may do; ends with 5 when it does not work.",
    ),
}


@click.group("flags", cls=LazyGroup, table=FLAGS, folder="flagtui.cli.flags")
def flags() -> None:
    """See and change feature flags.

    FLAG is a key, an id, or a query such as 'is:stale tag:web'; several at once, and - reads them from
    standard input.
    """


@click.group("experiments", cls=LazyGroup, table=EXPERIMENTS, folder="flagtui.cli.experiments")
def experiments() -> None:
    """See and change experiments.

    EXPERIMENT is a name, the key of its flag, an id, or a query such as 'is:running flag:checkout';
    several at once, and - reads them from standard input.
    """


@click.group("events", cls=LazyGroup, table=EVENTS, folder="flagtui.cli.events")
def events() -> None:
    """See and change event definitions.

    EVENT is a name, an id, or a query such as 'is:unverified seen:<7d'; several at once, and - reads them
    from standard input.
    """


@click.group("keys", cls=LazyGroup, table=KEYS)
def keys() -> None:
    """Create, list and revoke the API keys of an embedded service."""


@click.group("auth", cls=LazyGroup, table=AUTH)
def auth() -> None:
    """Sign in, see who you are, sign out."""
