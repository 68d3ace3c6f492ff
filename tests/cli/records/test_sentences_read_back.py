"""Sentences of `flags get`, `flags due`, `experiments get`, `events get` agree with the JSON beside them."""

import json
import re
from collections.abc import Iterator
from random import Random
from typing import Any, Final

import pytest
from tests.doubles import random_experiments, random_flags, stored_metrics
from tests.doubles.fixtures import NO_FIXTURES, fixture_paths
from tests.doubles.stored_targeting import compare_short, is_share

from flagtui.cli.commands.events.event_views import WHOLE_EVENT, WholeEvent
from flagtui.cli.commands.experiments.experiment_views import WHOLE_EXPERIMENT, WholeExperiment
from flagtui.cli.commands.flags.flag_history import SCHEDULED, ScheduledFlagChange
from flagtui.cli.plumbing.output.record_schema import RecordSchema
from flagtui.cli.records.flag_records import WHOLE_FLAG, WholeFlag
from flagtui.models.event_definition import EventDefinition
from flagtui.models.experiment import Experiment
from flagtui.models.flag import Flag
from flagtui.models.flag_responses import ScheduledChange
from flagtui.text.flag_sentences import manner_lines, plain, state_lines, who_sees_it

JSON = Any
BODIES: Final = 300


def field_of(schema: RecordSchema[Any], name: str, record: object) -> Any:
    (field,) = [field for field in schema.fields if field.name == name]
    return field.read(record)


def letters(text: str) -> str:
    """The text without what joins its lines."""
    return re.sub(r"[\s;·]", "", text)


def real(*members: str) -> Iterator[dict[str, JSON]]:
    """Every record of the fixtures that has these members."""
    for path in fixture_paths():
        content = json.loads(path.read_text())
        records = content.get("results", [content]) if isinstance(content, dict) else content
        for record in records if isinstance(records, list) else ():
            if isinstance(record, dict) and all(member in record for member in members):
                yield record


def whole_flag(raw: dict[str, JSON]) -> WholeFlag:
    flag = Flag.of(raw)
    return WholeFlag(raw, flag.row(), dict(flag.filters))


def check_flag(raw: dict[str, JSON]) -> None:
    """The sentences are those of the app, which are read back in tests/text, one for each condition."""
    whole = whole_flag(raw)
    sentences = field_of(WHOLE_FLAG, "conditions", whole)
    lines = [*state_lines(whole.row), *who_sees_it(whole.targeting), *manner_lines(raw)]
    assert letters(" ".join(sentences)) == letters(plain(lines))
    if whole.targeting.is_editable:
        numbers = [
            match[1] for words in sentences if (match := re.match(r"(\d+) (?:[\d.,]+ %|never)", words))
        ]
        assert numbers == [str(place + 1) for place in range(len(raw["filters"].get("groups") or []))]
        check_values(field_of(WHOLE_FLAG, "serves", whole), raw)


def check_values(gives: list[str], raw: dict[str, JSON]) -> None:
    variants = (raw["filters"].get("multivariate") or {}).get("variants") or []
    if raw.get("is_remote_configuration") is True:
        assert gives == ["a value, which flagtui flags payload prints"]
        return
    payloads = raw["filters"].get("payloads") or {}
    for variant, words in zip(variants, gives, strict=False):
        match = re.fullmatch(r"(.+) ([\d.,]+) %(, with a payload)?", words)
        assert match, words
        assert match[1] == variant["key"]
        assert is_share(match[2], variant["rollout_percentage"])
        assert bool(match[3]) is (variant["key"] in payloads)
    if not variants:
        assert gives[0] == "true" + ", with a payload" * ("true" in payloads)


def test_flags_get_reads_back() -> None:
    random = Random("flags get")
    for number in range(BODIES):
        raw = random_flags.flag(random, number, 6)
        check_flag({**raw, "id": number, "archived": random.random() < 0.1})


def scheduled(random: Random, number: int) -> dict[str, JSON]:
    flag = random_flags.flag(random, number, 6)["filters"]
    index = flag.get("aggregation_group_type_index")
    status = {"operation": "update_status", "value": random.choice([True, False, "false", "True", "off", 7])}
    condition = {**flag, "groups": flag["groups"][:1], "aggregation_group_type_index": index}
    added = {"operation": "add_release_condition", "value": condition}
    shares = [{"key": "a", "rollout_percentage": 30}, {"key": "b", "rollout_percentage": 70}]
    variants = {"operation": "update_variants", "value": {"variants": shares}}
    made: dict[str, JSON] = {"id": number, "payload": random.choice([status, added, variants])}
    if random.random() < 0.3:
        made["failure_reason"] = random.choice(["flag is gone", "no \x1b access"])
    if random.random() < 0.4:
        made |= {"is_recurring": random.random() < 0.8, "timezone": random.choice([None, "Europe/Berlin"])}
        made |= random.choice([{"recurrence_interval": "weekly"}, {"cron_expression": "0 9 * * 1-5"}])
    return made


RECURRENCE: Final = re.compile(
    r", (?:(?P<paused>weekly|by cron 0 9 \* \* 1-5) \(paused\)"
    r"|(?P<pattern>weekly|by cron 0 9 \* \* 1-5) in the time zone (?P<zone>[\w/]+))$"
)
STATUS: Final[dict[str, list[JSON]]] = {
    "turned on": [True, "True"],
    "turned off": [False, "false", "off"],
    "turned on or off: the value is invalid": [7],
}


