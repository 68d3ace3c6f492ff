"""`flagtui activity`: who changed which flag."""

import click

from flagtui.cli.options import WorkPlace
from flagtui.cli.output.printer import Printer
from flagtui.cli.records.activity_records import ACTIVITY
from flagtui.cli.twin_command import TwinCommand
from flagtui.cli.word_types import QUERY_WORDS


@click.command(
    "activity",
    cls=TwinCommand,
    kind=ACTIVITY,
    operations=("flags.activity",),
    examples=(
        "activity --limit 20",
        "activity @ 20m",
        "activity kind:off since:7d --json --fields at,key,who,words",
    ),
)
@QUERY_WORDS
@click.option("--limit", type=click.IntRange(1), default=50, show_default=True, help="At most so many.")
def command(query: tuple[str, ...], limit: int, place: WorkPlace, printer: Printer) -> int:
    """Show who changed which flag, newest first; QUERY narrows as in the app's timeline.

    With '@ 20m' or '@ 14:05' in it, the changes around that moment, the likeliest cause first.
    """
    from flagtui.cli.flags.flag_past_and_future import show_activity

    return show_activity(" ".join(query), limit, place, printer)
