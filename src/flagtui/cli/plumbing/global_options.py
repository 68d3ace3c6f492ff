"""Options of the program that may precede or follow a command."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import click

from flagtui.cli.plumbing.errors import Trouble
from flagtui.cli.plumbing.output.lines import VOICE
from flagtui.cli.plumbing.registry import command_index
from flagtui.cli.plumbing.value_types import WrittenFile

_PLACES: Final = ("--profile", "--project")
COMMON: Final[Mapping[str, bool]] = {
    **dict.fromkeys((*_PLACES, "-o", "--output", "--fields", "--jq", "--log", "--wait"), True),
    **dict.fromkeys(("--json", "--ndjson", "--no-headers", "--no-trunc"), False),
    **dict.fromkeys(("-q", "--quiet", "--read-only"), False),
}
"""Options of commands that may precede the command, and whether each takes a value."""


def log_to(file: Path | None) -> None:
    """Log every request to this file."""
    # Every command makes its own client, some before a name of theirs is known here.
    if file is not None:
        os.environ["FLAGTUI_LOG"] = str(file)


def log_path() -> Path | None:
    """Return the file of the log; None without one. Raises Trouble where it cannot be written."""
    file = os.environ.get("FLAGTUI_LOG", "").strip()
    if not file:
        return None
    try:
        path = Path(file).expanduser()
        os.close(os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600))
    except (OSError, RuntimeError) as refused:
        reason = getattr(refused, "strerror", None) or "there is no such user"
        raise Trouble(f"the log {file} cannot be written: {reason}.") from None
    return path


def be_quiet(is_quiet: bool) -> None:
    """Print neither progress nor the outcomes of successful changes."""
    VOICE.is_quiet = VOICE.is_quiet or is_quiet


def _refuse_changes(context: click.Context, _option: click.Parameter, is_read_only: bool) -> None:
    if is_read_only:
        context.find_root().params["read_only"] = True


def global_options() -> list[click.Option]:
    """Return the options of the program that may follow a command too."""
    return [
        click.Option(
            ["--read-only"],
            is_flag=True,
            hidden=True,
            expose_value=False,
            callback=_refuse_changes,
        ),
        click.Option(
            ["--log"],
            type=WrittenFile(),
            metavar="FILE",
            hidden=True,
            expose_value=False,
            callback=lambda _context, _option, file: log_to(file),
        ),
        click.Option(
            ["-q", "--quiet"],
            is_flag=True,
            hidden=True,
            expose_value=False,
            callback=lambda _context, _option, value: be_quiet(value),
        ),
    ]


def move_options(
    args: list[str],
    params: Sequence[click.Parameter],
    *,
    is_command: bool = False,
    is_unfinished: bool = False,
) -> list[str]:
    """Return the words of a group with options of the command after its name: `--json list` as `list --json`.

    `params` are the options of the group itself, which stay where they are. With `is_command` the words are
    those of a command such as `demo`, which another command follows. With `is_unfinished` a shell completes
    the name that is missing, and needs no options before it.
    """
    own = {
        name: isinstance(param, click.Option) and not (param.is_flag or param.count)
        for param in params
        for name in param.opts
    }
    takes_value = {**COMMON, **own}
    kept: list[str] = []
    moved: list[str] = []
    rest = list(args)
    while rest and rest[0].startswith("-") and rest[0].strip("-"):
        word = rest[0]
        # The value of `--output=json` and of `-ojson` is in the same word.
        name = "-o" if word.startswith("-o") else word.partition("=")[0]
        if name not in takes_value:
            return args
        count = 2 if takes_value[name] and word == name else 1
        (kept if name in own else moved).extend(rest[:count])
        del rest[:count]
    if is_command and rest[:1] == ["--"]:
        del rest[0]
    if not rest and is_unfinished:
        return kept
    if not moved or not rest or rest[0] == "--":
        return args
    # What follows -- is for the other command, whose name may have two words.
    place = 2 if is_command and " ".join(rest[:2]) in command_index() else 1
    return [*kept, *(["--"] if is_command else []), *rest[:place], *moved, *rest[place:]]
