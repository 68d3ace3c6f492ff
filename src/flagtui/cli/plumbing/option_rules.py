"""Options that contradict each other or need another one: declared at an option, refused by the parser.

A rule names a use: an option (`--drop`), an option with a value (`--kind boolean`; `--field name` for
`--field name=…`) or an argument (`KEY`).
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

import click
from click.core import ParameterSource

OUTPUT_USES: Final = ("--output", "--jq", "--no-headers", "--no-trunc", "--json", "--ndjson", "--fields")
"""The options that choose how records are printed."""

APP_OPTIONS: Final = ("--flag", "--mirror", "--no-mouse", "--linear")
"""Options of the program for the app, which opens without a command."""


class RuledOption(click.Option):
    """An option with the uses that contradict it, and those of which it needs one.

    A contradiction is declared at one of both; an option does not contradict itself.
    """

    def __init__(
        self, names: Sequence[str], *, excludes: Sequence[str] = (), requires: Sequence[str] = (), **more: Any
    ) -> None:
        super().__init__(names, **more)
        self.excludes = tuple(use for use in excludes if use not in self.opts)
        self.requires = tuple(requires)


ruled_option: Final = partial(click.option, cls=RuledOption)
"""Declare an option with rules, as `click.option` declares others."""


def contradiction(use: str, other: str) -> str:
    """Return the sentence about two uses that contradict each other."""
    return f"{use} and {other} contradict each other; give only one of them."


def twice_given(name: str) -> str:
    """Return the sentence about an option with two values, of which one would be ignored."""
    return f"{name} is given twice with different values; give only one of them."


def empty_value(name: str, *, is_required: bool = False) -> str:
    """Return the sentence about an empty option or argument, such as an unset variable of a script."""
    return f"{name} is empty; give a value{'' if is_required else ', or leave it out'}."


def label_of(param: click.Parameter) -> str:
    """Return the longest name of an option; of an argument what its help calls it, such as KEY."""
    if isinstance(param, click.Option):
        return max(param.opts, key=len)
    return (param.metavar or (param.name or "").upper()).strip("[].")


def param_of(command: click.Command, use: str) -> click.Parameter | None:
    """Return the option or argument of a use; None for a command without it."""
    name = use.partition(" ")[0]
    return next((param for param in command.params if name in (*param.opts, label_of(param))), None)


def check_rules(context: click.Context) -> None:
    """Refuse contradictory options, and an option without the one that it needs.

    Raises:
        UsageError: names both.
    """
    if context.resilient_parsing:
        return
    for option in context.command.params:
        if not (isinstance(option, RuledOption) and _is_used(context, label_of(option))):
            continue
        for use in option.excludes:
            if _is_used(context, use):
                raise click.UsageError(contradiction(label_of(option), use), context)
        if option.requires and not any(_is_used(context, use) for use in option.requires):
            raise click.UsageError(f"{label_of(option)} needs {' or '.join(option.requires)}.", context)


def refuse_app_options(context: click.Context, accepted: Sequence[str]) -> None:
    """Refuse options for the app that precede a command, apart from those that it accepts.

    Raises:
        UsageError: names the option.
    """
    root = context.find_root()
    for name in APP_OPTIONS:
        if name not in accepted and _is_used(root, name):
            what = f"{name} is for the app, which opens without a command"
            raise click.UsageError(f"{what}; leave out {name}.", root)


def refuse_option(word: str, context: click.Context) -> None:
    """Refuse an option of the command behind --, where it would be a word. Raises UsageError."""
    name = word.partition("=")[0]
    params = context.command.params
    if name.startswith("--") and any(isinstance(each, click.Option) and name in each.opts for each in params):
        raise click.UsageError(f"{name} follows --, which ends the options; put it before --.", context)


def _is_used(context: click.Context, use: str) -> bool:
    param, value = param_of(context.command, use), use.partition(" ")[2]
    if param is None or param.name is None:
        return False
    if context.get_parameter_source(param.name) is not ParameterSource.COMMANDLINE:
        return False
    given = context.params.get(param.name)
    values = given if isinstance(given, tuple) else (given,)
    if isinstance(param, click.Argument):
        return bool(given)
    return not value or any(str(each).partition("=")[0].strip() == value for each in values)


def check_repeats(args: Sequence[str], context: click.Context) -> None:
    """Refuse an option that is given twice with different values, of which one would be ignored.

    Raises:
        UsageError: names the option.
    """
    names = {
        name: param
        for param in context.command.params
        if isinstance(param, click.Option) and not (param.is_flag or param.count)
        for name in param.opts
    }
    values: dict[str, str] = {}
    rest = iter(args)
    for word in rest:
        if word == "--":
            return
        name, is_joined, value = word.partition("=")
        if name not in names and word[:2] in names and len(word) > 2:
            name, is_joined, value = word[:2], "=", word[2:]
        if name not in names:
            if not word.startswith("-") and not context.allow_interspersed_args:
                return
            continue
        given = value if is_joined else next(rest, None)
        option = names[name]
        if given is None:
            return
        if not option.multiple and values.setdefault(label_of(option), given) != given:
            raise click.UsageError(twice_given(label_of(option)), context)


def limit_option(
    default: int | None = None, help: str = "Print at most N.", most: int | None = None
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare `-L`, `--limit`: the number of records a command prints or changes, up to `most`."""
    kind = click.IntRange(1, most)
    has_default = default is not None
    return click.option(
        "-L", "--limit", type=kind, metavar="N", default=default, show_default=has_default, help=help
    )


def port_option(default: int) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare `--port` of a command that listens."""
    kind, words = click.IntRange(0, 65_535), "The port; 0 chooses a free one."
    return click.option("--port", type=kind, metavar="PORT", default=default, show_default=True, help=words)
