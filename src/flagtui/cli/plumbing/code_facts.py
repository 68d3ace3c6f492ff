"""The flags and events that `refs` and `check` compare code with, as the last run left them."""

import time

from flagtui.cli.plumbing.offline_copies import (
    CODE_PART,
    OfflineCopies,
    load_flags,
    never_read,
    require_project_id,
)
from flagtui.cli.plumbing.options import WorkPlace
from flagtui.cli.plumbing.output.lines import progress, warn
from flagtui.cli.plumbing.profile_choice import Opening
from flagtui.code.flag_facts import CodeFacts
from flagtui.local_time import ago
from flagtui.models.rows import EventDefinitionRow


def request_facts(opening: Opening, place: WorkPlace) -> CodeFacts:
    """Return the server's facts, and save them for `--offline`. Raises Trouble."""
    # The client takes longer to load than a run without requests.
    from flagtui.cli.plumbing.fetched_facts import read_facts
    from flagtui.cli.plumbing.project_session import in_opened

    return in_opened(opening, place, read_facts)


def load_facts(opening: Opening) -> CodeFacts:
    """Return the facts of the last run, with a line about their age. Raises Trouble."""
    require_project_id(opening)
    copies = OfflineCopies(opening)
    if (copy := load_flags(copies)) is None:
        raise never_read(opening)
    flags, taken_at = copy
    events = copies.load("events", CODE_PART, EventDefinitionRow)
    progress(f"Flags as read {ago(taken_at, time.time())}.")
    if events is None:
        warn("event names were not checked: no run has read event definitions here yet.")
    return CodeFacts.of(flags, events.rows if events is not None else None, taken_at)
