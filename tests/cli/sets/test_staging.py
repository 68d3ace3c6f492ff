"""Changes are staged and proposed instead of sent, and planned on the staged state."""

import os
from pathlib import Path

import httpx
import pytest
from tests.cli.conftest import Run
from tests.cli.sets.conftest import FLAG, OTHER, is_on, records, require_done
from tests.doubles.command_tree import all_commands
from tests.doubles.faulty_service import FaultyService

from flagtui.cli.plumbing.errors import EXIT_CODES


def test_staged_changes_are_sent_by_apply_alone(here: Run) -> None:
    staged = require_done(here("flags", "disable", FLAG, OTHER, "--stage", "--reason", "cleanup"))
    assert "Nothing was sent. The staged set has 2 changes" in staged.err
    assert [is_on(here, key) for key in (FLAG, OTHER)] == [True, True]
    assert [each["key"] for each in records(here("staged", "list", "--json"))] == [FLAG, OTHER]
    applied = records(here("apply", "staged", "--yes", "--json"))
    assert [each["ending"] for each in applied] == ["saved", "saved"]
    assert [is_on(here, key) for key in (FLAG, OTHER)] == [False, False]
    assert here("apply", "staged", "--yes").code == EXIT_CODES["nothing_to_do"]


def test_a_later_change_is_planned_on_the_staged_one(here: Run) -> None:
    require_done(here("flags", "disable", FLAG, "--stage"))
    again = here("flags", "disable", FLAG, "--stage")
    no_op = f"{FLAG}\tunchanged\tis already off once the staged set is applied\t\n"
    assert (again.code, again.out) == (0, no_op)
    back = require_done(here("flags", "enable", FLAG, "--stage"))
    assert back.out == f"{FLAG}\tunchanged\tis not staged any more\t\n"
    assert back.err == "Nothing was sent. The staged set is empty now.\n"
    assert records(here("staged", "list", "--json")) == []


def test_new_flag_is_changed_in_the_set_that_creates_it(here: Run) -> None:
    require_done(here("flags", "create", "brand-new", "--stage"))
    unnamed = here("flags", "enable", "brand-new", "--dry-run")
    staged_only = "there is no flag brand-new yet: the staged set creates it. Change it there with --stage"
    assert (unnamed.code, staged_only in unnamed.err) == (EXIT_CODES["not_found"], True)
    for words in (
        ("enable", FLAG, "brand-new"),
        ("rollout", "brand-new", "--to", "40"),
        ("enable", "brand-new"),
    ):
        done = require_done(here("flags", *words, "--stage"))
    assert done.out == "brand-new\tunchanged\tis already on once the staged set is applied\t\n"
    edit = ("flags", "edit", "brand-new", "--field", 'tags=["web"]', "--field", "key=newer", "--stage")
    assert "key: brand-new → newer" in require_done(here(*edit)).out
    (change,) = records(here("staged", "list", "--json"))
    phrases = ["on", "condition 1: 40 % of everyone", "tags: web"]
    assert (change["id"], [each["text"] for each in change["changes"]]) == ("new:newer", phrases)
    require_done(here("apply", "staged", "--yes"))
    (flag,) = records(here("flags", "get", "newer", "--json"))
    assert (flag["active"], flag["rollout"], flag["tags"]) == (True, 40, ["web"])
    require_done(here("undo", "--yes"))
    assert here("flags", "get", "newer").code == EXIT_CODES["not_found"]


def test_restored_or_renamed_flag_is_changed_in_the_set(here: Run) -> None:
    require_done(here("flags", "delete", FLAG, "--yes"))
    require_done(here("flags", "restore", FLAG, "--stage"))
    require_done(here("flags", "edit", OTHER, "--field", "key=renamed", "--stage"))
    require_done(here("flags", "disable", FLAG, "renamed", "--stage"))
    require_done(here("flags", "delete", FLAG, "--stage"))
    require_done(here("flags", "restore", FLAG, "--stage"))
    require_done(here("apply", "staged", "--yes"))
    assert [is_on(here, key) for key in (FLAG, "renamed")] == [False, False]


def test_archiving_staged_new_flag_is_refused_deleting_unstages(here: Run) -> None:
    require_done(here("flags", "create", "brand-new", "--stage"))
    for words in (("archive", "brand-new"), ("enable", "brand-new", "--if-version", "1")):
        refused = here("flags", *words, "--stage")
        assert refused.code == EXIT_CODES["refused"]
        assert "it is not created yet" in refused.out or "is not created yet, so it has no" in refused.err
    require_done(here("flags", "delete", "brand-new", "--stage"))
    assert records(here("staged", "list", "--json")) == []