def check_scheduled(raw: dict[str, JSON]) -> None:
    due = ScheduledFlagChange("a-flag", ScheduledChange.of(raw))
    words = field_of(SCHEDULED, "change", due)
    reason = raw.get("failure_reason")
    assert field_of(SCHEDULED, "failure", due) == reason
    if reason:
        shown = reason.replace("\x1b", "␛")
        is_last = raw.get("is_recurring") is True
        assert (
            words.endswith(f"; last run failed: {shown}")
            if is_last
            else words.startswith(f"failed: {shown}; ")
        )
        words = words.removesuffix(f"; last run failed: {shown}").removeprefix(f"failed: {shown}; ")
    recurrence = RECURRENCE.search(words)
    pattern = raw.get("recurrence_interval") or (
        f"by cron {raw['cron_expression']}" if "cron_expression" in raw else ""
    )
    if raw.get("is_recurring"):
        assert recurrence, words
        assert (recurrence["pattern"], recurrence["zone"]) == (pattern, raw["timezone"] or "UTC")
    else:
        assert (recurrence["paused"] if recurrence else "") == pattern
    check_operation(words[: recurrence.start()] if recurrence else words, raw["payload"])


def check_operation(words: str, payload: dict[str, JSON]) -> None:
    value = payload["value"]
    match payload["operation"]:
        case "update_status":
            assert any(value is each or value == each for each in STATUS[words]), (words, value)
        case "update_variants":
            assert words == "variants a 30 %, b 70 %"
        case _ if value["groups"]:
            if len(words) < 400:
                index = value["aggregation_group_type_index"]
                compare_short(words.removeprefix("+ condition: "), value["groups"][0], index)
        case _:
            assert words == "+ condition"


def test_flags_due_reads_back() -> None:
    random = Random("flags due")
    for number in range(BODIES):
        check_scheduled(scheduled(random, number))


def check_experiment(raw: dict[str, JSON]) -> None:
    experiment = Experiment.of(raw)
    whole = WholeExperiment(experiment, experiment.row())
    unit = field_of(WHOLE_EXPERIMENT, "counts", whole)
    lines = field_of(WHOLE_EXPERIMENT, "measures", whole)
    own: list[tuple[str, JSON]] = [("primary", metric) for metric in raw["metrics"]]
    own += [("primary (shared)", link["query"]) for link in raw["saved_metrics"]]
    own += [("secondary", metric) for metric in raw["metrics_secondary"]]
    assert len(lines) == max(1, len(own))
    for (role, metric), words in zip(own, lines[: len(own)], strict=True):
        assert words.startswith(f"{role}: "), words
        name = metric.get("name") or ("Shared" if "shared" in role else "")
        measured = words.removeprefix(f"{role}: ").removeprefix(f"{name}: ")
        assert unit == "people" or "share of people" not in measured
        stored_metrics.compare(measured.replace("share of groups", "share of people"), metric)


def test_experiments_get_reads_back() -> None:
    random = Random("experiments get")
    units = set()
    for number in range(BODIES):
        raw = random_experiments.experiment(random, number)
        if number % 3 == 0:
            raw["feature_flag"]["filters"]["aggregation_group_type_index"] = 0
        check_experiment(raw)
        units.add(Experiment.of(raw).unit)
    assert units == {"people", "groups"}


ODD: Final[list[JSON]] = [None, "", "x", 7, True, [], ["a", 3], {"a": 1}, {"email": "ann@example.com"}]


FIELDS: Final = (
    ("verified", "verified", bool),
    ("enforcement", "enforcement_mode", str),
    ("description", "description", str),
)


def event(random: Random, number: int) -> dict[str, JSON]:
    members = (
        "tags",
        "owner",
        "verified",
        "hidden",
        "description",
        "enforcement_mode",
        "verified_by",
        "extra",
    )
    made = {name: random.choice(ODD) for name in members if random.random() < 0.6}
    return {
        "id": f"00000000-0000-0000-0000-{number:012}",
        "name": random.choice(["", "paid", "$pageview"]),
        **made,
    }


def check_event(raw: dict[str, JSON]) -> None:
    definition = EventDefinition.of(raw)
    whole = WholeEvent(definition, definition.row())
    assert field_of(WHOLE_EVENT, "record", whole) == raw
    for field, member, kind in FIELDS:
        value = field_of(WHOLE_EVENT, field, whole)
        if member not in raw:
            assert value is None, (field, raw)
        elif isinstance(raw[member], kind):
            assert value == raw[member], (field, raw)


def test_events_get_reads_back() -> None:
    random = Random("events get")
    for number in range(BODIES):
        check_event(event(random, number))


@pytest.mark.skipif(not fixture_paths(), reason=NO_FIXTURES)
def test_real_bodies_read_back() -> None:
    flags = [raw for raw in real("key", "filters") if isinstance(raw["filters"], dict)]
    assert len(flags) > 20
    for raw in flags:
        check_flag(raw)
    for raw in real("name", "last_seen_at"):
        check_event(raw)
