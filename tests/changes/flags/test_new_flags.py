"""A new flag goes the way of any change: planned, asked about, journalled, looked for when no answer came."""

from pathlib import Path

import pytest
from tests.changes.bench import GENERATIONS, working
from tests.changes.flags.test_targeting_intents import RICH
from tests.changes.kinds import RICH as WITHOUT_COHORTS
from tests.changes.writing import approve
from tests.doubles.expected import expect
from tests.doubles.flag_server import raw_flag
from tests.doubles.slices import cross
from tests.doubles.tables import table

from flagtui.changes.flags.filter_rules import problems_in
from flagtui.changes.flags.flag_context import Context
from flagtui.changes.flags.flag_plan import Plan
from flagtui.changes.flags.flag_save import FlagAdapter
from flagtui.changes.flags.new_flags import (
    Taken,
    boolean_flag,
    copy_of,
    multivariate_flag,
    plan_create,
    remote_configuration,
)
from flagtui.changes.skipped import Blocked
from flagtui.models.flag import Flag
from flagtui.models.json_value import JSON
from flagtui.models.rows import FlagRow

FREE = Taken((FlagRow(1, "other"),))


def make_plan(fields: dict[str, JSON], taken: Taken = FREE, context: Context | None = None) -> Plan:
    return expect(plan_create(fields, taken, context or Context()), Plan)


KINDS: dict[str, dict[str, JSON]] = {
    "boolean": {**boolean_flag("fresh"), "name": "A description"},
    "multivariate": multivariate_flag("fresh", ["control", "test", "other"]),
    "remote config": remote_configuration("fresh", '{"a": 1}'),
    "copy": copy_of(Flag.of(raw_flag(filters=RICH)), "fresh"),
}


@table("fields", KINDS)
def test_new_flag_is_off_and_valid_for_every_server(fields: dict[str, JSON]) -> None:
    assert fields["active"] is False
    assert problems_in(fields["filters"], is_new=True) == ()
    plan = make_plan(fields)
    assert (plan.title, plan.key, plan.is_new, plan.versions) == ("Create", "fresh", True, "")
    assert plan.consequences[0].text == "no one until it is turned on"


def test_a_copy_leaves_experiments_and_secrets_behind() -> None:
    snapshot = {"key": "id", "type": "cohort", "value": 9, "operator": "in"}
    frozen = {"exposure_frozen": True, "exposure_frozen_cohort": 9, "properties": [snapshot]}
    filters = {**RICH, "groups": [{**frozen, "rollout_percentage": 5}]}
    secret = Flag.of(raw_flag(filters=filters, has_encrypted_payloads=True, experiment_set=[3]))
    copied = copy_of(secret, "fresh")
    assert "holdout" not in copied["filters"]
    assert copied["filters"]["groups"] == [{"rollout_percentage": 5, "properties": []}]
    assert copied["filters"]["payloads"] == {}
    assert not {"id", "version", "experiment_set", "created_at", "has_encrypted_payloads"} & copied.keys()


@pytest.mark.parametrize(("fields", "words"), [
    ({**boolean_flag("fresh"), "name": "A description"},
     ["off", "condition 1: 0 % of everyone", "description: A description"]),
    ({**multivariate_flag("fresh", ["a", "b"]), "tags": ["review"], "active": True},
     ["on", "2 variants: a 50 %, b 50 %", "condition 1: 0 % of everyone", "tags: review"]),
])  # fmt: skip
def test_the_plan_reads_as_what_will_be_there(fields: dict[str, JSON], words: list[str]) -> None:
    assert [line.words for line in make_plan(fields).lines] == words


@pytest.mark.parametrize(("fields", "code"), [
    (boolean_flag("other"), "taken"),
    (boolean_flag("a b"), "value"),
    (boolean_flag(""), "value"),
    ({"name": "no key"}, "value"),
    ({**boolean_flag("fresh"), "filters": {"groups": []}}, "value"),
    (remote_configuration("fresh", "{bad"), "value"),
])  # fmt: skip
def test_what_no_server_would_take_is_blocked(fields: dict[str, JSON], code: str) -> None:
    assert expect(plan_create(fields, FREE, Context()), Blocked).code == code


def test_key_of_a_deleted_flag_warns_of_its_destruction() -> None:
    (caution,) = make_plan(boolean_flag("gone"), Taken((), {"gone": 7})).cautions
    assert caution.text == "the deleted flag with this key, number 7, is destroyed permanently"
    assert caution.instead == ("restore the deleted flag",)


REAL = [*[*KINDS.values()][:3], copy_of(Flag.of(raw_flag(filters=WITHOUT_COHORTS)), "fresh")]


@pytest.mark.parametrize(("generation", "fields"), cross(GENERATIONS, REAL))
async def test_the_real_service_creates_what_was_planned(
    tmp_path: Path, generation: str, fields: dict[str, JSON]
) -> None:
    async with working(tmp_path, **GENERATIONS[generation]) as bench:
        outcome = await bench.writing(FlagAdapter(bench.client.flags)).save(approve(make_plan(fields)))
        assert (outcome.ending, outcome.remarks) == ("saved", ())
