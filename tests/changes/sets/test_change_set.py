"""The file of a change set, and the records that its changes lead to."""

import json
from collections.abc import Callable
from typing import Any, Final

import pytest
from msgspec.structs import replace
from tests.changes.conftest import flag, make_plan
from tests.changes.event_definitions.conftest import AROUND, definition
from tests.changes.sets.conftest import (
    LIMIT,
    empty_set,
    stage_change,
    stage_description,
    stage_new,
    turned_off,
)
from tests.doubles.expected import require

from flagtui.changes.event_definitions.definition_intent import EventIntent, delete, hide, set_field, verify
from flagtui.changes.event_definitions.definition_plan import plan_event
from flagtui.changes.flags.flag_intent import Intent, set_all_rollouts, switch, targeting
from flagtui.changes.sets.after_set import created_flag, event_after, record_after
from flagtui.changes.sets.change_set import ChangeSet, ChangeSetError, StagedChange, as_text, read_text
from flagtui.changes.sets.plan_changes import changes_of
from flagtui.safe_text import MASK


def example() -> ChangeSet:
    return empty_set(by="ada@acme.test", reason="cleanup").with_changes(
        [turned_off(), stage_description("x", 7)], LIMIT
    )


def a_set(*changes: StagedChange) -> ChangeSet:
    return empty_set().with_changes(changes, LIMIT)


def error_of(text: str) -> ChangeSetError:
    with pytest.raises(ChangeSetError) as error:
        read_text(text.encode(), "set.json")
    return error.value


def error_of_set(**fields: Any) -> ChangeSetError:
    """Why a set with these fields is refused, although its digest is right."""
    return error_of(as_text(replace(empty_set(), **fields)))


def test_set_is_read_back_unchanged_in_any_layout() -> None:
    first = read_text(as_text(example()).encode(), "set.json")
    assert first.changes == example().changes
    assert (first.by, first.reason, first.project) == ("ada@acme.test", "cleanup", "1")
    assert first.digest.startswith("sha256:")
    reversed_text = json.dumps(dict(reversed(json.loads(as_text(example())).items())))
    assert read_text(reversed_text.encode(), "set.json").changes == example().changes
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
    assert (error.fault, words in error.what) == (fault, True)


@pytest.mark.parametrize("text", ["[]", "null", '"x"', '{"schema": true}', "{" * 900, '{"schema": 1e999}'])
def test_other_text_than_a_whole_set_is_refused(text: str) -> None:
    assert error_of(text).fault == "malformed"
    for kept in (0, 1, 40, 400):
        assert error_of(as_text(example())[:kept]).fault == "malformed"


def test_a_whole_digest_does_not_excuse_a_malformed_change() -> None:
    assert error_of_set(changes=(turned_off(),) * 2).what == "set.json changes one record twice"


def test_later_changes_replace_values_or_cancel_out() -> None:
    base: dict[str, Any] = {"name": "New checkout", "active": True, "version": 12}
    description = stage_description("Old", **{**base, "active": False})
    (change,) = a_set(turned_off(**base)).with_changes([description], LIMIT).changes
    assert change.base == {"active": True, "name": "New checkout"}
    assert change.values == {"active": False, "name": "Old"}
    assert change.verb == "turn off"
    turned_on = stage_change(switch("turn on", 812), active=False)
    assert a_set(turned_off()).with_changes([turned_on], LIMIT).changes == ()


def test_growing_set_refuses_moved_records_and_too_many() -> None:
    with pytest.raises(ChangeSetError) as error:
        a_set(turned_off(version=12)).with_changes([stage_description("Old", version=13)], LIMIT)
    expected = ("outdated", "checkout-v2 changed since it was staged (v12 → v13)")
    assert (error.value.fault, error.value.what) == expected
    renamed = [stage_description(name, name="New checkout") for name in ("Old", "Older")]
    with pytest.raises(ChangeSetError) as error:
        a_set(*renamed)
    expected = ("outdated", "another program has staged name of checkout-v2 meanwhile")
    assert (error.value.fault, error.value.what) == expected
    full = empty_set().with_changes([turned_off(1), turned_off(2)], 2)
    with pytest.raises(ChangeSetError) as error:
        full.with_changes([turned_off(3)], 2)
    assert error.value.fault == "too many"
    assert len(full.with_changes([stage_description("x", 2, active=False)], 2).changes) == 2


