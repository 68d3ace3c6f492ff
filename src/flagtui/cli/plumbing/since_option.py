"""`--since`: the moment from which a command prints changes."""

from collections.abc import Callable
from typing import Any

import click

from flagtui.cli.plumbing.errors import Trouble
from flagtui.store.activity_listing import invalid_moment, read_moment
from flagtui.store.query.vocabulary import WrongValue


def since_option(what: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare `--since`; `what` begins its help."""
    moments = "30m, 2h, 14:05, yesterday 18:00, a date; in your time zone."
    return click.option("--since", default="", metavar="WHEN", help=f"{what}: {moments}")


def read_since(text: str, now: float) -> float | None:
    """Return the moment in Unix seconds, in the zone of the settings; None for none. Raises Trouble."""
    try:
        return read_moment(text, now) if text else None
    except WrongValue:
        raise Trouble(f"--since: {invalid_moment(text, now)}.", code="usage") from None
