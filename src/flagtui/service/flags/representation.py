"""Flags in responses: stored text, joined with what other tables hold."""

import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from typing import Final

import msgspec

from flagtui.evaluate import wire
from flagtui.service.call import Call
from flagtui.service.database import find
from flagtui.service.errors import Json
from flagtui.service.flags.encryption import PLACEHOLDER, CannotOpen, unseal
from flagtui.service.flags.levels import load_levels
from flagtui.service.flags.status import stale_before, status_word
from flagtui.service.projects import nested_users
from flagtui.service.responses import Response, encode, respond_text, text_of, value_of

NEEDED = (
    *("id", "rendered", "filters", "evaluation_contexts", "extra", "variant_count", "full_rollout"),
    *("deleted", "archived", "active", "created_at", "last_called_at", "has_encrypted_payloads"),
    *("created_by_id", "last_modified_by_id", "rollback_conditions", "performed_rollback"),
    *("is_simple", "simple_rollout", "creation_context"),
    "evaluation_contexts_match_mode",
)
"""The columns that showing a flag takes."""

Texts = Mapping[int, list[str]]
"""JSON texts of other records by flag id."""


class Links(msgspec.Struct, frozen=True):
    """The data of other tables about some flags, read once for all of them."""

    experiments: Texts
    experiment_ids: Texts
    surveys: Texts
    features: Texts
    users: Mapping[int | None, str]


def flag_answer(call: Call, row: sqlite3.Row, status: int = 200) -> Response:
    return respond_text(flag_texts(call, [row])[0], status)


def flag_texts(call: Call, rows: Sequence[sqlite3.Row]) -> list[str]:
    """Return the JSON texts of flags, in order."""
    links = _load_links(call.db, rows)
    levels = load_levels(call.db, call.caller, call.project)
    limit = stale_before(call.now)
    replay = call.project.replay_flag_id
    texts = [_text(call, row, links, levels.of(row["id"]), limit, replay) for row in rows]
    hidden = call.generation.body("flag").hidden
    if not hidden >= _OLDER_NAMES:
        texts = [f"{text[:-1]},{_older_fields(row)}}}" for text, row in zip(texts, rows, strict=True)]
    if texts and not hidden.isdisjoint(value_of(texts[0])):
        return [text_of(call.generation.adapt_record("flag", value_of(text))) for text in texts]
    return texts


def _text(  # Called for each of thousands of rows: an object for six values would double it.
    call: Call, row: sqlite3.Row, links: Links, level: str, stale_limit: str, replay: int | None
) -> str:
    flag_id, variants = row["id"], row["variant_count"]
    status = status_word(call, row, stale_limit)
    extra = row["extra"]
    return (
        f'{{{row["rendered"]},"filters":{shown_filters(call, row)}'
        f',"created_by":{links.users[row["created_by_id"]]}'
        f',"last_modified_by":{links.users[row["last_modified_by_id"]]}'
        f',"experiment_set":[{",".join(links.experiment_ids.get(flag_id, ()))}]'
        f',"experiment_set_metadata":[{",".join(links.experiments.get(flag_id, ()))}]'
        f',"surveys":[{",".join(links.surveys.get(flag_id, ()))}]'
        f',"features":[{",".join(links.features.get(flag_id, ()))}]'
        f',"can_edit":{"true" if level in ("editor", "manager") else "false"},"user_access_level":"{level}"'
        f',"evaluation_contexts":{row["evaluation_contexts"]},"status":"{status}"'
        f',"evaluation_contexts_match_mode":"{row["evaluation_contexts_match_mode"]}"'
        f',"is_used_in_replay_settings":{"true" if flag_id == replay else "false"}'
        f',"is_eligible_for_experiment":{"true" if 2 <= variants <= 20 else "false"}'
        f"{'' if extra == '{}' else ',' + extra[1:-1]}}}"
    )


_TRUTHS: Final = {None: "null", 0: "false", 1: "true"}
_OLDER_NAMES: Final = frozenset(
    (
        *("is_simple_flag", "rollout_percentage", "rollback_conditions", "performed_rollback"),
        *("evaluation_tags", "creation_context"),
    )
)
"""Fields of the specification that the newest servers no longer show."""


def _older_fields(row: sqlite3.Row) -> str:
    share = row["simple_rollout"]
    return (
        f'"is_simple_flag":{_TRUTHS[row["is_simple"]]}'
        f',"rollout_percentage":{"null" if share is None else share}'
        f',"rollback_conditions":{row["rollback_conditions"] or "null"}'
        f',"performed_rollback":{_TRUTHS[row["performed_rollback"]]}'
        f',"evaluation_tags":{row["evaluation_contexts"]},"creation_context":"{row["creation_context"]}"'
    )


