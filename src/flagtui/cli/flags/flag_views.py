"""`flagtui flags list` and `get`."""

from flagtui.changes.flags.canonical_filters import clean_filters
from flagtui.cli.flags.flag_objects import NAMING, FlagObject, names_for, objects_of
from flagtui.cli.options import WorkPlace
from flagtui.cli.output.printer import Printer
from flagtui.cli.project_session import ProjectSession, in_project_with_pages
from flagtui.cli.records.flag_records import FLAG, WHOLE_FLAG, WholeFlag
from flagtui.cli.row_source import FLAGS
from flagtui.cli.selection import read_words
from flagtui.cli.twin_command import command
from flagtui.cli.word_types import FLAG_WORDS, list_options
from flagtui.models.flag import Flag
from flagtui.models.flag_details import NO_NAMES, Names
from flagtui.models.json_value import as_dict
from flagtui.models.rows import FlagRow
from flagtui.safe_text import MASK


@command(
    "list",
    kind=FLAG,
    operations=("flags.list",),
    examples=("flags list", "flags list 'is:on tag:checkout' --fields key,rollout,updated_at --json"),
)
@list_options("updated, key, created, …; -key turns it round.")
def list_flags(
    query: tuple[str, ...], sort: str, limit: int | None, place: WorkPlace, printer: Printer
) -> int:
    """List flags; QUERY narrows as the search line of the app does."""
    rows: list[FlagRow]
    rows, page = in_project_with_pages(
        place, "flags", lambda session: FLAGS.rows(session, " ".join(query), sort)
    )
    printer.records(FLAG, rows[:limit], "No flag is found.", page)
    return 0


@command(
    "get",
    kind=WHOLE_FLAG,
    operations=("flags.list", "flags.get", *NAMING),
    examples=("flags get checkout-redesign", "flags get checkout-redesign --json --fields key,filters"),
)
@FLAG_WORDS
def get_flags(flags: tuple[str, ...], place: WorkPlace, printer: Printer) -> int:
    """Show flags as a whole: who sees them, and as what."""
    wanted = read_words(flags, FLAGS.is_query)
    is_told = "who" in printer.names_of(WHOLE_FLAG)

    async def work(session: ProjectSession) -> list[WholeFlag]:
        found = await objects_of(session, wanted)
        names = await names_for(session, found) if is_told else NO_NAMES
        return [_whole(one, names) for one in found]

    found, page = in_project_with_pages(place, "flags", work)
    printer.details(WHOLE_FLAG, found, lambda whole: page(whole.row))
    return 0


def _whole(raw: FlagObject, names: Names) -> WholeFlag:
    filters = clean_filters(raw.get("filters"))
    payloads = as_dict(filters.get("payloads"))
    if raw.get("has_encrypted_payloads") and payloads:
        filters["payloads"] = dict.fromkeys(payloads, MASK)
    return WholeFlag(raw, Flag.of(raw).row(), filters, names)
