"""Any JSON in, no crash, the same JSON out; real responses too, where FLAGTUI_FIXTURES points."""

import json
from collections.abc import Callable
from typing import Any, Final

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.doubles.fixtures import FOLDER, needs_fixtures, read_fixture
from tests.doubles.slices import at_most

from flagtui.api.faults import ErrorBody
from flagtui.models.account import KeyInfo, Me, Project, User
from flagtui.models.activity import Activity, ActivityPage
from flagtui.models.event_definition import EventDefinition
from flagtui.models.event_definition_rows import read_event_definition_page
from flagtui.models.experiment import Experiment, Holdout
from flagtui.models.experiment_responses import Exposures, Timeseries
from flagtui.models.experiment_results import MetricResult
from flagtui.models.experiment_rows import read_experiment_page
from flagtui.models.filters import Filters
from flagtui.models.flag import Flag
from flagtui.models.flag_history import rebuilt_version
from flagtui.models.flag_responses import (
    BlastRadius,
    BulkDelete,
    Cohort,
    FlagStatus,
    LocalEvaluation,
    ScheduledChange,
    Trial,
    keys_by_id,
)
from flagtui.models.flag_rows import read_flag_page
from flagtui.models.json_value import NotJson, read_json
from flagtui.models.record import Record
from flagtui.models.rows import RowPage

KINDS: list[type[Record]] = [
    Flag, Experiment, EventDefinition, Holdout, Activity, ActivityPage, Me, KeyInfo, Project, Cohort,
    ScheduledChange, LocalEvaluation, FlagStatus, BlastRadius, BulkDelete, Trial, Timeseries, MetricResult,
    Exposures,
]  # fmt: skip

NAMES = st.sampled_from(
    sorted({name for kind in KINDS for name in kind.model_fields} | {"groups", "properties", "variants"})
)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=12)
    | st.sampled_from(["2026-03-01T12:00:00Z", "0001-01-01T00:00:00", "9999-12-31", "\x1b[2J", "812", "-1"])
)
ANY_JSON = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=6,
)
OBJECTS = st.dictionaries(NAMES | st.text(max_size=6), ANY_JSON, max_size=6)


def touch(record: Record) -> None:
    """Reads every property, which must not depend on luck."""
    ours = [kind for kind in type(record).__mro__ if issubclass(kind, Record)]
    for name in {name for kind in ours for name, part in vars(kind).items() if isinstance(part, property)}:
        getattr(record, name)


@settings(max_examples=at_most(60, 120))
@given(kind=st.sampled_from(KINDS), raw=OBJECTS)
def test_any_object_is_a_record_that_keeps_it(kind: type[Record], raw: dict[str, Any]) -> None:
    before = json.dumps(raw)
    record = kind.of(raw)
    touch(record)
    assert json.dumps(record.raw) == before


@settings(max_examples=at_most(60, 120))
@given(kind=st.sampled_from(KINDS), raw=OBJECTS)
def test_malformed_field_leaves_the_others_as_they_are(kind: type[Record], raw: dict[str, Any]) -> None:
    together, names = kind.of(raw), kind.model_fields.keys()
    alone = {name: kind.of({name: value}) for name, value in raw.items() if name in names}
    for name in names:
        assert getattr(together, name) == getattr(alone.get(name, kind.of({})), name)


@given(ANY_JSON)
def test_any_filters_can_be_looked_at(raw: Any) -> None:
    filters = Filters.of(raw)
    assert 0 <= filters.rollout <= 100
    assert filters.is_conditional in (True, False)
    assert all(isinstance(flag_id, int) for flag_id in (*filters.depends_on, *filters.cohorts))
    if isinstance(raw, dict):
        assert filters.raw == raw


@settings(max_examples=at_most(30, 60))
@given(st.lists(OBJECTS | ANY_JSON, max_size=5), ANY_JSON)
def test_any_page_gives_a_row_or_name_per_record(results: list[Any], count: Any) -> None:
    body = json.dumps({"count": count, "results": results}).encode()
    for read in (read_flag_page, read_experiment_page, read_event_definition_page):
        page = read(body)
        assert page.size == len(results)
        assert page.total >= page.size


@settings(max_examples=at_most(30, 60))
@given(st.lists(OBJECTS, max_size=4))
def test_the_fast_and_the_careful_way_agree_on_any_flag(flags: list[dict[str, Any]]) -> None:
    flags = [flag | {"id": place + 1, "key": "k"} for place, flag in enumerate(flags)]
    fast = read_flag_page(json.dumps({"results": flags}).encode()).rows
    careful = [Flag.of(flag).row() for flag in json.loads(json.dumps(flags))]
    for record, other in zip(fast, careful, strict=True):
        assert record == other, difference(record, other)


