"""Looks at flags: the list, and one as a whole."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from flagtui.changes.flags.canonical_filters import clean_filters
from flagtui.cli.flags.flag_objects import FlagObject, objects_of
from flagtui.cli.options import WorkPlace
from flagtui.cli.output.printer import Printer
from flagtui.cli.project_session import in_project_with_pages
from flagtui.cli.records.flag_records import FLAG
from flagtui.cli.records.whole_flag import WHOLE_FLAG, WholeFlag
from flagtui.cli.row_source import FLAGS
from flagtui.cli.selection import read_words
from flagtui.models.flag_rows import row_of_object
from flagtui.models.json_value import as_dict
from flagtui.safe_text import MASK

if TYPE_CHECKING:
    from flagtui.models.rows import FlagRow


def list_flags(line: str, sort: str, limit: int | None, place: WorkPlace, printer: Printer) -> int:
    """The rows a query finds."""
    rows: list[FlagRow]
    rows, page = in_project_with_pages(place, "flags", lambda session: FLAGS.rows(session, line, sort))
    printer.records(FLAG, rows[:limit], "No flag is found.", page)
    return 0


def get_flags(words: Sequence[str], place: WorkPlace, printer: Printer) -> int:
    """Flags with their targeting."""
    wanted = read_words(words, FLAGS.is_query)
    found, page = in_project_with_pages(place, "flags", lambda session: objects_of(session, wanted))
    printer.details(WHOLE_FLAG, map(_whole, found), lambda whole: page(whole.row))
    return 0


def _whole(raw: FlagObject) -> WholeFlag:
    filters = clean_filters(raw.get("filters"))
    payloads = as_dict(filters.get("payloads"))
    if raw.get("has_encrypted_payloads") and payloads:
        filters["payloads"] = dict.fromkeys(payloads, MASK)
    return WholeFlag(raw, row_of_object(raw), filters)
