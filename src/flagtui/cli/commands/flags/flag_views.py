"""`flagtui flags list` and `get`. Loads no models of whole records, which takes longer than the look."""

import click

from flagtui.changes.canonical_filters import clean_filters
from flagtui.cli.commands.flags.flag_selection import NAMING, FlagObject, listed_objects_of
from flagtui.cli.plumbing.errors import EXIT_CODES
from flagtui.cli.plumbing.project_session import ProjectSession
from flagtui.cli.plumbing.record_command import command
from flagtui.cli.plumbing.selection import FLAGS, RecordSelection
from flagtui.cli.plumbing.word_types import FLAG_WORDS, list_options
from flagtui.cli.records.flag_records import FLAG, WHOLE_FLAG, WholeFlag
from flagtui.evaluate import wire
from flagtui.models.flag_details import NO_NAMES, Names
from flagtui.models.flag_rows import row_of_object
from flagtui.models.rows import FlagRow
from flagtui.safe_text import MASK


@command(
    "list",
    kind=FLAG,
    empty="No flag is found.",
    pages="flags",
    operations=("flags.list",),
    examples=("", "'is:on tag:checkout' --fields key,rollout,updated_at --json"),
)
@list_options("flags", "updated, key, created, …; -key turns it round.")
async def list_flags(
    session: ProjectSession, query: tuple[str, ...], sort: str, limit: int | None
) -> list[FlagRow]:
    """List flags; QUERY narrows as the search line of the app does.

    QUERY is words, and qualifiers with a value (type, runtime, is, by, tag, rollout,
    updated, created, called, key, due, refs, code, id): 'is:on tag:web updated:<7d -called:never'
    """
    # Showing a flag needs no search.
    from flagtui.store.flag_listing import order_of_search

    line = " ".join(query)
    rows: list[FlagRow] = await FLAGS.rows(session, line, sort or order_of_search(line), limit)
    return rows


@command(
    "get",
    kind=WHOLE_FLAG,
    pages="flags",
    is_whole=True,
    operations=("flags.list", "flags.get", *NAMING),
    examples=("checkout-redesign", "checkout-redesign --json --fields key,filters"),
)
@FLAG_WORDS
@click.option("--exit-status", is_flag=True, help="Exit with 7 unless all of them are on.")
async def get_flags(session: ProjectSession, flags: RecordSelection, exit_status: bool) -> list[WholeFlag]:
    """Show whole flags: who matches, and what they are served."""
    objects = await listed_objects_of(session, flags)
    if exit_status and not (objects and all(flag.get("active") is True for flag in objects)):
        session.exit_code = EXIT_CODES["findings"]
    if "conditions" not in session.fields:
        return [_whole(flag, NO_NAMES) for flag in objects]
    names = await session.names(objects)
    needs_list = any(row_of_object(flag).depends_on for flag in objects)
    rows: list[FlagRow] = await FLAGS.every(session) if needs_list else []
    return [_whole(flag, _with_dependencies(flag, names, rows)) for flag in objects]


def _with_dependencies(raw: FlagObject, names: Names, rows: list[FlagRow]) -> Names:
    """Return the names with the keys of the flag's dependencies, and which of those can never match."""
    if not row_of_object(raw).depends_on:
        return names
    # Loaded here: few flags have dependencies.
    from flagtui.details.flag_names import names_about
    from flagtui.models.flag import Flag

    return names_about(Flag.of(raw), names, rows, is_complete=True)


def _whole(raw: FlagObject, names: Names) -> WholeFlag:
    filters = clean_filters(raw.get("filters"))
    if raw.get("has_encrypted_payloads"):
        filters = wire.mask_payloads(filters, MASK)
    return WholeFlag(raw, row_of_object(raw), filters, names)