def difference(record: Any, other: Any) -> list[tuple[str, Any, Any]]:
    """The fields in which two rows differ, for the message: rows are long."""
    both = [(name, getattr(record, name), getattr(other, name)) for name in record.__struct_fields__]
    return [(name, mine, theirs) for name, mine, theirs in both if mine != theirs]


@given(st.binary(max_size=60))
def test_any_bytes_are_json_or_said_not_to_be(body: bytes) -> None:
    try:
        value = read_json(body)
    except NotJson:
        return
    assert json.dumps(value).isascii()


@given(st.binary(max_size=60) | ANY_JSON.map(lambda value: json.dumps(value).encode()))
def test_any_error_body_can_be_read(body: bytes) -> None:
    error = ErrorBody.of(body)
    assert isinstance(error.detail, str)


@settings(max_examples=at_most(20, 40))
@given(OBJECTS, st.lists(OBJECTS, max_size=3), st.integers(-1, 6))
def test_any_history_gives_a_version_or_none(
    raw: dict[str, Any], entries: list[dict[str, Any]], number: int
) -> None:
    version = rebuilt_version(Flag.of(raw), [Activity.of(entry) for entry in entries], number)
    assert version is None or version.version == number


@settings(max_examples=at_most(20, 40))
@given(ANY_JSON)
def test_any_bulk_answer_gives_keys_by_number(raw: Any) -> None:
    assert all(isinstance(id, int) for id in keys_by_id(raw))


KINDS_OF_FOLDERS: Final[dict[str, type[Record]]] = {
    "flags/": Flag,
    "experiments/holdout": Holdout,
    "experiments/": Experiment,
    "event_definitions/": EventDefinition,
    "activity/page": ActivityPage,
    "activity/": Activity,
    "projects/": Project,
    "users/me": Me,
    "users/": User,
    "local_evaluation/": LocalEvaluation,
}
LISTS: Final[dict[str, tuple[type[Any], Callable[[bytes], RowPage[Any]]]]] = {
    "flags/": (Flag, read_flag_page),
    "experiments/": (Experiment, read_experiment_page),
    "event_definitions/": (EventDefinition, read_event_definition_page),
}
FILES: Final = sorted(str(path.relative_to(FOLDER)) for path in FOLDER.glob("*/*.json"))


def records(value: Any) -> list[dict[str, Any]]:
    """The records in an answer: one, a page of them, or a bare list."""
    items = value.get("results", [value]) if isinstance(value, dict) else value
    return [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []


@needs_fixtures
def test_a_real_record_comes_out_as_it_went_in() -> None:
    """Every field that is known has its value, but for examples of the documentation."""
    seen = 0
    for name in FILES:
        kind = next((kind for start, kind in KINDS_OF_FOLDERS.items() if name.startswith(start)), None)
        if kind is None:
            continue
        answer = read_fixture(name)
        is_whole = issubclass(kind, ActivityPage | LocalEvaluation) and isinstance(answer, dict)
        for raw in [answer] if is_whole else records(answer):
            record = kind.of(raw)
            assert record.raw == raw, name
            assert json.dumps(record.raw) == json.dumps(raw), name
            seen += 1
            fields = {} if name.startswith(("local_evaluation", "flags/docs", "experiments/docs")) else raw
            for field, value in fields.items():
                if field in kind.model_fields and isinstance(value, str | bool) and value != "":
                    assert getattr(record, field) not in (None, ""), f"{name}: {field}"
    assert seen > 150


@needs_fixtures
def test_a_real_list_gives_the_rows_of_its_records() -> None:
    for start, (kind, read) in LISTS.items():
        for name in FILES:
            raws = records(read_fixture(name)) if name.startswith(start) else []
            # The examples of the documentation count from 0, which no database does.
            raws = [raw for raw in raws if raw.get("id") and (raw.get("key") or raw.get("name"))]
            if not raws:
                continue
            page = read(json.dumps({"count": None, "results": raws}).encode())
            assert list(page.rows) == [kind.of(raw).row() for raw in raws], name
            assert not page.unreadable


@needs_fixtures
def test_every_real_error_says_something() -> None:
    names = [name for name in FILES if name.startswith("errors/")]
    assert names
    for name in names:
        error = ErrorBody.of((FOLDER / name).read_bytes())
        assert error.detail or error.code or "405" in name, name


@needs_fixtures
def test_every_field_the_product_documents_is_typed() -> None:
    schemas = read_fixture("openapi-subset")["components"]["schemas"]
    written_only = {
        *("_create_in_folder", "_should_create_usage_dashboard", "creation_context"),
        *("update_feature_flag_params", "allow_unknown_events", "original_experiment", "repository"),
    }
    kinds = ("FeatureFlag", Flag), ("Experiment", Experiment), ("EnterpriseEventDefinition", EventDefinition)
    for name, kind in kinds:
        assert set(schemas[name]["properties"]) - written_only <= set(kind.model_fields), name
