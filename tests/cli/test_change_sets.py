"""Change sets on the command line: staged, proposed, planned, applied, continued and undone as one."""

import json
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest
from tests.cli.conftest import Done, Run, Service, run_at, serving, small_sample
from tests.doubles.command_tree import all_commands

from flagtui.changes.sets.change_set import FAULTS, ChangeSet, as_text, read_text
from flagtui.changes.sets.set_files import hold
from flagtui.cli.plumbing.errors import EXIT_CODES
from flagtui.cli.plumbing.staging import FAULT_CODES

__all__ = ["small_sample"]
FLAG: Final = "export-parquet"
OTHER: Final = "billing-usage-alerts"


@pytest.fixture
def own_service(small_sample: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """A service whose records no other test changes."""
    database = tmp_path_factory.mktemp("own") / "service.db"
    database.write_bytes(small_sample.read_bytes())
    with serving(database) as service:
        yield service


@pytest.fixture
def here(run: Run, own_service: Service, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    monkeypatch.chdir(tmp_path)
    return run_at(own_service.address, run, monkeypatch)


def done(result: Done) -> Done:
    assert result.code == 0, result
    return result


def records(result: Done) -> list[dict[str, Any]]:
    return [dict(record) for record in json.loads(done(result).out)["records"]]


def is_on(here: Run, key: str) -> bool:
    (record,) = records(here("flags", "get", key, "--json", "--fields", "active"))
    return bool(record["active"])


def change_file(path: Path, change: Callable[[ChangeSet], ChangeSet]) -> None:
    """Replace the set in a file by another one with a digest of its own."""
    path.write_text(as_text(change(read_text(path.read_bytes(), path.name))))


def test_staged_changes_are_sent_by_apply_alone(here: Run) -> None:
    staged = done(here("flags", "disable", FLAG, OTHER, "--stage", "--reason", "cleanup"))
    assert "Nothing was sent. The staged set has 2 changes" in staged.err
    assert [is_on(here, key) for key in (FLAG, OTHER)] == [True, True]
    assert [each["key"] for each in records(here("staged", "list", "--json"))] == [FLAG, OTHER]
    applied = records(here("apply", "staged", "--yes", "--json"))
    assert [each["ending"] for each in applied] == ["saved", "saved"]
    assert [is_on(here, key) for key in (FLAG, OTHER)] == [False, False]
    assert here("apply", "staged", "--yes").code == EXIT_CODES["nothing_to_do"]


def test_a_set_is_one_journal_group_with_its_reason_and_one_undo(here: Run) -> None:
    done(here("flags", "disable", FLAG, "--stage", "--reason", "cleanup"))
    done(here("flags", "tag", OTHER, "--add", "ops", "--stage"))
    done(here("apply", "staged", "--yes"))
    entries = records(here("journal", "--json"))
    assert len({each["batch"] for each in entries}) == 1
    assert {each["reason"] for each in entries} == {"cleanup"}
    assert len(records(here("undo", "--yes", "--json"))) == 2
    assert is_on(here, FLAG)


def test_a_later_change_is_planned_on_the_staged_one(here: Run) -> None:
    done(here("flags", "disable", FLAG, "--stage"))
    again = here("flags", "disable", FLAG, "--stage")
    assert (again.code, again.out) == (0, f"{FLAG}\tunchanged\talready is off\t\n")
    done(here("flags", "enable", FLAG, "--stage"))
    assert records(here("staged", "list", "--json")) == []


def test_a_staged_change_is_dropped_by_key(here: Run) -> None:
    done(here("flags", "disable", FLAG, OTHER, "--stage"))
    assert [each["key"] for each in records(here("staged", "drop", FLAG, "--json"))] == [FLAG]
    assert [each["key"] for each in records(here("staged", "get", "--json"))] == [OTHER]
    missing = here("staged", "drop", FLAG)
    assert (missing.code, missing.err) == (
        EXIT_CODES["not_found"],
        f"flagtui: the set does not change {FLAG}. It changes: {OTHER}.\n",
    )
    done(here("staged", "drop", "--all"))
    assert here("staged", "get").code == EXIT_CODES["nothing_to_do"]


def test_the_file_of_a_dry_run_is_private_and_applies_once(here: Run) -> None:
    done(here("flags", "disable", FLAG, "--dry-run", "--out", "set.json"))
    assert stat.S_IMODE(Path("set.json").stat().st_mode) == 0o600
    assert is_on(here, FLAG)
    done(here("apply", "set.json", "--yes"))
    again = done(here("apply", "set.json", "--yes"))
    assert again.out == f"{FLAG}\tunchanged\tthe set was applied already\t\n"
    assert len(records(here("journal", "--json"))) == 1


def test_new_flags_events_and_dependencies_apply_in_one_set(here: Run) -> None:
    done(here("flags", "create", "new-search", "--enable", "--stage"))
    done(here("events", "verify", "$pageview", "--stage"))
    depends = {"type": "flag", "key": "new:new-search", "value": True, "operator": "flag_evaluates_to"}
    filters = {"groups": [{"properties": [depends], "rollout_percentage": 100}]}
    done(here("flags", "edit", FLAG, "--field", f"filters={json.dumps(filters)}", "--stage"))
    applied = records(here("apply", "staged", "--yes", "--json"))
    assert {each["key"]: each["ending"] for each in applied} == dict.fromkeys(
        ("new-search", "$pageview", FLAG), "saved"
    )
    number = next(each["id"] for each in applied if each["key"] == "new-search")
    (flag,) = records(here("flags", "get", FLAG, "--json", "--fields", "depends_on"))
    assert flag["depends_on"] == [int(number)]
    done(here("undo", "--yes"))
    assert here("flags", "get", "new-search").code == EXIT_CODES["not_found"]


def test_a_record_that_changed_since_is_shown_from_three_sides(here: Run) -> None:
    done(here("flags", "edit", FLAG, "--field", "name=Mine", "--dry-run", "--out", "set.json"))
    done(here("flags", "edit", FLAG, "--field", "name=Theirs", "--yes"))
    shown = here("apply", "set.json", "--yes", "--json")
    (record,) = json.loads(shown.out)["records"]
    assert (shown.code, record["ending"]) == (EXIT_CODES["conflict"], "conflicted")
    *_, (conflict,) = record.values()
    assert (conflict["where"], conflict["yours"], conflict["theirs"]) == ("name", "Mine", "Theirs")
    on_screen = here("apply", "set.json", "--yes", is_shown=True)
    assert [line.split() for line in on_screen.out.splitlines()][1:] == [
        ["was", '"Export', "query", "results", "as", 'Parquet"'],
        ["theirs", '"Theirs"'],
        ["yours", '"Mine"'],
    ]
    done(here("apply", "set.json", "--yes", "--overwrite"))


def test_nothing_is_sent_when_one_record_of_many_changed_since(here: Run) -> None:
    done(here("flags", "disable", FLAG, OTHER, "--stage"))
    done(here("flags", "tag", OTHER, "--add", "ops", "--yes"))
    shown = here("apply", "staged", "--yes")
    assert shown.code == EXIT_CODES["conflict"]
    assert "in no values of this set, so nothing was sent" in shown.out
    assert is_on(here, FLAG)
    assert len(records(here("staged", "list", "--json"))) == 2


def test_a_flag_that_no_longer_exists_refuses_the_set(here: Run) -> None:
    done(here("flags", "disable", FLAG, OTHER, "--dry-run", "--out", "set.json"))

    def move(change_set: ChangeSet) -> ChangeSet:
        first, *rest = change_set.changes
        gone = msgspec.structs.replace(first, record=99_999)
        return msgspec.structs.replace(change_set, changes=(gone, *rest))

    change_file(Path("set.json"), move)
    shown = here("apply", "set.json", "--yes")
    assert shown.code == EXIT_CODES["not_found"]
    assert "Nothing was sent" in shown.err
    assert is_on(here, OTHER)


def test_a_set_over_the_limit_of_the_profile_does_not_grow(
    here: Run, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = home / ".config/flagtui/config.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text(f'[profiles.prod]\nhost = "{os.environ["FLAGTUI_HOST"]}"\nbulk_limit = 1\n')
    done(here("flags", "disable", FLAG, "--stage"))
    refused = here("flags", "disable", OTHER, "--stage")
    assert (refused.code, "2 changes; this profile allows 1" in refused.err) == (3, True)
    assert len(records(here("staged", "list", "--json"))) == 1


def test_a_proposal_is_listed_shown_applied_and_dropped(here: Run, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    done(here("propose", "--reason", "no longer called", "--", "flags", "disable", FLAG))
    (proposal,) = records(here("proposals", "list", "--json"))
    assert (proposal["reason"], proposal["keys"], proposal["state"]) == ("no longer called", [FLAG], "open")
    assert Path(proposal["file"]).parent == tmp_path / ".flagtui" / "proposals"
    assert [each["key"] for each in records(here("proposals", "get", proposal["id"], "--json"))] == [FLAG]
    done(here("apply", proposal["id"], "--yes"))
    assert records(here("proposals", "list", "--json"))[0]["state"] == "applied"
    assert records(here("journal", "--json"))[0]["reason"] == "no longer called"
    done(here("proposals", "drop", proposal["id"]))
    assert records(here("proposals", "list", "--json")) == []


def test_only_changes_can_be_proposed(here: Run) -> None:
    refused = here("propose", "--reason", "x", "--", "flags", "list")
    assert (refused.code, "flags list changes nothing" in refused.err) == (2, True)


def set_file(here: Run) -> Path:
    done(here("flags", "disable", FLAG, "--dry-run", "--out", "set.json"))
    return Path("set.json")


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:200])


def edit(path: Path) -> None:
    path.write_text(path.read_text().replace('"turn off"', '"turn on"'))


def age(path: Path) -> None:
    path.write_text(path.read_text().replace('"schema": 1', '"schema": 2'))


def move_host(path: Path) -> None:
    change_file(path, lambda change_set: msgspec.structs.replace(change_set, host="https://other.test"))


def move_project(path: Path) -> None:
    change_file(path, lambda change_set: msgspec.structs.replace(change_set, project="7"))


def replace_by_a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


BAD_FILES: Final[dict[Callable[[Path], object], tuple[str, str]]] = {
    truncate: ("usage", "set.json is truncated or no change set"),
    edit: ("usage", "set.json was edited by hand: its digest differs"),
    age: ("usage", "set.json has schema 2; this flagtui reads schema 1"),
    move_host: ("refused", "set.json belongs to project 1 of https://other.test"),
    move_project: ("refused", "set.json belongs to project 7 of http://127.0.0.1"),
    replace_by_a_folder: ("failed", "set.json cannot be read: Is a directory"),
    Path.unlink: ("not_found", "there is no file set.json"),
}


@pytest.mark.parametrize(("spoil", "expected"), BAD_FILES.items())
def test_a_bad_file_gets_one_line_and_its_code(
    spoil: Callable[[Path], object], expected: tuple[str, str], here: Run
) -> None:
    spoil(set_file(here))
    code, words = expected
    refused = here("apply", "set.json", "--yes")
    assert refused.code == EXIT_CODES[code]  # type: ignore[index]
    assert refused.err.startswith(f"flagtui: {words}")
    assert len(refused.err.splitlines()) == 1
    assert is_on(here, FLAG)


def test_a_second_program_is_refused_while_one_holds_the_staged_set(here: Run, home: Path) -> None:
    done(here("flags", "disable", FLAG, "--stage"))
    folder = home / ".local/state/flagtui/sets"
    (lock,) = folder.glob("staged-*.lock")
    with hold(folder, lock.stem, "the app"):
        refused = here("staged", "drop", "--all")
    assert refused.code == EXIT_CODES["refused"]
    assert refused.err.startswith(f"flagtui: the app (process {os.getpid()}) has this change set open")


def test_commands_that_cannot_be_staged_give_the_reason(here: Run) -> None:
    for words in (("experiments", "launch", "35"), ("events", "delete", "$pageview"), ("undo",)):
        refused = here(*words, "--stage")
        assert (refused.code, refused.err.startswith("flagtui: this cannot be staged: ")) == (2, True)


def test_staging_contradicts_a_dry_run(here: Run) -> None:
    for options in (("--stage", "--dry-run"), ("--out", "set.json")):
        assert here("flags", "disable", FLAG, *options).code == EXIT_CODES["usage"]


def test_every_command_that_changes_flags_or_events_can_be_staged() -> None:
    direct = {name for name, each in all_commands().items() if each.writes and each.never_staged}
    others = {name for name in direct if not name.startswith("experiments ")}
    assert others == {
        *("events delete", "flags schedule", "flags cohort", "flags dashboard", "undo", "redo", "apply")
    }


def test_every_fault_has_a_code() -> None:
    assert FAULT_CODES.keys() == FAULTS.keys()
