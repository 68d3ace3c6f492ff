"""`flagtui staged …`: the changes that wait for `flagtui apply staged`."""

from collections.abc import Sequence

import click

from flagtui.changes.sets.change_set import StagedChange
from flagtui.cli.plumbing.errors import Trouble
from flagtui.cli.plumbing.option_rules import ruled_option
from flagtui.cli.plumbing.output.lines import progress
from flagtui.cli.plumbing.project_session import ProjectSession
from flagtui.cli.plumbing.record_command import command
from flagtui.cli.plumbing.set_sources import CHANGE, changes_named
from flagtui.cli.plumbing.staging import as_trouble, find_staged, read_staged
from flagtui.text.formats import count
from flagtui.text.set_words import NOTHING_STAGED


@command("list", kind=CHANGE, empty=NOTHING_STAGED, examples=("", "--json --fields key,verb,changes"))
async def list_staged(session: ProjectSession) -> Sequence[StagedChange]:
    """List the staged changes of this project."""
    change_set = read_staged(session)
    return change_set.changes if change_set is not None else ()


@command("get", kind=CHANGE, is_whole=True, examples=("new-nav", "new-nav --json"))
@click.argument("keys", nargs=-1, metavar="[KEY]...")
async def get_staged(session: ProjectSession, keys: tuple[str, ...]) -> Sequence[StagedChange]:
    """Show staged changes as a whole: what each is based on and the new values; all without KEY."""
    change_set = read_staged(session)
    if change_set is None:
        raise Trouble(NOTHING_STAGED, code="nothing_to_do")
    return changes_named(change_set, keys)


@command("drop", kind=CHANGE, examples=("new-nav", "--all"))
@click.argument("keys", nargs=-1, metavar="[KEY]...")
@ruled_option("--all", "is_all", is_flag=True, help="Drop the whole staged set.", excludes=("KEY",))
async def drop_staged(session: ProjectSession, keys: tuple[str, ...], is_all: bool) -> Sequence[StagedChange]:
    """Drop staged changes; the server never had them."""
    if not keys and not is_all:
        raise click.UsageError("Name the keys to drop, or give --all.")
    staged = find_staged(session)
    with as_trouble(), staged.hold_set():
        dropped = staged.discard() if is_all else staged.drop(lambda each: changes_named(each, keys))
    if dropped is None:
        raise Trouble(NOTHING_STAGED, code="nothing_to_do")
    # A staged set that cannot be read has no changes to list.
    progress(f"dropped {count(len(dropped), 'staged change')}" if dropped else "discarded the staged set")
    return dropped
