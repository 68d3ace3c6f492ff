"""`flagtui watch`: one line for each change, as it happens."""

from typing import TypedDict, Unpack

import click

from flagtui.cli.options import NumberRange, WorkPlace
from flagtui.cli.output.printer import Printer
from flagtui.cli.records.activity_records import ACTIVITY
from flagtui.cli.twin_command import TwinCommand
from flagtui.cli.word_types import QUERY_WORDS


class WatchOptions(TypedDict):
    """As click gives them."""

    since: str
    every: float
    count: int | None
    program: str


@click.command(
    "watch",
    cls=TwinCommand,
    kind=ACTIVITY,
    operations=("flags.activity",),
    examples=("watch flag:checkout --since 30d --count 1", "watch kind:rollout --since 30d --count 1 --json"),
)
@QUERY_WORDS
@click.option("--since", default="", metavar="WHEN", help="Begin with changes since then: 2h.")
@click.option(
    "--every", type=NumberRange(0.2, 3600), default=5.0, show_default=True, help="Seconds between looks."
)
@click.option("--count", type=click.IntRange(1), help="End after so many changes.")
@click.option("--exec", "program", default="", metavar="CMD", help="Run it for each; its input is the JSON.")
def command(query: tuple[str, ...], place: WorkPlace, printer: Printer, **given: Unpack[WatchOptions]) -> int:
    """Print every change of a flag from now on: what, before and after, and who; QUERY narrows.

    It goes on through lost connections and restarts of the server, and tells each change once, in order.
    With --json or --ndjson it is one JSON object a line. CMD is run as it is, never by a shell.
    """
    from flagtui.cli.activity_watch import Watch, watch

    return watch(Watch(" ".join(query), **given), place, printer)
