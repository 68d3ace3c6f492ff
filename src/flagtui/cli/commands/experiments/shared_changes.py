"""`flagtui experiments …` that change holdouts and shared metrics, which several experiments use."""

from collections.abc import Callable, Sequence
from typing import TypedDict, Unpack

import click

from flagtui.changes.shared.shared_plan import (
    HOLDOUT,
    METRIC,
    NOUNS,
    SharedIntent,
    SharedRecord,
    holdout_filters,
    stored_fields,
)
from flagtui.changes.shared.shared_planner import SharedPlanner
from flagtui.changes.shared.shared_save import operations_of
from flagtui.cli.plumbing.change_report import change_command
from flagtui.cli.plumbing.confirmation import carry_out
from flagtui.cli.plumbing.errors import Trouble
from flagtui.cli.plumbing.input_text import read_text
from flagtui.cli.plumbing.near_names import not_found
from flagtui.cli.plumbing.next_commands import next_command
from flagtui.cli.plumbing.options import Percentage, WriteTerms, source_option
from flagtui.cli.plumbing.project_session import ProjectSession
from flagtui.cli.plumbing.record_command import RecordCommand
from flagtui.cli.plumbing.selection import number_in
from flagtui.cli.plumbing.session_context import SessionContext
from flagtui.models.json_value import JSON, NotJson, read_json

LISTS = {HOLDOUT: "holdouts", METRIC: "metrics"}
"""The command that lists the records of each kind."""
NAME = click.option("--name", help="Its new name.")
DESCRIPTION = click.option("--description", help="What it is for; empty for none.")
QUERY = click.option("--query", metavar="JSON", help="What it measures, as metrics --json prints it.")
FROM = source_option(help="The query from a file; - reads it from stdin.", excludes=("--query",))


def _command(
    name: str, kind: str, operation: str, *examples: str, is_new: bool = False
) -> Callable[..., RecordCommand]:
    """Declare a command that changes records of this kind."""
    family = "holdouts" if kind == HOLDOUT else "saved_metrics"
    read = f"{family}.list" if is_new else f"{family}.get"
    return change_command(
        name,
        operations=(*dict.fromkeys((f"{family}.list", read)), f"{family}.{operation}"),
        examples=examples,
        never_staged="several experiments use it",
    )


@_command(
    "create-holdout",
    HOLDOUT,
    "create",
    "'Held back' --share 5% --dry-run",
    "'Held back' --share 5% --yes",
    is_new=True,
)
@click.argument("name")
@click.option(
    "--share", type=Percentage(), required=True, metavar="PERCENT", help="The share of users held back."
)
@click.option("--description", default="", help="What it is for.")
async def create_holdout(
    session: ProjectSession, name: str, share: float, description: str, terms: WriteTerms
) -> int:
    """Create a holdout: a share of users whom experiments with it leave out."""
    values: dict[str, JSON] = {"name": name, "filters": holdout_filters(share)}
    return await _create(session, HOLDOUT, values, description, terms)


@_command("edit-holdout", HOLDOUT, "update", "1 --share 10% --dry-run", "1 --description '' --dry-run")
@click.argument("holdout")
@NAME
@click.option("--share", type=Percentage(), metavar="PERCENT", help="The new share of users held back.")
@DESCRIPTION
async def edit_holdout(
    session: ProjectSession,
    holdout: str,
    name: str | None,
    share: float | None,
    description: str | None,
    terms: WriteTerms,
) -> int:
    """Change a holdout, named by id or name; a new share reaches the flags of its experiments."""
    filters = None if share is None else holdout_filters(share)
    return await _edit(session, HOLDOUT, holdout, _given_values(name, description, filters=filters), terms)


@_command("delete-holdout", HOLDOUT, "delete", "1 --dry-run", "'Left alone' --dry-run --json")
@click.argument("holdouts", nargs=-1, required=True, metavar="HOLDOUT...")
async def delete_holdout(session: ProjectSession, holdouts: tuple[str, ...], terms: WriteTerms) -> int:
    """Delete holdouts, named by ids or names; experiments continue without them."""
    return await _delete(session, HOLDOUT, holdouts, terms)


