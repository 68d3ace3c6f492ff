"""`flagtui proposals …`: change sets that wait for someone to look at them."""

from collections.abc import Callable
from typing import Final

import click

from flagtui.changes.journal import Journal
from flagtui.changes.sets.set_progress import progress_of
from flagtui.cli.plumbing.output.lines import progress
from flagtui.cli.plumbing.output.printer import Printer
from flagtui.cli.plumbing.output.record_schema import RecordField, RecordSchema
from flagtui.cli.plumbing.proposal_files import ProposedSet, read_proposals
from flagtui.cli.plumbing.record_command import command
from flagtui.cli.plumbing.set_sources import CHANGE, find_proposal
from flagtui.cli.plumbing.staging import as_trouble
from flagtui.cli.plumbing.value_types import ProposalId
from flagtui.config.locations import find_locations


def _keys(proposal: ProposedSet) -> list[str]:
    return [change.key for change in proposal.change_set.changes] if proposal.change_set else []


def _state(proposal: ProposedSet) -> str:
    """Return how much of the proposal was applied from this machine, or why it cannot be read."""
    change_set, folder = proposal.change_set, find_locations().state
    if change_set is None:
        return proposal.problem
    if folder is None:
        return "open"
    count = len(progress_of(change_set, Journal(folder / "journal").entries()).applied)
    if not count:
        return "open"
    return (
        "applied" if count >= len(change_set.changes) else f"{count:,} of {len(change_set.changes):,} applied"
    )


def _of_set(name: str, missing: object = "") -> Callable[[ProposedSet], object]:
    """Read an attribute of the change set; `missing` where the file has none."""
    return lambda proposal: getattr(proposal.change_set, name, missing)


PROPOSAL: Final[RecordSchema[ProposedSet]] = RecordSchema(
    "proposal",
    "A proposed change set.",
    (
        RecordField("id", "text", "The id for flagtui apply.", is_shown=True),
        RecordField("created_at", "time?", "When it was proposed.", _of_set("made_at", None), True),
        RecordField("by", "text", "The author.", _of_set("by"), True),
        RecordField("reason", "text", "The reason for it.", _of_set("reason"), True),
        RecordField("keys", "texts", "The records that it changes.", _keys, True, is_long=True),
        RecordField(
            "state", "text", "open, applied, or how much was applied from this machine.", _state, True
        ),
        RecordField("host", "text", "The server.", _of_set("host")),
        RecordField("project", "text", "The project.", _of_set("project")),
        RecordField("file", "text", "The path of the file.", lambda proposal: str(proposal.file.path)),
    ),
)


@command("list", kind=PROPOSAL, is_online=False, examples=("", "--json --fields id,reason,state"))
def list_proposals(printer: Printer) -> None:
    """List the proposals of this repository; outside each, those of this user."""
    printer.records(PROPOSAL, read_proposals(), "Nothing is proposed.")


@command("get", kind=CHANGE, is_online=False, examples=("3f2a91bc", "3f2a91bc --json"))
@click.argument("proposal", type=ProposalId())
def get_proposal(proposal: str, printer: Printer) -> None:
    """Show the changes of a proposal; to see the question, flagtui apply PROPOSAL --dry-run."""
    with as_trouble():
        change_set = find_proposal(proposal).read()
    printer.records(CHANGE, change_set.changes)


@command("drop", kind=PROPOSAL, is_online=False, examples=("3f2a91bc", "3f2a91bc --json"))
@click.argument("proposal", type=ProposalId())
def drop_proposal(proposal: str, printer: Printer) -> None:
    """Remove a proposal; what was applied of it stays."""
    named = find_proposal(proposal)
    with as_trouble():
        named.file.remove()
    progress(f"removed {named.file.path}")
    printer.records(PROPOSAL, [named])
