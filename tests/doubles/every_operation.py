"""Every operation as a person asks for it, with the examples it is asked with."""

import json
from collections.abc import Awaitable, Callable
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeAlias

from flagtui.api import Client
from flagtui.api.operations import OPERATIONS
from flagtui.api.request import Request

FOLDER: Final = Path(__file__).parents[1] / "contract"
NAMES: Final = sorted(path.stem for path in FOLDER.glob("*.json"))
Example: TypeAlias = dict[str, Any]
Call: TypeAlias = Callable[[Client, Example], Awaitable[Any]]


@cache
def _text_of(name: str) -> str:
    return (FOLDER / f"{name}.json").read_text()


def example(name: str) -> Example:
    found: Example = json.loads(_text_of(name))
    return found


async def ask_plainly(client: Client, example: Example) -> Any:
    """An operation the client never uses by itself."""
    asked = OPERATIONS[example["operation"]]
    answer = await client.connection.ask(Request(asked, asked.at(**example["ids"])))
    return answer.expect_nothing() if asked.method == "DELETE" else answer.record()


def sent_body(example: Example) -> dict[str, Any]:
    found: dict[str, Any] = example["request"]["body"]
    return found


def sent_query(example: Example) -> dict[str, Any]:
    found: dict[str, Any] = example["request"]["query"]
    return found


async def first_page(pages: Any) -> Any:
    return await anext(aiter(pages))


async def update_flag(client: Client, example: Example) -> Any:
    changes = dict(sent_body(example))
    version, original = changes.pop("version"), changes.pop("original_flag")
    return await client.flags.update(example["ids"]["id"], changes, version=version, original=original)


async def set_rollout(client: Client, example: Example) -> Any:
    place, percent, version = sent_body(example).values()
    return await client.flags.set_rollout(example["ids"]["id"], place, percent, version=version)


async def copy_flag(client: Client, example: Example) -> Any:
    sent = sent_body(example)
    return await client.flags.copy(
        example["ids"]["organization"], sent["feature_flag_key"], sent["target_project_ids"]
    )


async def evaluate_here(client: Client, example: Example) -> Any:
    found = await client.evaluation.local_evaluation()
    assert found is not None
    return found


async def create_experiment(client: Client, example: Example) -> Any:
    return await client.experiments.create(sent_body(example)["name"], sent_body(example)["feature_flag_key"])


def id_of(example: Example) -> Any:
    return example["ids"]["id"]