def test_a_staged_change_is_dropped_by_key(here: Run) -> None:
    require_done(here("flags", "disable", FLAG, OTHER, "--stage"))
    assert [each["key"] for each in records(here("staged", "drop", FLAG, "--json"))] == [FLAG]
    assert [each["key"] for each in records(here("staged", "get", "--json"))] == [OTHER]
    missing = here("staged", "drop", FLAG)
    expected = (EXIT_CODES["not_found"], f"flagtui: the set does not change {FLAG}. It changes: {OTHER}.\n")
    assert (missing.code, missing.err) == expected
    require_done(here("staged", "drop", "--all"))
    assert here("staged", "get").code == EXIT_CODES["nothing_to_do"]


def test_staged_flag_and_event_of_one_name_need_an_id(here: Run) -> None:
    require_done(here("flags", "create", "signup_completed", "--stage"))
    (event,) = records(here("events", "list", "name:/^signup_completed$/", "--json"))
    require_done(here("events", "tag", "signup_completed", "--add", "x", "--stage"))
    refused = here("staged", "drop", "signup_completed")
    ids = f"Name its id: new:signup_completed (flag) or {event['id']} (event_definition).\n"
    assert (refused.code, refused.err.endswith(ids)) == (EXIT_CODES["usage"], True)
    require_done(here("staged", "drop", event["id"]))
    assert [each["verb"] for each in records(here("staged", "get", "signup_completed", "--json"))] == [
        "create"
    ]


