"""`flagtui undo`."""

import click

from flagtui.cli.options import WriteTerms
from flagtui.cli.records.change_records import OUTCOME
from flagtui.cli.twin_command import TwinCommand
from flagtui.cli.undo_run import take_back


@click.command(
    "undo",
    cls=TwinCommand,
    kind=OUTCOME,
    writes=True,
    operations=("flags.get", "flags.update", "experiments.get", "experiments.update", "schedule.get"),
    examples=("undo --dry-run", "undo --yes --json"),
)
@click.argument("change", default="", metavar="[CHANGE_ID]")
def command(change: str, terms: WriteTerms) -> None:
    """Take back your last change, or the one with CHANGE_ID; flagtui journal shows the ids.

    It is held against today's record: what was changed there since, by another person or by you, is
    shown first and stays, unless you choose to overwrite it. flagtui redo makes it again.
    """

    raise SystemExit(take_back(change, terms))
