"""`flagtui propose`: write down a change for someone else to look at and apply."""

import re
import time
from typing import Final

import click

from flagtui import local_time
from flagtui.cli.plumbing.errors import Trouble
from flagtui.cli.plumbing.options import common_words
from flagtui.cli.plumbing.proposal_files import new_proposal
from flagtui.cli.plumbing.record_command import command
from flagtui.cli.plumbing.registry import command_index, is_command, load_command
from flagtui.cli.plumbing.word_types import COMMAND_WORDS

NAME_ROOM: Final = 48
"""Characters of the reason in the name of the file."""


@command(
    "propose",
    is_online=False,
    examples=(
        "--reason 'half of the users' -- flags rollout new-nav --to 50",
        "--reason 'no longer called' -- flags archive is:stale",
    ),
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
@click.option(
    "--reason", required=True, metavar="WHY", help="Why, for the journal and for the user who applies it."
)
@click.argument("words", metavar="-- COMMAND...", nargs=-1, required=True, type=COMMAND_WORDS)
@click.pass_context
def propose(context: click.Context, reason: str, words: tuple[str, ...]) -> None:
    """Plan a change and write it into the folder of proposals; nothing is sent.

    The folder is .flagtui/proposals of the repository around this folder, else one in the user data folder.
    """
    if not reason.strip():
        raise click.UsageError("--reason is empty; give the reason.")
    named = next((name for count in (2, 1) if is_command(name := " ".join(words[:count]))), "")
    if not named and words[0] not in command_index():
        raise Trouble(f"there is no command {words[0]!r}.", "See: flagtui --help", code="usage")
    if not named or not getattr(load_command(named), "writes", False):
        fix = "Propose a command that changes something, such as: flags rollout KEY --to 40"
        raise Trouble(f"{' '.join(words[:2])} changes nothing, so it cannot be proposed.", fix, code="usage")
    path = new_proposal(_name(reason))
    run = context.find_root().obj
    raise SystemExit(int(run([*common_words(), *words, "--dry-run", "--out", str(path), "--reason", reason])))


def _name(reason: str) -> str:
    """Return a file name from the moment and the reason."""
    moment = local_time.file_stamp(time.time())
    return f"{moment}-{re.sub(r'[^a-z0-9]+', '-', reason.lower()).strip('-')[:NAME_ROOM]}".rstrip("-")
