"""The program: which command is called. Importing this module loads click and nothing heavier."""

import os
import re
import sys
from contextlib import suppress
from io import TextIOWrapper
from itertools import pairwise
from shlex import quote
from typing import Any

import click

from flagtui import __version__
from flagtui.cli.launch import leave
from flagtui.cli.plumbing.command_tree import LINEAR, LazyGroup
from flagtui.cli.plumbing.errors import (
    OUTPUT_FAULTS,
    READER_GONE,
    OutputLost,
    Trouble,
    drop_output,
    require_text,
)
from flagtui.cli.plumbing.global_options import be_quiet, log_to
from flagtui.cli.plumbing.option_rules import refuse_app_options, ruled_option
from flagtui.cli.plumbing.output.lines import VOICE, warn
from flagtui.cli.plumbing.registry import command_index
from flagtui.cli.plumbing.value_types import ProfileName, ProjectId, QueryWord, WrittenFile
from flagtui.cli.plumbing.word_types import RecordWord
from flagtui.safe_text import safe_text

CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
HELP_ORDER = (
    *("flags", "experiments", "events", "activity", "watch", "refs", "check", "pick", "demo", "serve"),
    *("mirror", "keys", "auth", "profiles", "projects", "journal", "undo", "redo", "revert", "staged"),
    *("propose", "proposals", "apply", "doctor", "api", "commands", "schema", "completion"),
)
"""Commands that the help lists first; others follow by name."""
JSON_WORDS = frozenset(("--json", "--ndjson", "-ojson", "-ondjson", "--output=json", "--output=ndjson"))
"""Words after which errors are JSON as well."""
_COMPLETION = "_FLAGTUI_COMPLETE"


class _GroupHelp(Trouble):
    """The help of a group that was given no command: the only message of several lines."""


