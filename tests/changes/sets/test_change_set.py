"""The file of a change set, and the records that its changes lead to."""

import json
from collections.abc import Callable
from typing import Any, Final

import msgspec
import pytest
from tests.changes.conftest import flag, make_plan
from tests.changes.event_definitions.conftest import AROUND, definition
from tests.changes.sets.conftest import LIMIT, empty_set, stage_change, stage_description, turned_off
from tests.doubles.expected import expect, require

from flagtui.changes.event_definitions.definition_intent import delete, hide, set_field, verify
from flagtui.changes.event_definitions.definition_plan import DefinitionContext, plan_event
from flagtui.changes.flags.flag_context import Context
from flagtui.changes.flags.flag_intent import Intent, set_all_rollouts, switch, targeting
from flagtui.changes.flags.flag_plan import Plan
from flagtui.changes.flags.new_flags import Taken, boolean_flag, plan_create
from flagtui.changes.sets.after_set import created_flag, event_after, record_after
from flagtui.changes.sets.change_set import ChangeSet, ChangeSetError, StagedChange, as_text, read_text
from flagtui.changes.sets.plan_changes import changes_of
from flagtui.models.event_definition import EventDefinition
from flagtui.safe_text import MASK


def example() -> ChangeSet:
    return empty_set(by="ada@acme.test", reason="cleanup").with_changes(
        [turned_off(), stage_description("x", 7)], LIMIT
    )


def error_of(text: str) -> ChangeSetError:
    with pytest.raises(ChangeSetError) as error:
        read_text(text.encode(), "set.json")
    return error.value


def test_set_is_read_back_unchanged_in_any_layout() -> None:
    first = read_text(as_text(example()).encode(), "set.json")
    assert first.changes == example().changes
    assert (first.by, first.reason, first.project) == ("ada@acme.test", "cleanup", "1")
    assert first.digest.startswith("sha256:")
    raw = json.loads(as_text(example()))
    assert (
        read_text(json.dumps(dict(reversed(raw.items()))).encode(), "set.json").changes == example().changes
    )
    change = turned_off(version=12)
    assert (change.version, change.base, change.values) == (12, {"active": True}, {"active": False})


@pytest.mark.parametrize(("change", "fault", "words"), [
    (lambda raw: raw["changes"][0]["values"].update(active=True), "edited", "set.json was edited"),
    (lambda raw: raw["changes"][0].pop("verb"), "edited", "its digest differs"),
    (lambda raw: raw.update(schema=7), "newer", "set.json has schema 7; this flagtui reads schema 1"),
    (lambda raw: raw.pop("schema"), "malformed", "not a change set"),
])  # fmt: skip
def test_a_set_that_was_changed_is_refused(
    change: Callable[[dict[str, Any]], object], fault: str, words: str
) -> None:
    raw = json.loads(as_text(example()))
    change(raw)
    error = error_of(json.dumps(raw))
    assert error.fault == fault
    assert words in error.what


@pytest.mark.parametrize("kept", [0, 1, 40, 400])
def test_a_truncated_set_is_refused(kept: int) -> None:
    assert error_of(as_text(example())[:kept]).fault == "malformed"


@pytest.mark.parametrize("text", ["[]", "null", '"x"', '{"schema": true}', "{" * 900, '{"schema": 1e999}'])
def test_other_json_is_refused(text: str) -> None:
    assert error_of(text).fault == "malformed"


def test_a_whole_digest_does_not_excuse_a_malformed_change() -> None:
    twice = msgspec.structs.replace(example(), changes=example().changes * 2)
    assert error_of(as_text(twice)).what == "set.json changes one record twice"


def test_later_changes_replace_values_or_cancel_out() -> None:
    base: dict[str, Any] = {"name": "New checkout", "active": True, "version": 12}
    grown = empty_set().with_changes([turned_off(**base)], LIMIT)
    grown = grown.with_changes([stage_description("Old", **{**base, "active": False})], LIMIT)
    (change,) = grown.changes
    assert change.base == {"active": True, "name": "New checkout"}
    assert change.values == {"active": False, "name": "Old"}
    assert change.verb == "turn off"
    grown = empty_set().with_changes([turned_off()], LIMIT)
    assert grown.with_changes([stage_change(switch("turn on", 812), active=False)], LIMIT).changes == ()