def test_set_does_not_grow_over_profile_limit(here: Run, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = home / ".config/flagtui/config.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text(f'[profiles.prod]\nhost = "{os.environ["FLAGTUI_HOST"]}"\nbulk_limit = 1\n')
    require_done(here("flags", "disable", FLAG, "--stage"))
    refused = here("flags", "disable", OTHER, "--stage")
    assert (refused.code, "2 changes; this profile allows 1" in refused.err) == (3, True)
    assert len(records(here("staged", "list", "--json"))) == 1


def test_a_proposal_is_listed_shown_applied_and_dropped(here: Run, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    words = ("propose", "--reason", "no longer called", "--", "flags", "disable", FLAG)
    shown = require_done(here(*words, is_shown=True)).out
    assert "Nothing was sent: the change set was written to a file." in shown
    (proposal,) = records(here("proposals", "list", "--json"))
    assert (proposal["reason"], proposal["keys"], proposal["state"]) == ("no longer called", [FLAG], "open")
    assert Path(proposal["file"]).parent == tmp_path / ".flagtui" / "proposals"
    assert [each["key"] for each in records(here("proposals", "get", proposal["id"], "--json"))] == [FLAG]
    require_done(here("apply", proposal["id"], "--yes"))
    assert records(here("proposals", "list", "--json"))[0]["state"] == "applied"
    assert records(here("journal", "--json"))[0]["reason"] == "no longer called"
    require_done(here("proposals", "drop", proposal["id"]))
    assert records(here("proposals", "list", "--json")) == []


def test_unreadable_proposal_leaves_the_others_usable(here: Run, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    require_done(here("propose", "--reason", "off", "--", "flags", "disable", FLAG))
    folder = tmp_path / ".flagtui" / "proposals"
    (folder / "cut.json").write_text('{"schema": 1')
    (cut, proposal) = records(here("proposals", "list", "--json"))
    assert ("is truncated" in cut["state"], proposal["state"]) == (True, "open")
    refused = here("apply", "cut.json", "--yes")
    assert (refused.code, "cut.json is truncated" in refused.err) == (EXIT_CODES["usage"], True)
    require_done(here("apply", Path(proposal["file"]).name, "--yes"))
    assert not is_on(here, FLAG)
    require_done(here("proposals", "drop", "cut.json"))
    assert [each["id"] for each in records(here("proposals", "list", "--json"))] == [proposal["id"]]


def test_read_only_profile_can_propose(here: Run) -> None:
    done = here("--read-only", "propose", "--reason", "off", "--json", "--", "flags", "disable", FLAG)
    (plan,) = records(require_done(done))
    assert (plan["ending"], Path(plan["file"]).exists()) == ("saved", True)
    assert here("apply", plan["file"], "--read-only", "--yes").code == EXIT_CODES["refused"]
    assert is_on(here, FLAG)
    refused = here("--read-only", "flags", "disable", FLAG, "--dry-run")
    assert (refused.code, "this profile is read-only" in refused.err) == (EXIT_CODES["refused"], True)


def test_proposals_with_one_reason_are_apart_and_in_order(here: Run) -> None:
    files = []
    for key in (OTHER, FLAG):
        done = here("propose", "--reason", "same", "--json", "--", "flags", "tag", key, "--add", "same")
        files.append(records(done)[0]["file"])
    listed = [(each["keys"], each["file"]) for each in records(here("proposals", "list", "--json"))]
    assert listed == [([OTHER], files[0]), ([FLAG], files[1])]
    assert records(here("flags", "disable", FLAG, "--dry-run", "--json"))[0]["file"] == ""


@pytest.mark.parametrize("place", [1, 3])
def test_options_may_precede_a_proposed_command(place: int, here: Run) -> None:
    words = ["propose", "--reason", "no longer called", "--", "flags", "disable", FLAG]
    words[place:place] = ["--project", "1", "--fields", "key"]
    assert require_done(here(*words)).out == f"{FLAG}\n"
    group = here("propose", "--reason", "x", "--", "flags")
    assert (group.code, "flags changes nothing" in group.err) == (2, True)


def test_only_changes_that_can_wait_are_staged_or_proposed(here: Run) -> None:
    refused = here("propose", "--reason", "x", "--", "flags", "list")
    assert (refused.code, "flags list changes nothing" in refused.err) == (2, True)
    unknown = here("propose", "--reason", "x", "--", "flag", "disable", FLAG)
    assert (unknown.code, unknown.err) == (2, "flagtui: there is no command 'flag'. See: flagtui --help\n")
    for words in (("experiments", "launch", "35"), ("events", "delete", "$pageview"), ("undo",)):
        refused = here(*words, "--stage")
        assert (refused.code, refused.err.startswith("flagtui: this cannot be staged: ")) == (3, True)
    for options in (("--stage", "--dry-run"), ("--out", "set.json")):
        assert here("flags", "disable", FLAG, *options).code == EXIT_CODES["usage"]


def test_change_set_without_changes_is_not_written(here: Run, tmp_path: Path) -> None:
    require_done(here("flags", "disable", FLAG, "--yes"))
    shown = require_done(here("flags", "disable", FLAG, "--dry-run", "--out", str(tmp_path / "set.json")))
    assert shown.err == "Nothing would change, so no change set was written.\n"
    refused = here("flags", "edit", FLAG, "--field", "key=a b", "--dry-run", "--out", "set.json")
    assert refused.err == "Nothing can be changed, so no change set was written.\n"
    assert not (tmp_path / "set.json").exists()


def test_every_command_that_changes_flags_or_events_can_be_staged() -> None:
    direct = {name for name, each in all_commands().items() if each.writes and each.never_staged}
    others = {name for name in direct if not name.startswith("experiments ")}
    assert others == {
        *("events create", "events delete", "flags schedule", "flags cohort", "flags dashboard"),
        *("undo", "redo", "apply"),
    }


def test_predicted_values_of_the_staged_set_are_served_once_applied(here: Run) -> None:
    users = ("--for", "user_7", "--for", "user_8 plan=pro", "--json")
    require_done(here("flags", "rollout", FLAG, "--to", "0", "--stage"))
    require_done(here("flags", "enable", "kill-search-v2", "--stage"))
    foretold = records(here("staged", "evaluate", *users))
    assert {each["key"] for each in foretold} >= {FLAG, "kill-search-v2"}
    assert any(each["before"] != each["after"] for each in foretold if each["key"] == FLAG)
    require_done(here("apply", "staged", "--yes"))
    keys = sorted({each["key"] for each in foretold})
    served = records(here("flags", "evaluate", *keys, *users))
    assert {(each["key"], each["distinct_id"]): each["value"] for each in served} == {
        (each["key"], each["distinct_id"]): each["after"] for each in foretold
    }


def test_evaluation_without_definitions_names_what_it_lacks(here: Run, line: FaultyService) -> None:
    require_done(here("flags", "rollout", FLAG, "--to", "0", "--stage"))
    quota = httpx.Response(402, json={"detail": "The quota is used up."})
    line.before = lambda request: quota if "local_evaluation" in request.url.path else None
    foretold = here("staged", "evaluate", "--for", "user_7", "--json")
    assert [each["key"] for each in records(foretold)] == [FLAG]
    assert "flags that depend on those of the set are not evaluated: " in foretold.err


def test_undo_reaches_the_copy_in_another_project(here: Run) -> None:
    require_done(here("flags", "copy", FLAG, "--to-project", "2", "--yes"))
    require_done(here("undo", "--yes"))
    assert [each["project"] for each in records(here("journal", "--json"))] == ["2", "2"]
    require_done(here("flags", "get", FLAG))


def test_reason_of_each_staged_change_is_kept(here: Run) -> None:
    for key, reason in ((FLAG, "cleanup"), (OTHER, "no longer called"), (OTHER, "cleanup")):
        require_done(here("flags", "tag", key, "--add", f"tag-{len(reason)}", "--stage", "--reason", reason))
    require_done(here("apply", "staged", "--yes"))
    assert {each["reason"] for each in records(here("journal", "--json"))} == {"cleanup; no longer called"}
