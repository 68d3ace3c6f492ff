"""`flagtui flags wait`: until a flag is on, off, rolled out so far, or stale."""

from collections.abc import Callable
from typing import Any, Final

import click

from flagtui.cli.commands.flags.flag_selection import rows_of
from flagtui.cli.plumbing.errors import Trouble
from flagtui.cli.plumbing.options import WAIT_SECONDS, Percentage
from flagtui.cli.plumbing.project_session import ProjectSession
from flagtui.cli.plumbing.record_command import command
from flagtui.cli.plumbing.selection import RecordSelection
from flagtui.cli.plumbing.value_types import KnownWord
from flagtui.cli.plumbing.word_types import FLAG_WORDS
from flagtui.cli.records.flag_records import FLAG
from flagtui.models.rows import FlagRow
from flagtui.safe_text import safe_text
from flagtui.text.formats import percent

STATES: Final = "on, off, stale or rollout=PERCENT"
DEFAULT_WAIT: Final = 60.0


class AwaitedState(KnownWord):
    """A state of a flag, as the test of its row."""

    name = "state"

    def __init__(self) -> None:
        super().__init__(("on", "off", "stale", "rollout="))

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        word = str(value).strip().lower()
        name, _equals, share = word.partition("=")
        tests: dict[str, Callable[[FlagRow], bool]] = {
            "on": lambda row: row.active,
            "off": lambda row: not row.active,
            "stale": lambda row: row.is_stale,
        }
        if word in tests:
            return word, tests[word]
        if name != "rollout" or not share:
            self.fail(f"{value!r} is not a state; use {STATES}.", param, ctx)
        rollout = Percentage().convert(share, param, ctx)
        return f"at {percent(rollout)}", lambda row: row.rollout == rollout


@command(
    "wait",
    kind=FLAG,
    pages="flags",
    operations=("flags.list", "flags.get"),
    examples=("checkout-redesign --until on", "new-nav --until rollout=25 --wait 300"),
)
@FLAG_WORDS
@click.option(
    "--until", type=AwaitedState(), required=True, metavar="STATE", help=f"{STATES[0].upper()}{STATES[1:]}."
)
@click.option(
    "--wait",
    type=WAIT_SECONDS,
    default=DEFAULT_WAIT,
    show_default=True,
    metavar="SECONDS",
    help="Wait at most this long; 0 tests once.",
)
async def wait_for_flags(
    session: ProjectSession, flags: RecordSelection, until: tuple[str, Callable[[FlagRow], bool]], wait: float
) -> list[FlagRow]:
    """Wait until flags are in a state; exit with 7 when the time is up.

    The share of rollout=PERCENT is the highest of the conditions, as flagtui flags list shows it.
    """
    words, is_reached = until
    last: list[FlagRow] = []

    async def look() -> list[FlagRow] | None:
        last[:] = await rows_of(session, flags)
        return [*last] if all(map(is_reached, last)) else None

    label = safe_text(", ".join((*flags.names, *flags.queries)), 200)
    # What refuses the first request would refuse the others as well.
    if (reached := await look()) is not None:
        return reached
    what = f"{label} {'is' if len(flags.names) == 1 else 'are'} {words}"
    rows = await session.until(look, wait, what) if wait else None
    if rows is None:
        late = ", ".join(safe_text(row.key, 80) for row in last if not is_reached(row)) or label
        raise Trouble(f"not {words} after {wait:g} s: {late}.", "Nothing was changed.", code="findings")
    return rows
