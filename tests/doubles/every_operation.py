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
Part: TypeAlias = Callable[[Example], Any]
"""A value of an example that becomes an argument."""


@cache
def _text_of(name: str) -> str:
    return (FOLDER / f"{name}.json").read_text()


def example(name: str) -> Example:
    example: Example = json.loads(_text_of(name))
    return example


def part(*path: str) -> Part:
    """Return what reads the value at this place of an example; None where it is absent."""

    def read(example: Example) -> Any:
        value: Any = example
        for name in path:
            value = value.get(name)
        return value

    return read


def sent(*path: str) -> Part:
    return part("request", "body", *path)


def asked(name: str) -> Part:
    return part("request", "query", name)


ID: Final = part("ids", "id")
BODY: Final = sent()
QUERY: Final = part("request", "query")


async def ask_plainly(client: Client, example: Example) -> Any:
    """An operation the client never uses by itself."""
    operation = OPERATIONS[example["operation"]]
    answer = await client.connection.ask(Request(operation, operation.at(**example["ids"])))
    return answer.expect_nothing() if operation.method == "DELETE" else answer.record()


async def list_first_page(client: Client, example: Example) -> Any:
    family = example["operation"].partition(".")[0]
    return await anext(aiter(getattr(client, family).pages()))


async def update_flag(client: Client, example: Example) -> Any:
    changes = dict(BODY(example))
    version, original = changes.pop("version"), changes.pop("original_flag")
    return await client.flags.update(ID(example), changes, version=version, original=original)


async def set_rollout(client: Client, example: Example) -> Any:
    place, percent, version = BODY(example).values()
    return await client.flags.set_rollout(ID(example), place, percent, version=version)


async def evaluate_here(client: Client, example: Example) -> Any:
    definitions = await client.evaluation.local_evaluation()
    assert definitions is not None
    return definitions


def calling(method: str, *parts: Part | str | int, **named: Part | str | int) -> Call:
    """Return what calls a method of the client with parts of the example, and with values as they are."""
    family, name = method.split(".")

    def value_of(part: Part | str | int, example: Example) -> Any:
        return part(example) if callable(part) else part

    async def call(client: Client, example: Example) -> Any:
        values = [value_of(part, example) for part in parts]
        keywords = {word: value_of(part, example) for word, part in named.items()}
        return await getattr(getattr(client, family), name)(*values, **keywords)

    return call


def by_their_names(names: str, *parts: Part) -> dict[str, Call]:
    """Operations that the client calls as servers do."""
    return {name: calling(name, *parts) for name in names.split()}


