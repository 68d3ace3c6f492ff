"""`flagtui flags …` that report: stale flags, their use, what programs get, cohorts."""

from collections.abc import Sequence
from typing import Any, Final

import click
import msgspec

from flagtui.cli.commands.flags.flag_selection import flags_of
from flagtui.cli.plumbing.errors import Trouble
from flagtui.cli.plumbing.listed_records import list_matches
from flagtui.cli.plumbing.near_names import not_found
from flagtui.cli.plumbing.next_commands import next_command
from flagtui.cli.plumbing.output.record_schema import RecordField, RecordSchema
from flagtui.cli.plumbing.project_session import ProjectSession
from flagtui.cli.plumbing.record_command import command
from flagtui.cli.plumbing.selection import FLAGS, RecordSelection, read_words, several
from flagtui.cli.plumbing.word_types import FLAG_WORDS, query_argument
from flagtui.cli.records.field_words import age_words, commas, count_words, on_or_off
from flagtui.evaluate.definitions import used_cohorts
from flagtui.models.flag import Flag
from flagtui.models.flag_responses import Cohort
from flagtui.models.json_value import JSON, as_dict
from flagtui.models.rows import FlagRow
from flagtui.safe_text import safe_text
from flagtui.store.flag_listing import CLEAN_UP
from flagtui.text.cleanup_advice import winner_words


class StaleFlag(msgspec.Struct, frozen=True):
    """A flag that is on and seems not to be needed."""

    row: FlagRow
    serves: str
    dependents: Sequence[str]

    @property
    def id(self) -> int:
        return self.row.id


class FlagUse(msgspec.Struct, frozen=True):
    """Whether a flag is used, as the server reports it."""

    key: str
    status: str
    reason: str


class RemoteValue(msgspec.Struct, frozen=True):
    """The value of a remote configuration."""

    key: str
    value: Any


STALE: Final[RecordSchema[StaleFlag]] = RecordSchema(
    "stale-flag",
    "A stale flag: the value for everyone, and its dependents.",
    (
        RecordField("key", "text", "Its key.", lambda flag: flag.row.key, True),
        RecordField("id", "whole", "Its id.", lambda flag: flag.row.id),
        RecordField(
            "called_at", "time?", "When it was last called.", lambda flag: flag.row.called_at, True, age_words
        ),
        RecordField(
            "serves",
            "text",
            "The value that everyone is served; empty while it depends on the user.",
            is_shown=True,
        ),
        RecordField("dependents", "texts", "Flags that depend on it.", is_shown=True, words=commas),
    ),
    version=2,
)


class DefinedFlag(msgspec.Struct, frozen=True):
    """A flag as libraries evaluate it, with what its conditions refer to."""

    definition: dict[str, JSON]
    cohorts: dict[str, JSON]
    group_types: dict[str, JSON]


DEFINITION: Final[RecordSchema[DefinedFlag]] = RecordSchema(
    "flag-definition",
    "A flag as libraries evaluate it.",
    (
        RecordField("key", "text", "Its key.", lambda flag: str(flag.definition.get("key") or ""), True),
        RecordField("id", "whole?", "Its id.", lambda flag: flag.definition.get("id"), True),
        RecordField(
            "active",
            "truth",
            "Whether it is on.",
            lambda flag: flag.definition.get("active") is True,
            True,
            on_or_off,
        ),
        RecordField("definition", "object", "The definition as the server serves it."),
        RecordField("cohorts", "object", "Cohorts that its conditions use, by id."),
        RecordField("group_types", "object", "Names of the project's group types, by index."),
    ),
)
USE: Final[RecordSchema[FlagUse]] = RecordSchema(
    "flag-status",
    "Whether a flag is used, and the server's reason.",
    (
        RecordField("key", "text", "The key of the flag.", is_shown=True),
        RecordField("status", "text", "active, stale, inactive, …", is_shown=True),
        RecordField("reason", "text", "The server's own words.", is_shown=True, is_long=True),
    ),
)
VALUE_FOR_PROGRAMS: Final[RecordSchema[RemoteValue]] = RecordSchema(
    "remote-value",
    "The value of a remote configuration; encrypted ones are decrypted by the server.",
    (
        RecordField("key", "text", "The key of the flag.", is_shown=True),
        RecordField("value", "any", "Null when there is none.", is_shown=True),
    ),
)
COHORT: Final[RecordSchema[Cohort]] = RecordSchema(
    "cohort",
    "A cohort that conditions can name.",
    (
        RecordField("id", "whole", "Its id.", is_shown=True),
        RecordField("name", "text", "Its name.", is_shown=True),
        RecordField("count", "whole?", "The number of its members.", is_shown=True, words=count_words),
        RecordField("static", "truth", "Whether its members are fixed.", lambda cohort: cohort.is_static),
    ),
)