class Program(LazyGroup):
    """The whole program."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        names = super().list_commands(ctx)
        places = {name: place for place, name in enumerate(HELP_ORDER)}
        return sorted(names, key=lambda name: places.get(name, len(places)))

    def near(self, ctx: click.Context, word: str) -> list[str]:
        """Return commands with similar names, else those of the groups with this name."""
        if word in ("help", "version"):
            return [f"flagtui --{word}"]
        from flagtui.cli.plumbing.other_words import COMMANDS

        names = (word, *COMMANDS.get(word.casefold(), ()))
        in_groups = [f"{group} {name}" for group in self.list_commands(ctx) for name in names]
        existing = [words for words in in_groups if words in command_index()][:3]
        is_exact = any(words.endswith(f" {word}") for words in existing)
        return existing if is_exact else super().near(ctx, word) or existing


@click.command(cls=Program, invoke_without_command=True, context_settings=CONTEXT)
@click.version_option(__version__, "-V", "--version", prog_name="flagtui", message="%(prog)s %(version)s")
@click.option(
    "--profile", metavar="NAME", type=ProfileName(), help="The profile of the settings file to open."
)
@click.option(
    "--project",
    metavar="PROJECT",
    type=ProjectId(),
    help="The project to open instead of the profile's; a command takes its id or name.",
)
@click.option("--flag", default="", metavar="KEY", type=RecordWord("flags"), help="The flag to open first.")
@click.option("--read-only", is_flag=True, help="Refuse every change, whatever the profile allows.")
@click.option(
    "--log",
    metavar="FILE",
    type=WrittenFile(),
    expose_value=False,
    callback=lambda _context, _option, file: log_to(file),
    help="Add a line to FILE for every request: never a key, header or body.",
)
@click.option(
    "-q",
    "--quiet",
    is_flag=True,
    expose_value=False,
    callback=lambda _context, _option, is_quiet: be_quiet(is_quiet),
    help="Print data and errors only: no progress, and on a terminal nothing about saved changes.",
)
@ruled_option(
    "--mirror",
    is_flag=True,
    help="Open your running mirror: only its overrides are changed.",
    excludes=("--project",),
)
@click.option("--no-mouse", is_flag=True, help="Leave the mouse to the terminal.")
@ruled_option(
    "--linear",
    is_flag=True,
    expose_value=False,
    callback=lambda context, _option, is_linear: context.meta.update({LINEAR: is_linear}),
    help="Read commands and print lines, without a screen.",
    excludes=("--flag", "--mirror", "--no-mouse"),
)
@click.pass_context
def program(
    context: click.Context, /, profile: str | None, project: str | None, no_mouse: bool, **start: Any
) -> None:
    """View and change feature flags, experiments and event definitions.

    Without a command the app opens. Its server, key and project come from the environment
    (FLAGTUI_HOST, FLAGTUI_API_KEY, FLAGTUI_PROJECT, FLAGTUI_PROFILE) or from a profile,
    created by flagtui auth login. To try it without an account: flagtui demo
    """
    # The demo and pick open the app as well.
    if context.invoked_subcommand not in (None, "demo"):
        refuse_app_options(context, ("--no-mouse",) if context.invoked_subcommand == "pick" else ())
    if context.invoked_subcommand is None and context.meta[LINEAR]:
        from flagtui.cli.linear import run_linear
        from flagtui.cli.plumbing.options import common_words

        raise SystemExit(run_linear(_run, common_words()))
    if context.invoked_subcommand is None:
        from flagtui.cli.launch.app_launch import open_app
        from flagtui.cli.plumbing.profile_choice import ProfileRequest

        request = ProfileRequest(profile, project, mouse=not no_mouse, **start)
        raise SystemExit(open_app(request))


def main() -> None:
    """Run the command line: foreseen trouble is one sentence, or one line of JSON, and an exit code."""
    try:
        _escape_odd_characters()
        code = _run(sys.argv[1:])
        sys.stdout.flush()
    except BrokenPipeError:
        drop_output()
        code = READER_GONE
    except OSError as fault:
        # The disk of the output is full, or the output is closed.
        code = _without_output(fault.strerror or str(fault))
    except OutputLost as lost:
        from flagtui.cli.plumbing.next_commands import next_command

        more = f"What was changed is in: {next_command('journal')}" if lost.is_in_journal else ""
        code = _without_output(f"{lost}", more)
    raise SystemExit(code)


def _escape_odd_characters() -> None:
    """Let a terminal that cannot show a character get its number instead of a crash."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    if isinstance(sys.stdin, TextIOWrapper):
        sys.stdin.reconfigure(errors="surrogateescape")


def _run(arguments: list[str]) -> int:
    try:
        return _run_command(arguments)
    except (click.Abort, EOFError, KeyboardInterrupt):
        leave()
        # Below the ^C that the terminal shows.
        print("\nflagtui: stopped; nothing was changed.", file=sys.stderr)
        return 130
    except click.UsageError as wrong:
        trouble = _usage_in_words(wrong, arguments)
    except click.ClickException as wrong:
        trouble = Trouble(wrong.format_message(), code="usage")
    except Trouble as known:
        trouble = known
    except OSError as fault:
        if fault.filename is not None:
            what = f"{fault.filename} cannot be used: {fault.strerror}."
            trouble = Trouble(what, "Check its access rights.")
        elif fault.errno in OUTPUT_FAULTS:
            raise
        else:
            trouble = Trouble(_fault_in_words(fault))
    except OutputLost:
        raise
    except Exception as fault:
        # The outermost place: whatever went wrong is one sentence and an exit code, never a traceback.
        trouble = Trouble(_fault_in_words(fault))
    return _complain(trouble, arguments)


def _run_command(arguments: list[str]) -> int:
    """Run the command and return the exit code."""
    words = list(map(require_text, arguments))
    was_quiet = VOICE.is_quiet
    try:
        if _COMPLETION in os.environ:
            return int(program(words, prog_name="flagtui", standalone_mode=False) or 0)
        # Click reports nothing when the reader of the output is gone.
        with program.make_context("flagtui", words, obj=_run) as context:
            return int(program.invoke(context) or 0)
    except click.exceptions.Exit as end:
        return end.exit_code
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else 0
    finally:
        VOICE.is_quiet = was_quiet