def test_a_new_flag_is_named_by_its_key() -> None:
    change = stage_new("brand-new")
    assert (change.record, change.is_new, change.base, change.version) == ("new:brand-new", True, {}, None)
    with pytest.raises(ChangeSetError, match="another flag of the set has the key brand-new"):
        a_set(change).with_changes([change], LIMIT)


EVENT: Final = definition()
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
        a_set(first, second)
    for changes in ((first, second), (second, first)):
        assert error_of_set(changes=changes).fault == "twice"


def test_renamed_new_flag_has_the_name_of_its_new_key() -> None:
    created = a_set(stage_new("brand-new"), stage_new("other"))
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
    assert "s3cret" not in as_text(a_set(change))
    assert change.values["filters"]["payloads"] == {"true": MASK}
    plan = make_plan(targeting(secret, {**filters, "payloads": {"true": '"other"'}}), secret)
    with pytest.raises(ChangeSetError, match="an encrypted payload is never written"):
        changes_of([plan])


def stage_event(intent: EventIntent, **fields: Any) -> StagedChange:
    """The change of a set that this intent becomes on an event with these fields."""
    (change,) = changes_of([require(plan_event(intent, definition(**fields), AROUND))])
    return change


def event_change(verb: str, base: dict[str, Any], values: dict[str, Any]) -> StagedChange:
    return StagedChange(kind="event_definition", record="0190", key="x", verb=verb, base=base, values=values)


def test_events_are_staged_but_not_deleted() -> None:
    change = stage_event(verify(EVENT.id), hidden=True)
    assert (change.base, change.values, change.version) == ({"verified": False}, {"verified": True}, None)
    with pytest.raises(ChangeSetError, match="signed up: a permanent delete cannot be staged"):
        stage_event(delete(EVENT.id))
    deletion = event_change("delete", {"deleted": True}, {"deleted": True})
    assert "deleted is no field" in error_of_set(changes=(deletion,)).what


@pytest.mark.parametrize(("fields", "words"), [
    ({"kind": "kettle"}, "it changes a record of unknown kind kettle"),
    ({"record": "x"}, "checkout-v2 has the id x"),
    ({"values": {"id": 7}, "base": {"id": 812}}, "checkout-v2: id is no field that a set can change"),
    ({"values": {}, "base": {}}, "checkout-v2: it changes nothing"),
    ({"base": {}}, "checkout-v2: its previous values are missing"),
    ({"verb": "turn on"}, "checkout-v2: 'turn on' is not what its values do"),
    ({"verb": "set fire"}, "checkout-v2: 'set fire' is not what its values do"),
    ({"values": {"deleted": True}, "base": {"deleted": False}, "verb": "edit"},
     "checkout-v2: 'edit' is not what its values do"),
    ({"record": "new:other", "values": {"key": "other"}, "base": {}, "verb": "create"},
     "checkout-v2: the new flag has another key"),
])  # fmt: skip
def test_a_change_that_staging_never_writes_is_refused(fields: dict[str, Any], words: str) -> None:
    error = error_of_set(changes=(replace(turned_off(), **fields),))
    assert (error.fault, error.what) == ("malformed", f"set.json cannot be applied: {words}")


@pytest.mark.parametrize("verb", ["verify", "delete", "change tags"])
def test_verb_of_an_event_is_that_of_its_values(verb: str) -> None:
    error = error_of_set(changes=(event_change(verb, {"hidden": False}, {"hidden": True}),))
    assert f"x: '{verb}' is not what its values do" in error.what


@pytest.mark.parametrize("id", ["", "../x", "x" * 65])
def test_id_of_a_set_names_a_file(id: str) -> None:
    error = error_of_set(id=id)
    assert (error.fault, "cannot be applied: its id is" in error.what) == ("malformed", True)


def test_event_has_its_staged_values_unless_changed_since() -> None:
    event = definition(description="old")
    change = stage_event(set_field(EVENT.id, "description", "new", "old"), description="old")
    assert record_after(event, a_set(change)).description == "new"
    owned = stage_event(set_field(EVENT.id, "owner", 1, None))
    assert event_after(event, owned).raw["owner"] == {"id": 1}
    with pytest.raises(ChangeSetError):
        record_after(definition(description="newest"), a_set(change))


def test_verifying_unhides_and_hiding_unverifies_in_a_set() -> None:
    for intent, fields, expected in (
        (verify(EVENT.id), {"verified": False, "hidden": True}, (True, False)),
        (hide(EVENT.id), {"verified": True}, (False, True)),
    ):
        after = event_after(definition(**fields), stage_event(intent, **fields))
        assert (after.verified, after.hidden) == expected
