"""Flags changed from the command line: the safety of the screen, without one."""

from tests.cli.conftest import Run, Service

from flagtui.api.client import Client
from flagtui.models.flag import Flag
from flagtui.models.json_value import JSON


def read(service: Service, key: str) -> Flag:
    async def find(client: Client) -> Flag:
        flag = await client.flags.find(key)
        assert flag is not None
        return flag

    return service.ask(find)


def test_deleted_flag_is_reported_with_its_restore(signed_in: Run, key: str) -> None:
    assert signed_in("flags", "delete", key, "--yes").code == 0
    for words in (("get", key), ("disable", key, "--yes")):
        done = signed_in("flags", *words)
        assert (done.code, done.out) == (6, "")
        assert f"the flag {key} was deleted by Alice just now; nothing was done." in done.err
        assert f"Restore it: flagtui flags restore {key}\n" in done.err
    assert signed_in("flags", "restore", key, "--yes").code == 0
    assert signed_in("flags", "get", key).code == 0


def test_a_saved_change_says_what_is_true_now(signed_in: Run, key: str) -> None:
    saved = signed_in("flags", "rollout", key, "--to", "75", "--yes", is_shown=True)
    assert f"{key} has a new rollout: condition 1: rollout 50 % → 75 %." in saved.out
    assert "not counted, since --yes agrees beforehand" in saved.out
    assert signed_in("flags", "disable", key, "--yes", is_shown=True).out.endswith(f"{key} is off.\n")
    done = signed_in("flags", "rollout", key, "--to", "80", "--yes", "--json")
    (record,) = done.records
    assert (record["key"], record["ending"], record["message"]) == (key, "saved", "has a new rollout")


def test_tags_fields_and_json_are_edited_as_in_the_app(signed_in: Run, service: Service, key: str) -> None:
    assert signed_in("flags", "tag", key, "--add", "Ops", "--add", "web", "--yes").code == 0
    assert signed_in("flags", "tag", key, "--remove", "web", "--yes").code == 0
    assert set(read(service, key).tags) == {"ops"}
    assert signed_in("flags", "edit", key, "--field", "name=By hand", "--yes").code == 0
    text = signed_in("flags", "edit", key, "--print").out
    edited = text.replace("By hand", "By file")
    assert signed_in("flags", "edit", key, "--from", "-", "--yes", stdin=edited).code == 0
    assert read(service, key).name == "By file"
    assert signed_in("flags", "tag", key, "--add", "=x", "--add", "-y", "--yes").code == 0
    assert set(read(service, key).tags) == {"ops", "=x", "-y"}


def test_a_flag_is_made_and_copied(signed_in: Run, service: Service, key: str) -> None:
    new = f"{key}-new"
    options = ("--rollout", "10", "--tag", "b, A", "--tag", "c")
    assert signed_in("flags", "create", new, *options, "--yes").code == 0
    made = read(service, new)
    assert (made.active, made.targeting.rollout, {*made.tags}) == (False, 10, {"a", "b", "c"})
    taken = signed_in("flags", "create", new, "--yes")
    assert (taken.code, f"there is already a flag {new}" in taken.out) == (3, True)
    assert signed_in("flags", "copy", key, "--to-key", f"{key}-copy", "--yes").code == 0
    assert read(service, f"{key}-copy").targeting.conditions == read(service, key).targeting.conditions


def test_a_change_is_scheduled_listed_and_dropped(signed_in: Run, service: Service, key: str) -> None:
    words = ("flags", "schedule", key, "--off", "--at", "2099-03-05 09:00", "--dry-run")
    assert "turned off, 2099-03-05 09:00 UTC" in signed_in(*words).out
    assert signed_in("flags", "schedule", key, "--off", "--at", "+2h", "--yes").code == 0
    (due,) = signed_in("flags", "due", key, "--json").records
    assert (due["key"], due["change"]) == (key, "turned off")
    assert signed_in("flags", "schedule", key, "--drop", f"#{due['id']}", "--yes").code == 0
    assert signed_in("flags", "due", key, "--json").records == []
    other = make_flag(service, f"{key}-due", 100)
    for flag, at in ((other, "+9h"), (key, "+5h"), (other, "+2h")):
        assert signed_in("flags", "schedule", flag, "--on", "--at", at, "--yes").code == 0
    for keys in ((key, other), (other, key)):
        due_by_time = signed_in("flags", "due", *keys, "--json").records
        assert [each["key"] for each in due_by_time] == [other, key, other]