def _complain(trouble: Trouble, arguments: list[str]) -> int:
    """Print the error on standard error, as JSON where the output is JSON, and return the exit code."""
    leave()
    if not JSON_WORDS.isdisjoint(arguments) or any(
        name in ("-o", "--output") and form in ("json", "ndjson") for name, form in pairwise(arguments)
    ):
        print(trouble.as_json(), file=sys.stderr)
    else:
        _show(trouble)
    return trouble.exit_code


def _show(trouble: Trouble) -> None:
    if isinstance(trouble, _GroupHelp):
        print(trouble.what, file=sys.stderr)
    else:
        warn(f"{trouble}")


def _without_output(reason: str, more: str = "") -> int:
    """Print why the output ended; return the exit code."""
    leave()
    drop_output()
    with suppress(OSError):
        print(f"flagtui: the output ended early: {reason}. {more}".rstrip(), file=sys.stderr)
    return 1


def _usage_in_words(wrong: click.UsageError, arguments: list[str]) -> Trouble:
    """Return one sentence and the next step; a group without a command gets help at once."""
    message = wrong.format_message()
    if isinstance(wrong, click.exceptions.NoArgsIsHelpError):
        return _GroupHelp(message, code="usage")
    from flagtui.cli.plumbing.profile_choice import program_words

    where = " ".join((*program_words(), *(wrong.ctx.command_path.split()[1:] if wrong.ctx else ())))
    if isinstance(wrong, click.NoSuchOption) and wrong.ctx:
        from flagtui.cli.plumbing.near_names import near_options, option_of_commands

        group = wrong.ctx.command if isinstance(wrong.ctx.command, LazyGroup) else None
        if group and (trouble := option_of_commands(wrong.option_name, group.prefix, where)):
            return trouble
        near = " or ".join(near_options(wrong.option_name, wrong.ctx.command))
        message = f"No such option '{wrong.option_name}'.{f' Did you mean {near}?' if near else ''}"
    message = re.sub("is not a valid integer( range)?", "is no whole number", message)
    message = re.sub("is not a valid float( range)?", "is no number", message)
    # Choices come a line each.
    message = re.sub(r":?\s*\n\s*", " ", message).strip() if "\n" in message else message
    ending = "" if message.endswith((".", "?", "!")) else "."
    step = f"See: {where} --help"
    if isinstance(wrong, click.MissingParameter):
        from flagtui.cli.plumbing.near_names import example_with

        step = example_with(wrong) or step
    if word := _query_word(wrong, arguments):
        step = f"Words of a query that begin with - follow --: {where} -- {safe_text(quote(word), 80)}"
    return Trouble(safe_text(f"{message}{ending}", 500), step, code="usage")


def _query_word(wrong: click.UsageError, arguments: list[str]) -> str:
    """Return the word, such as `-tag:web`, of which click read the first letter as an option; else empty."""
    match wrong:
        case click.NoSuchOption():
            letters = [wrong.option_name]
        case click.BadParameter(param=click.Option() as param):
            letters = param.opts
        case _:
            return ""
    params = wrong.ctx.command.params if wrong.ctx else []
    if not any(isinstance(param.type, QueryWord | RecordWord) for param in params):
        return ""
    words = (word for word in arguments if len(word) > 2 and word[1] != "-")
    return next((word for word in words if word[:2] in letters), "")


def _fault_in_words(fault: Exception) -> str:
    """Write a crash report without values; return the sentence about the fault."""
    from flagtui.config.crash_reports import crash_report, keep_report, report_place
    from flagtui.config.locations import find_locations

    folder = find_locations().state
    path = keep_report(crash_report(fault), folder) if folder else None
    return f"stopped because of a fault of its own ({type(fault).__name__}). {report_place(path)}"