CALLS: Final[dict[str, Call]] = {
    "flags.list": lambda client, example: first_page(client.flags.pages()),
    "flags.create": lambda client, example: client.flags.create(sent_body(example)),
    "flags.get": lambda client, example: client.flags.get(id_of(example)),
    "flags.update": update_flag,
    "flags.hard_delete": ask_plainly,
    "flags.activity_of": lambda client, example: client.flags.activity(id_of(example)),
    "flags.create_static_cohort": lambda client, example: client.flags.create_static_cohort(id_of(example)),
    "flags.dashboard": lambda client, example: client.flags.dashboard(id_of(example)),
    "flags.enrich_usage_dashboard": lambda client, example: client.flags.enrich_usage_dashboard(
        id_of(example)
    ),
    "flags.remote_config": lambda client, example: client.evaluation.remote_config(id_of(example)),
    "flags.status": lambda client, example: client.flags.status(id_of(example)),
    "flags.activity": lambda client, example: client.flags.activity(),
    "flags.bulk_keys": lambda client, example: client.flags.bulk_keys(sent_body(example)["ids"]),
    "flags.evaluation_reasons": lambda client, example: client.evaluation.evaluation_reasons(
        sent_query(example).get("distinct_id")  # type: ignore[arg-type]  # absent in the example that is refused
    ),
    "flags.local_evaluation": evaluate_here,
    "flags.definitions": evaluate_here,
    "flags.my_flags": lambda client, example: client.evaluation.my_flags(),
    "flags.blast_radius": lambda client, example: client.flags.blast_radius(sent_body(example)["condition"]),
    "flags.enable": lambda client, example: client.flags.enable(id_of(example)),
    "flags.disable": lambda client, example: client.flags.disable(id_of(example)),
    "flags.archive": lambda client, example: client.flags.archive(id_of(example)),
    "flags.unarchive": lambda client, example: client.flags.unarchive(id_of(example)),
    "flags.set_rollout": set_rollout,
    "flags.roll_out_to_everyone": lambda client, example: client.flags.roll_out_to_everyone(
        id_of(example), version=sent_body(example)["version"]
    ),
    "flags.dependents": lambda client, example: client.flags.dependents(id_of(example)),
    "flags.matching_ids": lambda client, example: client.flags.matching_ids(sent_query(example)),
    "flags.bulk_delete": lambda client, example: client.flags.bulk_delete(sent_body(example)["ids"]),
    "flags.bulk_update_tags": lambda client, example: client.flags.bulk_update_tags(**sent_body(example)),
    "flags.version": lambda client, example: client.flags.version(id_of(example), example["ids"]["number"]),
    "flags.test_evaluation": lambda client, example: client.evaluation.test_evaluation(
        id_of(example), "checkout-redesign", sent_body(example)["distinct_id"]
    ),
    "flags.copy": copy_flag,
    "schedule.list": lambda client, example: client.schedule.all(
        {"record_id": sent_query(example)["record_id"]}
    ),
    "schedule.create": lambda client, example: client.schedule.create(sent_body(example)),
    "schedule.get": lambda client, example: client.schedule.get(id_of(example)),
    "schedule.update": lambda client, example: client.schedule.update(id_of(example), sent_body(example)),
    "schedule.delete": lambda client, example: client.schedule.delete(id_of(example)),
    "experiments.list": lambda client, example: first_page(client.experiments.pages()),
    "experiments.create": create_experiment,
    "experiments.get": lambda client, example: client.experiments.get(id_of(example)),
    "experiments.update": lambda client, example: client.experiments.update(
        id_of(example), sent_body(example)
    ),
    "experiments.hard_delete": ask_plainly,
    "experiments.query_status": ask_plainly,
    "experiments.create_exposure_cohort": lambda client, example: client.experiments.create_exposure_cohort(
        id_of(example)
    ),
    "experiments.duplicate": lambda client, example: client.experiments.duplicate(
        id_of(example), flag_key=sent_body(example)["feature_flag_key"]
    ),
    "experiments.timeseries": lambda client, example: client.results.timeseries(
        id_of(example), sent_query(example)["metric_uuid"], sent_query(example)["fingerprint"]
    ),
    "experiments.requires_flag_implementation": lambda client, example: (
        client.results.requires_flag_implementation()
    ),
    "experiments.launch": lambda client, example: client.experiments.launch(id_of(example)),
    "experiments.pause": lambda client, example: client.experiments.pause(id_of(example)),
    "experiments.resume": lambda client, example: client.experiments.resume(id_of(example)),
    "experiments.freeze_exposure": lambda client, example: client.experiments.freeze_exposure(id_of(example)),
    "experiments.unfreeze_exposure": lambda client, example: client.experiments.unfreeze_exposure(
        id_of(example)
    ),
    "experiments.end": lambda client, example: client.experiments.end(id_of(example), conclusion="won"),
    "experiments.archive": lambda client, example: client.experiments.archive(id_of(example)),
    "experiments.unarchive": lambda client, example: client.experiments.unarchive(id_of(example)),
    "experiments.reset": lambda client, example: client.experiments.reset(id_of(example)),
    "experiments.ship_variant": lambda client, example: client.experiments.ship_variant(
        id_of(example), "test"
    ),
    "experiments.copy_to_project": lambda client, example: client.experiments.copy_to_project(
        id_of(example), 2, flag_key="blue-button"
    ),
    "experiments.recalculate_timeseries": lambda client, example: client.results.recalculate_timeseries(
        id_of(example), sent_body(example)["metric"], sent_body(example)["fingerprint"]
    ),
    "experiments.recalculate": lambda client, example: client.results.recalculate(id_of(example)),
    "experiments.latest_recalculation": lambda client, example: client.results.latest_recalculation(
        id_of(example)
    ),
    "experiments.recalculation": lambda client, example: client.results.recalculation(
        id_of(example), example["ids"]["run"]
    ),
    "experiments.old_result": lambda client, example: client.results.old_result(id_of(example)),
    "experiments.eligible_flags": lambda client, example: client.results.eligible_flags(),
    "experiments.stats": lambda client, example: client.results.stats(),
    "experiments.query": lambda client, example: client.results.result(
        12, sent_body(example)["query"]["metric"]
    ),
    "experiments.activity": lambda client, example: client.experiments.activity(id_of(example)),
    "holdouts.list": lambda client, example: client.holdouts.all(),
    "holdouts.create": lambda client, example: client.holdouts.create(sent_body(example)),
    "holdouts.get": lambda client, example: client.holdouts.get(id_of(example)),
    "holdouts.update": lambda client, example: client.holdouts.update(id_of(example), sent_body(example)),
    "holdouts.delete": lambda client, example: client.holdouts.delete(id_of(example)),
    "saved_metrics.list": lambda client, example: client.saved_metrics.all(),
    "saved_metrics.create": lambda client, example: client.saved_metrics.create(sent_body(example)),
    "saved_metrics.get": lambda client, example: client.saved_metrics.get(id_of(example)),
    "saved_metrics.update": lambda client, example: client.saved_metrics.update(
        id_of(example), sent_body(example)
    ),
    "saved_metrics.delete": lambda client, example: client.saved_metrics.delete(id_of(example)),
    "event_definitions.list": lambda client, example: first_page(client.event_definitions.pages()),
    "event_definitions.get": lambda client, example: client.event_definitions.get(id_of(example)),
    "event_definitions.update": lambda client, example: client.event_definitions.update(
        id_of(example), sent_body(example)
    ),
    "event_definitions.delete": lambda client, example: client.event_definitions.delete(id_of(example)),
    "event_definitions.metrics": lambda client, example: client.event_definitions.metrics(id_of(example)),
    "event_definitions.create": lambda client, example: client.event_definitions.create(
        sent_body(example)["name"]
    ),
    "event_definitions.by_name": lambda client, example: client.event_definitions.by_name(
        sent_query(example)["name"]
    ),
    "event_definitions.primary_properties": lambda client, example: (
        client.event_definitions.primary_properties(sent_query(example)["names"])
    ),
    "event_definitions.bulk_update_tags": lambda client, example: client.event_definitions.bulk_update_tags(
        **sent_body(example)
    ),
    "event_definitions.bulk_update_verified": lambda client, example: (
        client.event_definitions.bulk_update_verified(**sent_body(example))
    ),
    "event_definitions.code": lambda client, example: client.event_definitions.code("typescript"),
    "projects.list": lambda client, example: client.projects.list(),
    "projects.get": lambda client, example: client.projects.get(example["ids"]["project"]),
    "people.me": lambda client, example: client.people.me(),
    "cohorts.list": lambda client, example: client.cohorts.all(sent_query(example)),
    "properties.list": lambda client, example: client.properties.names("person", "pla"),
    "properties.person_values": lambda client, example: client.properties.values("plan", "pr"),
    "properties.group_values": lambda client, example: client.properties.values("plan", group_type=0),
    "people.key": lambda client, example: client.people.key(),
}
"""How a person asks for each operation."""