def test_growing_set_refuses_moved_records_and_too_many() -> None:
    grown = empty_set().with_changes([turned_off(version=12)], LIMIT)
    with pytest.raises(ChangeSetError) as error:
        grown.with_changes([stage_description("Old", version=13)], LIMIT)
    expected = ("outdated", "checkout-v2 changed since it was staged (v12 → v13)")
    assert (error.value.fault, error.value.what) == expected
    full = empty_set().with_changes([turned_off(1), turned_off(2)], 2)
    with pytest.raises(ChangeSetError) as error:
        full.with_changes([turned_off(3)], 2)
    assert error.value.fault == "too many"
    assert len(full.with_changes([stage_description("x", 2, active=False)], 2).changes) == 2


def test_a_new_flag_is_named_by_its_key() -> None:
    plan = plan_create(boolean_flag("brand-new"), Taken(()), Context())
    (change,) = changes_of([expect(plan, Plan)])
    assert (change.record, change.is_new, change.base, change.version) == ("new:brand-new", True, {}, None)
    created = empty_set().with_changes([change], LIMIT)
    with pytest.raises(ChangeSetError, match="another flag of the set has the key brand-new"):
        created.with_changes([change], LIMIT)


def stage_new(key: str) -> StagedChange:
    (change,) = changes_of([expect(plan_create(boolean_flag(key), Taken(()), Context()), Plan)])
    return change


RENAMED: Final = stage_change(Intent(812, {"key": "newer"}, "rename"), key="older")
DELETED: Final = stage_change(Intent(812, {"deleted": True}, "delete"), key="older")


@pytest.mark.parametrize(("first", "second"), [
    (RENAMED, stage_new("older")),
    (DELETED, stage_new("older")),
    (RENAMED, stage_new("newer")),
    (stage_new("newer"), RENAMED),
])  # fmt: skip
def test_two_flags_of_a_set_share_no_key(first: StagedChange, second: StagedChange) -> None:
    with pytest.raises(ChangeSetError, match="another flag of the set has the key"):
        empty_set().with_changes([first, second], LIMIT)
    for changes in ((first, second), (second, first)):
        assert error_of(as_text(msgspec.structs.replace(empty_set(), changes=changes))).fault == "twice"


def test_renamed_new_flag_has_the_name_of_its_new_key() -> None:
    created = empty_set()
    for key in ("brand-new", "other"):
        plan = expect(plan_create(boolean_flag(key), Taken(()), Context()), Plan)
        created = created.with_changes(changes_of([plan]), LIMIT)
    first = created_flag(created.changes[0], 1)
    newer, other = [make_plan(Intent(-1, {"key": key}, "edit"), first) for key in ("newer", "other")]
    (_, change) = created.with_changes(changes_of([newer]), LIMIT).changes
    assert (change.record, change.key, change.values["key"]) == ("new:newer", "newer", "newer")
    with pytest.raises(ChangeSetError, match="has the key other"):
        created.with_changes(changes_of([other]), LIMIT)


def test_encrypted_payloads_are_masked_and_never_staged() -> None:
    filters = {"groups": [{"properties": [], "rollout_percentage": 10}], "payloads": {"true": '"s3cret"'}}
    secret = flag(has_encrypted_payloads=True, filters=filters)
    (change,) = changes_of([make_plan(set_all_rollouts(secret, 50), secret)])
    assert "s3cret" not in as_text(empty_set().with_changes([change], LIMIT))
    assert change.values["filters"]["payloads"] == {"true": MASK}
    secret = flag(has_encrypted_payloads=True, filters={"groups": [], "payloads": {"true": '"s3cret"'}})
    plan = make_plan(targeting(secret, {"groups": [], "payloads": {"true": '"other"'}}), secret)
    with pytest.raises(ChangeSetError, match="an encrypted payload is never written"):
        changes_of([plan])