@_command(
    "create-metric",
    METRIC,
    "create",
    "'Sign-ups' --from metric.json --dry-run",
    "'Sign-ups' --from metric.json --description 'Once a user' --yes",
    is_new=True,
)
@click.argument("name")
@QUERY
@FROM
@click.option("--description", default="", help="What it counts.")
async def create_metric(
    session: ProjectSession,
    name: str,
    query: str | None,
    source: str | None,
    description: str,
    terms: WriteTerms,
) -> int:
    """Create a metric that experiments can share."""
    measured = _query_of(query, source)
    if measured is None:
        raise click.UsageError("Give what it measures: --query JSON, or --from FILE.")
    return await _create(session, METRIC, {"name": name, "query": measured}, description, terms)


class MetricOptions(TypedDict):
    """The options as click passes them."""

    name: str | None
    query: str | None
    source: str | None
    description: str | None


@_command(
    "edit-metric", METRIC, "update", "1 --name 'Sign-ups a week' --dry-run", "1 --from metric.json --dry-run"
)
@click.argument("metric")
@NAME
@QUERY
@FROM
@DESCRIPTION
async def edit_metric(
    session: ProjectSession, metric: str, terms: WriteTerms, **given: Unpack[MetricOptions]
) -> int:
    """Change a shared metric, named by id or name, in all experiments that measure it."""
    query = _query_of(given["query"], given["source"])
    values = _given_values(given["name"], given["description"], query=query)
    return await _edit(session, METRIC, metric, values, terms)


@_command("delete-metric", METRIC, "delete", "1 --dry-run", "1 2 --dry-run --json")
@click.argument("metrics", nargs=-1, required=True, metavar="METRIC...")
async def delete_metric(session: ProjectSession, metrics: tuple[str, ...], terms: WriteTerms) -> int:
    """Delete shared metrics, named by ids or names; experiments continue without them."""
    return await _delete(session, METRIC, metrics, terms)


async def _create(
    session: ProjectSession, kind: str, values: dict[str, JSON], description: str, terms: WriteTerms
) -> int:
    values |= {"description": description} if description else {}
    return await _change(session, [SharedIntent(kind, 0, values, "create")], (), terms)


async def _edit(
    session: ProjectSession, kind: str, word: str, values: dict[str, JSON], terms: WriteTerms
) -> int:
    if not values:
        raise click.UsageError("Nothing would change: give a new value by an option.")
    (fresh,) = await _records_of(session, kind, [word])
    seen = {name: value for name, value in stored_fields(kind, fresh).items() if name in values}
    return await _change(session, [SharedIntent(kind, fresh.id, values, "edit", seen)], [fresh], terms)


async def _delete(session: ProjectSession, kind: str, words: Sequence[str], terms: WriteTerms) -> int:
    records = await _records_of(session, kind, words)
    intents = [SharedIntent(kind, fresh.id, {}, "delete") for fresh in records]
    return await _change(session, intents, records, terms)


async def _change(
    session: ProjectSession, intents: Sequence[SharedIntent], fresh: Sequence[SharedRecord], terms: WriteTerms
) -> int:
    planner = SharedPlanner(SessionContext(session, terms), {record.id: record for record in fresh})
    return await carry_out(await planner.plan(intents), session, terms)


async def _records_of(session: ProjectSession, kind: str, words: Sequence[str]) -> list[SharedRecord]:
    """Return the records with these ids or exact names, each once. Raises Trouble."""
    records: Sequence[SharedRecord] = await operations_of(session.client, kind).all()
    selected: dict[int, SharedRecord] = {}
    missing: list[str] = []
    for word in words:
        matches = [record for record in records if record.id == number_in(word)]
        matches = matches or [record for record in records if record.name == word]
        if len(matches) > 1:
            ids = ", ".join(str(record.id) for record in matches)
            what = f"{len(matches):,} {NOUNS[kind]}s are called {word}."
            raise Trouble(what, f"Choose one: {ids}.", code="usage")
        missing += [] if matches else [word]
        selected |= {record.id: record for record in matches}
    if missing:
        names = [record.name for record in records]
        raise not_found(NOUNS[kind], missing, names, f"experiments {LISTS[kind]}")
    return [*selected.values()]


def _given_values(name: str | None, description: str | None, **more: JSON) -> dict[str, JSON]:
    values = {"name": name, "description": description, **more}
    return {field: value for field, value in values.items() if value is not None}


def _query_of(text: str | None, source: str | None) -> JSON:
    """Return the query of the options; None without one. Raises Trouble."""
    text = text if source is None else read_text(source)
    if text is None:
        return None
    try:
        query = read_json(text.encode())
    except NotJson:
        query = None
    if not isinstance(query, dict):
        fix = f"See: {next_command('experiments', 'metrics', '--json')}"
        raise Trouble("the query is no JSON object.", fix, code="usage")
    return query
