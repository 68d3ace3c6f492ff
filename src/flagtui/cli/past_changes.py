"""The journal read for the command line."""

import time
from datetime import UTC, datetime

from flagtui.changes.entries import Entry
from flagtui.changes.journal import Journal
from flagtui.changes.timeline import summary
from flagtui.cli.telling import say
from flagtui.cli.trouble import Trouble
from flagtui.config.locations import find_locations
from flagtui.store.query.moments import MOMENTS, read_moment
from flagtui.store.query.vocabulary import WrongValue

SHORT = 8
"""Characters of an id that are shown; `flagtui undo` takes as many as tell it from all others."""


def find_changes(since: str, words: str, profile: str) -> list[Entry]:
    """Newest first, from the profile alone when one is named. Raises Trouble."""
    try:
        start = read_moment(since, time.time()) if since else 0.0
    except WrongValue:
        raise Trouble(f"{since!r} is no moment; use {MOMENTS}.") from None
    folder = find_locations().state
    if folder is None:
        raise Trouble("there is no home folder, so there is no journal. Set HOME.")
    try:
        found = Journal(folder / "journal").entries(start, words)
    except OSError as error:
        raise Trouble(f"{error.filename} cannot be read: {error.strerror}.") from None
    return [entry for entry in found if not profile or entry.signature.profile == profile]


def tell_changes(entries: list[Entry]) -> None:
    """One line for each, and its reason below."""
    if not entries:
        say("Nothing was changed.")
    for entry in entries:
        at = datetime.fromtimestamp(entry.at, UTC)
        place = entry.signature.profile or entry.signature.project
        say(f"{entry.id[:SHORT]:<{SHORT}}  {at:%Y-%m-%d %H:%M:%S} UTC  {place:<8}  {summary(entry)}")
        for line in (*entry.words[:6], *([f"why: {entry.reason}"] if entry.reason else [])):
            say(f"{'':35}{line}")