BY_ID: Final = """
flags.get flags.create_static_cohort flags.dashboard flags.enrich_usage_dashboard flags.status
flags.enable flags.disable flags.archive flags.unarchive flags.dependents schedule.get
schedule.delete experiments.get experiments.create_exposure_cohort experiments.launch
experiments.pause experiments.resume experiments.freeze_exposure experiments.unfreeze_exposure
experiments.archive experiments.unarchive experiments.reset holdouts.get
holdouts.delete saved_metrics.get saved_metrics.delete event_definitions.get
event_definitions.delete event_definitions.metrics change_requests.get
"""
WITH_ID_AND_BODY: Final = """
schedule.update experiments.update holdouts.update saved_metrics.update event_definitions.update
"""
TAGGING: Final = {"ids": sent("ids"), "action": sent("action"), "tags": sent("tags")}
CALLS: Final[dict[str, Call]] = {
    **by_their_names(BY_ID, ID),
    **by_their_names("flags.create schedule.create holdouts.create saved_metrics.create", BODY),
    **by_their_names(WITH_ID_AND_BODY, ID, BODY),
    **by_their_names("flags.activity projects.list people.me people.key"),
    **by_their_names("flags.bulk_keys flags.bulk_delete", sent("ids")),
    **dict.fromkeys(("flags.list", "experiments.list", "event_definitions.list"), list_first_page),
    **dict.fromkeys(("flags.local_evaluation", "flags.definitions"), evaluate_here),
    **dict.fromkeys(
        ("flags.hard_delete", "experiments.hard_delete", "experiments.query_status"), ask_plainly
    ),
    "flags.update": update_flag,
    "flags.activity_of": calling("flags.activity", ID),
    "flags.remote_config": calling("evaluation.remote_config", ID),
    "flags.evaluation_reasons": calling("evaluation.evaluation_reasons", asked("distinct_id")),
    "flags.my_flags": calling("evaluation.my_flags"),
    "flags.blast_radius": calling("flags.blast_radius", sent("condition")),
    "flags.set_rollout": set_rollout,
    "flags.roll_out_to_everyone": calling("flags.roll_out_to_everyone", ID, version=sent("version")),
    "flags.matching_ids": calling("flags.matching_ids", QUERY),
    "flags.bulk_update_tags": calling("flags.bulk_update_tags", **TAGGING),
    "flags.version": calling("flags.version", ID, part("ids", "number")),
    "flags.test_evaluation": calling(
        "evaluation.test_evaluation", ID, "checkout-redesign", sent("distinct_id")
    ),
    "flags.copy": calling(
        "flags.copy", part("ids", "organization"), sent("feature_flag_key"), sent("target_project_ids")
    ),
    "schedule.list": lambda client, example: client.schedule.all({"record_id": asked("record_id")(example)}),
    "experiments.activity_of": calling("experiments.activity", ID),
    "experiments.create": calling("experiments.create", sent("name"), sent("feature_flag_key")),
    "experiments.duplicate": calling("experiments.duplicate", ID, flag_key=sent("feature_flag_key")),
    "experiments.timeseries": calling("results.timeseries", ID, asked("metric_uuid"), asked("fingerprint")),
    "experiments.requires_flag_implementation": calling("results.requires_flag_implementation"),
    "experiments.end": calling("experiments.end", ID, conclusion="won"),
    "experiments.ship_variant": calling("experiments.ship_variant", ID, "test"),
    "experiments.copy_to_project": calling("experiments.copy_to_project", ID, 2, flag_key="blue-button"),
    "experiments.recalculate_timeseries": calling(
        "results.recalculate_timeseries", ID, sent("metric"), sent("fingerprint")
    ),
    "experiments.recalculate": calling("results.recalculate", ID),
    "experiments.latest_recalculation": calling("results.latest_recalculation", ID),
    "experiments.recalculation": calling("results.recalculation", ID, part("ids", "run")),
    "experiments.old_result": calling("results.old_result", ID),
    "experiments.eligible_flags": calling("results.eligible_flags"),
    "experiments.stats": calling("results.stats"),
    "experiments.query": calling("results.result", 12, sent("query", "metric")),
    "holdouts.list": calling("holdouts.all"),
    "saved_metrics.list": calling("saved_metrics.all"),
    "event_definitions.create": calling("event_definitions.create", sent("name")),
    "event_definitions.by_name": calling("event_definitions.by_name", asked("name")),
    "event_definitions.primary_properties": calling("event_definitions.primary_properties", asked("names")),
    "event_definitions.bulk_update_tags": calling("event_definitions.bulk_update_tags", **TAGGING),
    "event_definitions.bulk_update_verified": calling(
        "event_definitions.bulk_update_verified", ids=sent("ids"), verified=sent("verified")
    ),
    "event_definitions.code": calling("event_definitions.code", "typescript"),
    "projects.get": calling("projects.get", part("ids", "project")),
    "cohorts.list": calling("cohorts.all", QUERY),
    "properties.list": calling("properties.names", "person", "pla"),
    "properties.person_values": calling("properties.values", "plan", "pr"),
    "properties.group_values": calling("properties.values", "plan", group_type=0),
}
"""How a person asks for each operation."""