def test_change_that_has_happened_is_listed_last_and_not_dropped(
    signed_in: Run, service: Service, key: str
) -> None:
    target = {"record_id": str(read(service, key).id), "model_name": "FeatureFlag"}
    payload: JSON = {"operation": "update_status", "value": False}
    past = {**target, "payload": payload, "scheduled_at": "2026-01-05T09:00:00Z"}
    done = service.ask(lambda client: client.schedule.create(past))
    assert signed_in("flags", "schedule", key, "--on", "--at", "+2h", "--yes").code == 0
    due = signed_in("flags", "due", key, "--json").records
    assert [each["change"] for each in due] == ["turned on", "done: turned off"]
    refused = signed_in("flags", "schedule", key, "--drop", str(done.id), "--yes")
    assert (refused.code, "it has happened already" in refused.out) == (3, True)
    assert len(signed_in("flags", "due", key, "--json").records) == 2


def test_used_key_is_refused_before_it_is_sent(signed_in: Run, key: str) -> None:
    for more in ("--dry-run", "--yes"):
        done = signed_in("flags", "edit", key, "--field", "key=new-nav", more, "--json")
        assert (done.code, "there is already a flag new-nav" in done.out) == (3, True), done
    assert signed_in("flags", "copy", key, "--to-project", "2", "--yes").code == 0
    again = signed_in("flags", "copy", key, "--to-project", "Mobile", "--yes")
    step = "there is already a flag {0} in that project\tchange or rename it there\n"
    assert (again.code, again.out.endswith(step.format(key))) == (3, True)
    assert signed_in("flags", "edit", key, "--field", f"key={key}-2", "--yes").code == 0


def test_no_op_is_unchanged_and_exits_with_0(signed_in: Run, key: str) -> None:
    for words in (("rollout", key, "--to", "50"), ("tag", key, "--remove", "none")):
        for more in (("--yes",), ("--dry-run",)):
            done = signed_in("flags", *words, *more)
            assert (done.code, "has these values already" in done.out, done.err) == (0, True, "")
        shown = signed_in("flags", *words, "--yes", is_shown=True)
        assert shown.out.startswith(f"{key}: unchanged: has these values already; nothing was sent")


def make_flag(service: Service, key: str, *percentages: int) -> str:
    groups: list[JSON] = [{"properties": [], "rollout_percentage": each} for each in percentages]
    body: dict[str, JSON] = {"key": key, "active": True, "filters": {"groups": groups}}
    return service.ask(lambda client: client.flags.create(body)).key


def test_question_names_refusals_and_counts_no_ops(signed_in: Run) -> None:
    off = signed_in("flags", "list", "is:off", "--fields", "key", "--limit", "15").out.split()
    plan = signed_in("flags", "disable", *off, "new-nav", "checkout-redesign", "--dry-run", "-o", "table").out
    assert f"  unchanged (is already off): {', '.join(off[:3])} and {len(off) - 3} more\n" in plan
    assert "  skipped: checkout-redesign: " in plan
    alone = signed_in("flags", "disable", off[0], "--dry-run", "-o", "table").out
    assert alone.startswith(f"{off[0]}: unchanged: is already off; nothing was sent")


def test_rollout_of_different_percentages_needs_a_choice(signed_in: Run, service: Service, key: str) -> None:
    mixed = make_flag(service, f"{key}-mixed", 10, 50)
    words = ("flags", "rollout", mixed, "--to", "20", "--yes", "--json")
    done = signed_in(*words)
    (result,) = done.records
    assert (done.code, result["ending"]) == (3, "skipped")
    assert result["message"] == "its conditions have different rollouts: 10 %, 50 %"
    assert result["next"] == "choose --condition NUMBER or --all-conditions"
    assert signed_in(*words, "--condition", "2").code == 0
    assert [each.rollout for each in read(service, mixed).targeting.conditions] == [10, 20]
    assert signed_in(*words, "--all-conditions").code == 0
    assert [each.rollout for each in read(service, mixed).targeting.conditions] == [20, 20]


def test_if_version_changes_the_flag_of_that_version_only(signed_in: Run, service: Service, key: str) -> None:
    version = read(service, key).version
    words = ("flags", "disable", key, "--yes", "--if-version")
    for more in ((), ("--dry-run",)):
        refused = signed_in(*words, "99", *more)
        assert (refused.code, f"{key} has version {version}, not 99" in refused.err) == (4, True)
    done = signed_in(*words, str(version))
    assert (done.code, read(service, key).active, "atomic" in done.err) == (0, False, False)


def test_max_changes_refuses_a_larger_batch(signed_in: Run, service: Service, key: str) -> None:
    other = make_flag(service, f"{key}-b", 100)
    words = ("flags", "disable", key, other, "--max-changes")
    for more in (("1", "--yes"), ("1", "--dry-run")):
        refused = signed_in(*words, *more)
        assert (refused.code, "2 flags would change; --max-changes allows 1" in refused.err) == (3, True)
    assert signed_in(*words, "2", "--yes").code == 0
