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
from flagtui.models.code_flags import CodeFlag, StoredFlags
from flagtui.models.rows import EventDefinitionRow, FlagRow


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
    flags: StoredFlags | list[CodeFlag]
    if (copy := load_flags(copies)) is not None:
        flags, taken_at = copy
    else:
        rows = copies.load("flags", "", FlagRow)
        if rows is None:
            raise never_read(opening)
        # The list that the app keeps has no conditions.
        flags, taken_at = [CodeFlag(row, has_value=False) for row in rows.rows], rows.taken_at
    stored = (copies.load("events", part, EventDefinitionRow) for part in (CODE_PART, ""))
    events = next((each for each in stored if each is not None), None)
    progress(f"Flags as read {ago(taken_at, time.time())}.")
    if events is None:
        warn("event names were not checked: no run has read event definitions here yet.")
    return CodeFacts.of(flags, events.rows if events is not None else None, taken_at)
