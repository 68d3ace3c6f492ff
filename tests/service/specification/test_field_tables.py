"""Every response has the fields of the specification's tables, and sent values are stored."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

import pytest
from tests.doubles.service_world import Start, World
from tests.service.specification.field_tables import TABLES, faults, shown_fields
from tests.service.specification.record_responses import (
    COPY,
    METRIC,
    OPEN,
    PLACES,
    P,
    all_responses,
    records_at,
)

from flagtui.service.application import OPERATIONS
from flagtui.service.errors import Json
from flagtui.service.generations import OLDER
from flagtui.service.operations import Operation
from flagtui.service.sdk import operations as sdk
from flagtui.service.shapes import RECORD_NAME

GENERATIONS: Final[Mapping[str, dict[str, bool]]] = {
    "default": {},
    "newest": {"newest": True},
    "legacy": {"legacy": True},
}


def _below(place: str, words: str) -> list[str]:
    return [f"{place}/{word}" for word in words.split()]


WITHOUT_RECORDS: Final = frozenset(
    (
        *(operation.name for operation in sdk.OPERATIONS),
        *(operation.name for operation in OPERATIONS if operation.method == "DELETE"),
        *("GET ", "GET /api/projects", "GET /api/organizations", "GET /groups_types"),
        *("GET /property_definitions", "GET /persons/values", "GET /groups/property_values"),
        *_below("GET /api/personal_api_keys", "{id}"),
        *_below("PATCH /api/personal_api_keys", "{id}"),
        *_below("GET /feature_flags", "activity evaluation_reasons matching_ids {id}/activity"),
        *_below("GET /feature_flags/{id}", "dependent_flags remote_config status versions/{version}"),
        *_below("POST /feature_flags", "bulk_delete bulk_keys bulk_update_tags user_blast_radius"),
        *_below("POST /feature_flags/{id}", "dashboard enrich_usage_dashboard test_evaluation"),
        *_below("GET /api/organizations", "{organization_id} {organization_id}/projects"),
        *_below("GET /api/organizations/{organization_id}/feature_flags", "keys {key}"),
        f"{COPY}/dependency_requirements",
        *_below("GET /experiments", "matching_ids requires_flag_implementation stats {id}/activity"),
        *_below("GET /experiments/{id}", "timeseries_results metrics_recalculation/latest"),
        "GET /experiments/{id}/metrics_recalculation/{run_id}",
        *_below("POST /experiments", "bulk_update_tags calculate_running_time"),
        *_below("POST /experiments/{id}", "recalculate_timeseries metrics_recalculation"),
        *("POST /query", "GET /query/{query_id}", "GET /change_requests", "GET /change_requests/{id}"),
        *_below("POST /change_requests/{id}", "approve cancel reject"),
        *_below("GET /event_definitions", "typescript golang python primary_properties {id}/metrics"),
        *_below("POST /event_definitions", "bulk_update_tags bulk_update_verified"),
    )
)
"""Operations that respond with something else: counts, keys, reasons, log entries, older versions, …"""


def marked_schemas(schema: Json) -> Iterator[dict[str, Json]]:
    """The schemas of records within a schema."""
    if isinstance(schema, dict):
        if RECORD_NAME in schema:
            yield schema
        schema = list(schema.values())
    for part in schema if isinstance(schema, list) else ():
        yield from marked_schemas(part)


@pytest.mark.parametrize("generation", GENERATIONS)
async def test_every_record_has_the_fields_of_its_table(start_world: Start, generation: str) -> None:
    world: World = await start_world(**GENERATIONS[generation])
    served: tuple[Operation, ...] = world.application.state.dispatcher.routes.operations
    responses = await all_responses(world, served)
    assert responses.keys() == PLACES.keys() & {operation.name for operation in served}
    for name, body in responses.items():
        place = PLACES[name]
        records = records_at(body, place.path)
        assert records, name
        for record in records:
            problems = list(faults(record, place.table, generation, in_list=place.in_list, more=place.more))
            assert not problems, f"{name}: {problems}"


def test_field_table_covers_every_operation_with_a_record() -> None:
    served = {operation.name: operation for operation in OPERATIONS}
    assert PLACES.keys() | WITHOUT_RECORDS == served.keys()
    assert not PLACES.keys() & WITHOUT_RECORDS
    assert [name for name in WITHOUT_RECORDS if list(marked_schemas(served[name].response))] == []
    assert OLDER.missing_operations | OLDER.closed_operations < served.keys()


@pytest.mark.parametrize("generation", GENERATIONS)
async def test_schema_document_has_the_fields_of_the_tables(start_world: Start, generation: str) -> None:
    document = await (await start_world(**GENERATIONS[generation])).get("/api/schema/")
    fields: dict[tuple[str, bool], set[str]] = {}
    for schema in marked_schemas(
        [item["responses"] for path in document["paths"].values() for item in path.values()]
    ):
        record = schema[RECORD_NAME]
        fields[record.removesuffix(" in a list"), record.endswith(" in a list")] = set(schema["properties"])
    assert {table for table, _ in fields} == set(TABLES)
    for (table, in_list), names in fields.items():
        assert names == set(shown_fields(table, generation, in_list=in_list)), table


WRITTEN_FLAG: Final = {
    **{"name": "text", "filters": {"groups": [{"properties": [], "rollout_percentage": 40}]}},
    **{"active": False, "archived": True, "is_simple_flag": True, "rollout_percentage": 40},
    **{"ensure_experience_continuity": True, "rollback_conditions": [{"threshold": 5}]},
    **{"performed_rollback": True, "tags": ["a", "b"], "evaluation_tags": ["web"]},
    **{"has_enriched_analytics": True, "creation_context": "surveys", "is_remote_configuration": False},
    **{"has_encrypted_payloads": False, "evaluation_contexts_match_mode": "all"},
    **{"evaluation_runtime": "server", "analytics_dashboards": []},
    **{"evaluation_contexts": ["web"], "bucketing_identifier": "distinct_id", "deleted": False},
}


async def test_written_flag_fields_come_back_everywhere(world: World) -> None:
    writable = {name for name, entry in TABLES["flag"].items() if entry.get("writable")}
    assert WRITTEN_FLAG.keys() | {"key", "_create_in_folder", "_should_create_usage_dashboard"} == writable
    sent = {**WRITTEN_FLAG, "_create_in_folder": "Growth/Web", "_should_create_usage_dashboard": True}
    made = await world.flag("a", **sent)
    bare = await world.flag("b", filters=OPEN, active=False)
    changes = {name: value for name, value in WRITTEN_FLAG.items() if name != "archived"}
    changed = await world.patch(f"{bare['id']}/", {**changes, "_create_in_folder": "Growth/App"})
    rows = {flag["key"]: flag for flag in (await world.get("", archived="true"))["results"]}
    rows |= {flag["key"]: flag for flag in (await world.get(""))["results"]}
    for response in (made, await world.get(f"{made['id']}/"), rows["a"], changed, rows["b"]):
        for name, value in changes.items():
            expected = changed["filters"] if name == "filters" else value
            assert response[name] == expected, name
    assert made["usage_dashboard"] is not None
    assert made["archived"]
    folders = world.rows("SELECT folder FROM flags ORDER BY id")
    assert [row["folder"] for row in folders] == ["Growth/Web", "Growth/App"]


async def test_written_experiment_fields_come_back_everywhere(world: World) -> None:
    path = f"{P}/experiments/"
    world.write("INSERT INTO event_definitions (id, project_id, name) VALUES ('e', 1, 'order placed')")
    holdout = await world.post(f"{P}/experiment_holdouts/", {"name": "h", "filters": OPEN["groups"]}, 201)
    shared = await world.post(f"{P}/experiment_saved_metrics/", {"name": "m", "query": METRIC}, 201)
    uuid = "0b7c1c1e-0000-4000-8000-000000000001"
    sent: dict[str, Any] = {
        **{"name": "Blue", "description": "text", "type": "web", "archived": True, "deleted": False},
        **{"start_date": "2026-03-01T00:00:00Z", "end_date": "2026-03-09T00:00:00Z"},
        **{"feature_flag_key": "blue", "holdout_id": holdout["id"], "filters": {"events": []}},
        **{
            "secondary_metrics": [{"name": "old"}],
            "saved_metrics_ids": [{"id": shared["id"], "metadata": None}],
        },
        **{"exposure_criteria": {"filterTestAccounts": False}, "stats_config": {"method": "frequentist"}},
        **{"metrics": [{**METRIC, "uuid": uuid}], "metrics_secondary": [], "conclusion": "won"},
        **{"conclusion_comment": "text", "primary_metrics_ordered_uuids": [uuid]},
        **{
            "secondary_metrics_ordered_uuids": [],
            "running_time_calculation": {"minimum_detectable_effect": 5},
        },
        **{"excluded_variants": [], "scheduling_config": {"a": 1}, "only_count_matured_users": True},
        **{"parameters": {"variant_notes": {"test": "text"}}, "_create_in_folder": "Growth", "tags": ["a"]},
    }
    assert sent.keys() == {name for name, entry in TABLES["experiment"].items() if entry.get("writable")}
    made = await world.post(path, sent, 201)
    bare = await world.post(path, {"name": "Bare", "feature_flag_key": "bare"}, 201)
    renamed = {**sent, "name": "Red", "feature_flag_key": "bare"}
    del renamed["holdout_id"]  # A running experiment keeps its holdout.
    changed = await world.patch(f"{path}{bare['id']}/", renamed)
    rows = (await world.get(path, archived="true"))["results"]
    for response in (made, await world.get(f"{path}{made['id']}/"), rows[-1]):
        _assert_stored(response, sent)
    for response in (changed, rows[0]):
        _assert_stored(response, renamed)
    folders = world.rows("SELECT folder FROM experiments ORDER BY id")
    assert [row["folder"] for row in folders] == ["Growth", "Growth"]


def _assert_stored(response: Mapping[str, Any], sent: Mapping[str, Any]) -> None:
    for name, value in sent.items():
        if name == "metrics":
            assert [metric["uuid"] for metric in response[name]] == [metric["uuid"] for metric in value]
        elif name == "parameters":
            assert response[name].items() >= value.items()
        elif name != "_create_in_folder":
            assert response[name] == value, name
