"""`flagtui redo`."""

import click

from flagtui.cli.options import WriteTerms
from flagtui.cli.records.change_records import OUTCOME
from flagtui.cli.twin_command import TwinCommand
from flagtui.cli.undo_run import take_back


@click.command(
    "redo",
    cls=TwinCommand,
    kind=OUTCOME,
    writes=True,
    operations=("flags.get", "flags.update", "experiments.get", "experiments.update", "schedule.get"),
    examples=("redo --dry-run", "redo --yes --json"),
)
def command(terms: WriteTerms) -> None:
    """Make again what you undid last, unless you changed something else since."""

    raise SystemExit(take_back("", terms, is_redo=True))