def test_events_are_staged_but_not_deleted() -> None:
    event = EventDefinition.of({"id": "0190", "name": "signed up", "hidden": True})
    (change,) = changes_of([require(plan_event(verify("0190"), event, DefinitionContext()))])
    assert (change.base, change.values, change.version) == ({"verified": False}, {"verified": True}, None)
    event = EventDefinition.of({"id": "0190", "name": "signed up"})
    with pytest.raises(ChangeSetError, match="signed up: a permanent delete cannot be staged"):
        changes_of([require(plan_event(delete("0190"), event, DefinitionContext()))])
    both = {"deleted": True}
    change = StagedChange(
        kind="event_definition", record="0190", key="x", verb="delete", base=both, values=both
    )
    error = error_of(as_text(msgspec.structs.replace(empty_set(), changes=(change,))))
    assert "deleted is no field" in error.what


@pytest.mark.parametrize(("fields", "words"), [
    ({"kind": "kettle"}, "it changes a record of unknown kind kettle"),
    ({"record": "x"}, "checkout-v2 has the id x"),
    ({"values": {"id": 7}, "base": {"id": 812}}, "checkout-v2: id is no field that a set can change"),
    ({"values": {}, "base": {}}, "checkout-v2: nothing is no field that a set can change"),
    ({"base": {}}, "checkout-v2: its previous values are missing"),
    ({"verb": "turn on"}, "checkout-v2: 'turn on' is not what its values do"),
    ({"verb": "set fire"}, "checkout-v2: 'set fire' is not what its values do"),
    ({"values": {"deleted": True}, "base": {"deleted": False}, "verb": "edit"},
     "checkout-v2: 'edit' is not what its values do"),
    ({"record": "new:other", "values": {"key": "other"}, "base": {}, "verb": "create"},
     "checkout-v2: the new flag has another key"),
])  # fmt: skip
def test_a_change_that_staging_never_writes_is_refused(fields: dict[str, Any], words: str) -> None:
    change = msgspec.structs.replace(turned_off(), **fields)
    error = error_of(as_text(msgspec.structs.replace(empty_set(), changes=(change,))))
    assert (error.fault, error.what) == ("malformed", f"set.json cannot be applied: {words}")


@pytest.mark.parametrize("verb", ["verify", "delete", "change tags"])
def test_verb_of_an_event_is_that_of_its_values(verb: str) -> None:
    base, values = {"hidden": False}, {"hidden": True}
    change = StagedChange(
        kind="event_definition", record="0190", key="x", verb=verb, base=base, values=values
    )
    error = error_of(as_text(msgspec.structs.replace(empty_set(), changes=(change,))))
    assert f"x: '{verb}' is not what its values do" in error.what


@pytest.mark.parametrize("id", ["", "../x", "x" * 65])
def test_id_of_a_set_names_a_file(id: str) -> None:
    error = error_of(as_text(msgspec.structs.replace(empty_set(), id=id)))
    assert (error.fault, "cannot be applied: its id is" in error.what) == ("malformed", True)


EVENT: Final = definition(description="old", verified=False, hidden=True)


def stage_field(name: str, value: Any, seen: Any) -> StagedChange:
    """The change of a set that sets this field of the event."""
    intent = set_field(EVENT.id, name, value, seen)
    (change,) = changes_of([require(plan_event(intent, EVENT, AROUND))])
    return change


def a_set(change: StagedChange) -> ChangeSet:
    return empty_set().with_changes([change], LIMIT)


def test_event_has_its_staged_values_unless_changed_since() -> None:
    change = stage_field("description", "new", "old")
    assert record_after(EVENT, a_set(change)).description == "new"
    assert event_after(EVENT, stage_field("owner", 1, None)).raw["owner"] == {"id": 1}
    change = stage_field("description", "new", "old")
    with pytest.raises(ChangeSetError):
        record_after(definition(description="newest"), a_set(change))


def test_verifying_unhides_and_hiding_unverifies_in_a_set() -> None:
    (change,) = changes_of([require(plan_event(verify(EVENT.id), EVENT, AROUND))])
    after = event_after(EVENT, change)
    assert (after.verified, after.hidden) == (True, False)
    event = definition(verified=True)
    (change,) = changes_of([require(plan_event(hide(event.id), event, AROUND))])
    after = event_after(event, change)
    assert (after.verified, after.hidden) == (False, True)