@command(
    "definitions",
    kind=DEFINITION,
    empty="The server serves no definition.",
    operations=("flags.local_evaluation", "flags.definitions"),
    examples=("--json", "checkout-redesign --ndjson"),
)
@click.argument("keys", nargs=-1, metavar="[KEY]...")
async def definitions(session: ProjectSession, keys: tuple[str, ...]) -> list[DefinedFlag]:
    """Show flags as the server serves them for local evaluation."""
    chosen = read_words(keys, lambda _word: False).names if keys else ()
    document = await session.client.evaluation.local_evaluation()
    served = [as_dict(flag) for flag in document.flags] if document is not None else []
    keys_served = [str(flag.get("key")) for flag in served]
    if missing := [key for key in chosen if key not in keys_served]:
        raise not_found("definition of a flag", missing, keys_served, "flags definitions")
    flags = [flag for flag in served if not chosen or flag.get("key") in chosen]
    if document is None:
        return []
    group_types = as_dict(document.raw.get("group_type_mapping"))
    return [
        DefinedFlag(flag, used_cohorts(flag.get("filters"), document.cohorts), group_types) for flag in flags
    ]


@command(
    "stale",
    kind=STALE,
    empty="No flag is stale.",
    pages="flags",
    operations=("flags.list",),
    examples=("", "tag:web --json"),
)
@query_argument("flags")
async def stale(session: ProjectSession, query: tuple[str, ...]) -> list[StaleFlag]:
    """List stale flags, safest to remove first, with the value that everyone is served; QUERY narrows."""
    matches, rows = await list_matches(session, FLAGS, [f"is:stale {' '.join(query)}".strip()], CLEAN_UP)
    dependents: dict[int, list[str]] = {}
    for row in rows:
        for id in () if row.archived else row.depends_on:
            dependents.setdefault(id, []).append(row.key)
    return [
        StaleFlag(flag.row, winner_words(Flag.of(flag.raw)), dependents.get(flag.row.id, ()))
        for flag in matches
    ]


@command(
    "status",
    kind=USE,
    operations=("flags.list", "flags.get", "flags.status"),
    examples=("checkout-redesign", "is:stale --json"),
)
@FLAG_WORDS
async def status(session: ProjectSession, flags: RecordSelection) -> list[FlagUse]:
    """Show whether flags are in use, in the server's own words."""

    async def read(flag: Flag) -> FlagUse:
        report = await session.client.flags.status(flag.id)
        return FlagUse(flag.key, report.status, report.reason)

    return await several(await flags_of(session, flags), read)


@command(
    "payload",
    kind=VALUE_FOR_PROGRAMS,
    operations=("flags.list", "flags.get", "flags.remote_config"),
    examples=("type:config", "type:config --json"),
)
@FLAG_WORDS
async def payload(session: ProjectSession, flags: RecordSelection) -> list[RemoteValue]:
    """Print the values of remote configurations; encrypted ones come decrypted."""
    selected = await flags_of(session, flags)
    if others := [safe_text(flag.key, 80) for flag in selected if not flag.is_remote_configuration]:
        fix = f"Those that are: {next_command('flags', 'list', 'type:config')}"
        raise Trouble(f"not a remote configuration: {', '.join(others[:5])}.", fix, code="not_found")

    async def read(flag: Flag) -> RemoteValue:
        return RemoteValue(flag.key, await session.client.evaluation.remote_config(flag.id))

    return await several(selected, read)


@command(
    "cohorts", kind=COHORT, empty="There is no cohort.", operations=("cohorts.list",), examples=("", "--json")
)
async def cohorts(session: ProjectSession) -> Sequence[Cohort]:
    """List the cohorts that conditions can name."""
    return await session.client.cohorts.all()