def shown_filters(call: Call, row: sqlite3.Row) -> str:
    """Return filters as a reader gets them: names of cohorts and groups added, sealed payloads opened."""
    text: str = row["filters"]
    sealed = row["has_encrypted_payloads"]
    if not sealed and '"cohort"' not in text and '"$group_key"' not in text:
        return text
    filters = value_of(text)
    if sealed:
        filters = {**filters, "payloads": opened_payloads(call, filters)}
    add_names(call.db, call.project.id, filters)
    return text_of(filters)


def opened_payloads(call: Call, filters: Mapping[str, Json]) -> Json:
    """Return payloads with sealed ones opened; a placeholder for those that cannot be."""
    payloads = filters.get("payloads")
    key_file = call.settings.key_file
    if not isinstance(payloads, dict) or key_file is None:
        return payloads
    opened: dict[str, Json] = {}
    for name, payload in payloads.items():
        try:
            opened[name] = unseal(key_file, payload)
        except CannotOpen:
            opened[name] = PLACEHOLDER
    return opened


def add_names(db: sqlite3.Connection, project_id: int, filters: Mapping[str, Json]) -> None:
    """Put the names of cohorts and groups beside their ids; they are not stored."""
    for item in properties_of(filters):
        if item.get("type") == "cohort":
            row = find(db, "cohorts", id=_small(item.get("value")), project_id=project_id, deleted=0)
            item["cohort_name"] = None if row is None else row["name"]
        elif item.get("key") == "$group_key":
            item["group_key_names"] = _group_names(db, project_id, item)


def _group_names(db: sqlite3.Connection, project_id: int, item: Mapping[str, Json]) -> dict[str, Json]:
    value = item.get("value")
    keys = [key for key in (value if isinstance(value, list) else [value]) if isinstance(key, str)]
    rows = db.execute(
        "SELECT key, json_extract(properties, '$.name') AS name FROM groups"
        " WHERE project_id = ? AND type_index = ? AND key IN (SELECT value FROM json_each(?))",
        (project_id, _small(item.get("group_type_index")), text_of(keys)),
    )
    return {row["key"]: row["name"] for row in rows if row["name"] is not None}


def _small(value: Json) -> int | str | None:
    """Return a value that SQLite can compare with an id."""
    if isinstance(value, str):
        return value
    return value if isinstance(value, int) and abs(value) < 2**63 else None


def properties_of(filters: Mapping[str, Json] | None) -> list[dict[str, Json]]:
    """Return every valid property of every condition."""
    properties = chain.from_iterable(map(wire.properties, wire.conditions(filters)))
    return [item for item in properties if isinstance(item, dict)]


def _load_links(db: sqlite3.Connection, rows: Sequence[sqlite3.Row]) -> Links:
    ids = text_of([row["id"] for row in rows])
    users = {row["created_by_id"] for row in rows} | {row["last_modified_by_id"] for row in rows}

    def read_linked(columns: str, table: str, flag: str, order: str = "created_at") -> list[sqlite3.Row]:
        return db.execute(
            f"SELECT {flag} AS flag_id, id, name, {columns} FROM {table}"
            f" WHERE {flag} IN (SELECT value FROM json_each(?)) ORDER BY {order}",
            (ids,),
        ).fetchall()

    running = "deleted, start_date IS NOT NULL AND end_date IS NULL AS is_running"
    experiments = [row for row in read_linked(running, "experiments", "flag_id", "id") if not row["deleted"]]
    features = read_linked(
        "description, stage, documentation_url, created_at", "early_access_features", "flag_id"
    )
    surveys = read_linked("type, created_at, archived", "surveys", "linked_flag_id")
    return Links(
        experiments=_group(experiments, _experiment_text),
        experiment_ids=_group(experiments, lambda row: str(row["id"])),
        surveys=_group(surveys, _link_text),
        features=_group(features, _link_text),
        users=nested_users(db, users),
    )


def _group(rows: Iterable[sqlite3.Row], text: Callable[[sqlite3.Row], str]) -> Texts:
    grouped: defaultdict[int, list[str]] = defaultdict(list)
    for row in rows:
        grouped[row["flag_id"]].append(text(row))
    return grouped


def _experiment_text(row: sqlite3.Row) -> str:
    running = "true" if row["is_running"] else "false"
    return f'{{"id":{row["id"]},"name":{encode(row["name"]).decode()},"is_running":{running}}}'


def _link_text(row: sqlite3.Row) -> str:
    shown = {name: row[name] for name in row.keys() if name != "flag_id"}  # noqa: SIM118  # Rows iterate values.
    if "archived" in shown:
        shown["archived"] = bool(shown["archived"])
    return text_of(shown)
