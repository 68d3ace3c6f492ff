"""Sets that cannot be applied change nothing; messages name commands of the same profile and project."""

import os
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest
from msgspec.structs import replace
from tests.cli.conftest import CLOSED, Run, require_done, write_settings
from tests.cli.sets.conftest import FLAG, OTHER, change_file, is_on

from flagtui.changes.sets.change_set import FAULTS, ChangeSet
from flagtui.changes.sets.set_files import SetFile, hold
from flagtui.cli.plumbing.errors import EXIT_CODES, Code
from flagtui.cli.plumbing.next_commands import next_command
from flagtui.cli.plumbing.staging import FAULT_CODES

Spoil = Callable[[Path], object]


def test_a_record_that_changed_since_is_shown_from_three_sides(here: Run, elsewhere: Run) -> None:
    require_done(here("flags", "edit", FLAG, "--field", "name=Mine", "--dry-run", "--out", "set.json"))
    require_done(elsewhere("flags", "edit", FLAG, "--field", "name=Theirs", "--yes"))
    shown = here("apply", "set.json", "--yes", "--json")
    (record,) = shown.records
    assert (shown.code, record["ending"]) == (EXIT_CODES["conflict"], "conflicted")
    (conflict,) = next(value for value in record.values() if isinstance(value, list))
    assert (conflict["where"], conflict["yours"], conflict["theirs"]) == ("name", "Mine", "Theirs")
    on_screen = here("apply", "set.json", "--yes", is_shown=True)
    assert [line.split() for line in on_screen.out.splitlines()] == [
        [FLAG],
        ["!", "changed", "since:", "description"],
        ["was", "Export", "query", "results", "as", "Parquet"],
        ["now", "Theirs"],
        ["new", "Mine"],
    ]
    piped = here("apply", "set.json", "--yes")
    assert piped.err == on_screen.out
    assert piped.out.startswith(f"{FLAG}\tconflicted\t")
    require_done(here("apply", "set.json", "--yes", "--overwrite"))


def test_own_change_by_another_command_is_named_own(here: Run, elsewhere: Run) -> None:
    require_done(here("flags", "rollout", FLAG, "--to", "40", "--dry-run", "--out", "set.json"))
    require_done(here("flags", "rollout", FLAG, "--to", "60", "--yes"))
    shown = here("apply", "set.json", "--yes")
    assert "by you, outside this set), in conflict with 1 value of this set" in shown.out
    assert [line.split() for line in shown.err.splitlines()] == [
        [FLAG],
        ["!", "you", "changed", "rollout", "of", "condition", "1", "since"],
        ["was", "75", "%"],
        ["now", "60", "%"],
        ["new", "40", "%"],
    ]
    require_done(elsewhere("flags", "rollout", FLAG, "--to", "80", "--yes"))
    shown = here("apply", "set.json", "--yes")
    assert "last by Alice), in conflict with 1 value" in shown.out
    assert "changed since: rollout of condition 1" in shown.err


@pytest.fixture
def set_file(here: Run) -> Path:
    """A file of a set that turns the flag off."""
    require_done(here("flags", "disable", FLAG, "--dry-run", "--out", "set.json"))
    return Path("set.json")


def test_nothing_is_sent_when_one_record_of_many_changed_since(here: Run) -> None:
    require_done(here("flags", "disable", FLAG, OTHER, "--stage"))
    require_done(here("flags", "edit", OTHER, "--field", "name=Ops", "--yes"))
    shown = here("apply", "staged", "--yes")
    assert shown.code == EXIT_CODES["conflict"]
    assert "in conflict with no values of this set, so nothing was sent" in shown.out
    assert is_on(here, FLAG)
    assert len(here("staged", "list").out.splitlines()) == 2


def test_values_already_as_the_set_makes_them_are_no_conflict(here: Run, elsewhere: Run) -> None:
    require_done(here("flags", "disable", FLAG, OTHER, "--dry-run", "--out", "set.json"))
    require_done(elsewhere("flags", "disable", FLAG, "--yes"))
    first, second = require_done(here("apply", "set.json", "--yes")).out.splitlines()
    assert first.startswith(f"{OTHER}\tsaved\t")
    assert second.startswith(
        f"{FLAG}\tunchanged\tchanged since (v3 → v4, last by Alice) and has these values"
    )
    again = require_done(elsewhere("apply", "set.json", "--yes", "--json"))
    unchanged = again.records
    assert [each["ending"] for each in unchanged] == ["unchanged", "unchanged"]
    assert all(each["id"].isdigit() for each in unchanged)
    require_done(here("events", "tag", "signup_completed", "--add", "x", "--dry-run", "--out", "tags.json"))
    require_done(elsewhere("events", "tag", "signup_completed", "--add", "y", "--yes"))
    assert "in conflict with no values" in here("apply", "tags.json", "--yes").out
    require_done(elsewhere("events", "tag", "signup_completed", "--add", "x", "--yes"))
    assert "and has these values already" in require_done(here("apply", "tags.json", "--yes")).out


def test_flag_deleted_since_is_restored_before_the_set(here: Run, set_file: Path) -> None:
    require_done(here("flags", "delete", FLAG, "--yes"))
    shown = here("apply", set_file.name, "--yes").out
    assert "\tconflicted\tdeleted since (v" in shown
    assert f"Restore it first: flagtui flags restore {FLAG}" in shown


def test_a_flag_that_no_longer_exists_refuses_the_set(here: Run) -> None:
    require_done(here("flags", "disable", FLAG, OTHER, "--dry-run", "--out", "set.json"))

    def move(change_set: ChangeSet) -> ChangeSet:
        first, *rest = change_set.changes
        return replace(change_set, changes=(replace(first, record=99_999), *rest))

    change_file(Path("set.json"), move)
    shown = here("apply", "set.json", "--yes")
    assert (shown.code, "Nothing was sent" in shown.err) == (EXIT_CODES["not_found"], True)
    assert is_on(here, OTHER)


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:200])


def rewritten(old: str, new: str) -> Spoil:
    return lambda path: path.write_text(path.read_text().replace(old, new))


def changed(**values: Any) -> Spoil:
    """Another value in the set, with a digest of its own."""
    return lambda path: change_file(path, lambda change_set: replace(change_set, **values))


def replace_by_a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


EDIT: Final = rewritten('"turn off"', '"turn on"')
BAD_FILES: Final[dict[str, tuple[Spoil, Code]]] = {
    "set.json is truncated or not a change set": (truncate, "usage"),
    "set.json was edited by hand: its digest differs": (EDIT, "usage"),
    "set.json has schema 2; this flagtui reads schema 1": (rewritten('"schema": 1', '"schema": 2'), "usage"),
    "set.json belongs to project 1 of https://other.test": (changed(host="https://other.test"), "refused"),
    "set.json belongs to project 1 of x⏎␛[2J": (changed(host="x\n\x1b[2J"), "refused"),
    "set.json belongs to project 7 of http://127.0.0.1": (changed(project="7"), "refused"),
    "set.json has no changes; nothing was sent.": (changed(changes=()), "nothing_to_do"),
    "set.json cannot be read: Is a directory": (replace_by_a_folder, "failed"),
    "there is no file or proposal set.json": (Path.unlink, "not_found"),
}


@pytest.mark.parametrize("words", BAD_FILES)
def test_a_bad_file_gets_one_line_and_its_code(words: str, here: Run, set_file: Path) -> None:
    spoil, code = BAD_FILES[words]
    spoil(set_file)
    refused = here("apply", "set.json", "--yes")
    assert (refused.code, len(refused.err.splitlines())) == (EXIT_CODES[code], 1)
    assert refused.err.startswith(f"flagtui: {words}")
    assert is_on(here, FLAG)


def test_broken_staged_set_is_discarded(here: Run, home: Path) -> None:
    require_done(here("flags", "disable", FLAG, "--stage"))
    (path,) = (home / ".local/state/flagtui/sets").glob("staged-*.json")
    for spoil in (truncate, EDIT):
        spoil(path)
        refused = here("apply", "staged", "--yes")
        assert refused.code == EXIT_CODES["usage"]
        assert "flagtui staged drop --all discards it." in refused.err
        assert require_done(here("staged", "drop", "--all")).err == "discarded the staged set\n"
        assert not path.exists()
        require_done(here("flags", "disable", FLAG, "--stage"))


def test_every_fault_has_a_code() -> None:
    assert FAULT_CODES.keys() == FAULTS.keys()


def test_a_set_is_applied_by_one_program_at_a_time(here: Run, home: Path, set_file: Path) -> None:
    change_set = SetFile(set_file).read()
    folder = home / ".local/state/flagtui/sets"
    with hold(folder, f"apply-{change_set.id}", "flagtui apply"):
        refused = here("apply", "set.json", "--yes")
    assert refused.code == EXIT_CODES["refused"]
    assert refused.err.startswith(f"flagtui: flagtui apply (process {os.getpid()}) has this change set open")


def test_a_folder_that_cannot_hold_sets_is_named(here: Run, home: Path) -> None:
    folder = home / ".local/state/flagtui/sets"
    folder.parent.mkdir(parents=True)
    folder.touch()
    refused = here("flags", "disable", FLAG, "--stage")
    assert refused.code == EXIT_CODES["failed"]
    assert refused.err.startswith(f"flagtui: {folder} cannot be used for change sets")
    assert is_on(here, FLAG)


OPTIONS = ("--profile", "other", "--project", "1")


@pytest.fixture
def with_default(here: Run, home: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Commands of a user whose default profile has a server that does not listen."""
    address = os.environ["FLAGTUI_HOST"]
    for name in ("FLAGTUI_HOST", "FLAGTUI_PROJECT"):
        monkeypatch.delenv(name)
    profiles = {"usual": CLOSED, "other": address}
    tables = (f'[profiles.{name}]\nhost = "{host}"\nproject = 1\n' for name, host in profiles.items())
    write_settings(home, "\n".join(['default_profile = "usual"', *tables]))
    return here


def named_commands(text: str) -> list[list[str]]:
    """Return the words of each `flagtui …` in a message."""
    commands = re.findall(r"flagtui ((?:'[^']*'|[^;,'.\n ]| (?!continues|reverts|shows))+)", text)
    return [shlex.split(command) for command in commands]


def test_staged_set_of_another_profile_is_listed_and_applied(with_default: Run) -> None:
    staged = require_done(with_default("flags", "disable", FLAG, "--stage", "--profile", "other"))
    listing, applying = named_commands(staged.err)
    assert with_default(*listing, "--fields", "key").out == f"{FLAG}\n"
    require_done(with_default(*applying, "--yes"))
    assert with_default("flags", "get", FLAG, "--fields", "active", "--profile", "other").out == "false\n"
    staged = require_done(with_default(*OPTIONS, "flags", "disable", OTHER, "--stage"))
    assert named_commands(staged.err) == [["staged", "list", *OPTIONS], ["apply", "staged", *OPTIONS]]
    assert next_command("flags", "history", "a; rm -rf ~") == "flagtui flags history 'a; rm -rf ~'"


def test_outdated_staged_change_is_dropped_by_the_named_command(with_default: Run) -> None:
    require_done(with_default("flags", "disable", FLAG, "--stage", *OPTIONS))
    require_done(with_default("flags", "edit", FLAG, "--field", "name=Late", "--yes", *OPTIONS))
    refused = with_default("flags", "tag", FLAG, "--add", "more", "--stage", *OPTIONS)
    ((*dropping,),) = named_commands(refused.err)
    assert (refused.code, dropping) == (4, ["staged", "drop", *OPTIONS, FLAG])
    assert with_default(*dropping, "--fields", "key").out == f"{FLAG}\n"


def test_names_that_look_like_options_follow_a_double_hyphen(here: Run) -> None:
    assert next_command("flags", "rollout", "-b", "--to", "5") == "flagtui flags rollout --to 5 -- -b"
    require_done(here("flags", "create", "--yes", "--", "-beta"))
    refused = here("flags", "disable", "--if-version", "99", "--yes", "--", "-beta")
    ((*command,),) = named_commands(refused.err)
    assert command == ["flags", "history", "--", "-beta"]
    require_done(here(*command))
    # `--json` is one of its options, so that it can name no flag.
    assert here("flags", "create", "--yes", "--", "--json").code == 2


@pytest.mark.parametrize("kept", [("--stage",), ("--dry-run", "--out", "my set.json")])
def test_set_of_copies_is_applied_in_their_project(kept: tuple[str, ...], with_default: Run) -> None:
    words = ("flags", "copy", FLAG, "--to-project", "2", *kept, "--profile", "other")
    *_, applying = named_commands(require_done(with_default(*words)).err)
    require_done(with_default(*applying, "--dry-run"))
    assert applying[-4:] == ["--profile", "other", "--project", "2"]


def test_command_for_a_written_set_quotes_its_file(with_default: Run) -> None:
    words = ("flags", "disable", FLAG, "--dry-run", "--out", "my set.json", "--profile", "other")
    (applying,) = named_commands(require_done(with_default(*words)).err)
    assert applying == ["apply", "my set.json", "--profile", "other"]
    require_done(with_default(*applying, "--dry-run"))


@pytest.mark.parametrize(("words", "named"), [
    (("flags", "get", "qqqqqqqqqq"), ["flags", "list", *OPTIONS]),
    (("flags", "history", FLAG, "--project", "qqqqqq"), ["projects", "--profile", "other"]),
    (("flags", "disable", FLAG, "--if-version", "99"), ["flags", "history", FLAG, *OPTIONS]),
    (("undo", "abcdef"), ["journal", "--profile", "other"]),
    (("flags", "schedule", FLAG, "--drop", "99"), ["flags", "due", FLAG, *OPTIONS]),
    (("flags", "payload", FLAG), ["flags", "list", "type:config", *OPTIONS]),
    (("flags", "edit", FLAG, "--field", "rollout=3"),
     ["flags", "rollout", "FLAG", "--to", "PERCENT", *OPTIONS]),
    (("flags", "create", "x", "--variant", "a b"), ["flags", "edit", *OPTIONS]),
])  # fmt: skip
def test_errors_name_profile_and_project(with_default: Run, words: tuple[str, ...], named: list[str]) -> None:
    options = OPTIONS[:2] if "--project" in words else OPTIONS
    refused = with_default(*words, *options)
    assert refused.code != 0
    assert named_commands(refused.err) == [named]


def test_faulty_files_and_mirrors_name_profile_and_project(with_default: Run) -> None:
    for change in ("create", "edit"):
        refused = with_default("flags", change, "--from", "-", "--dry-run", *OPTIONS, stdin="{}")
        assert named_commands(refused.err) == [["flags", "get", "KEY", "--json", *OPTIONS]]
    for words in (("list",), ("set", "a=on"), ("unset", "a"), ("clear",)):
        assert named_commands(with_default(*OPTIONS, "mirror", *words).err) == [["mirror", *OPTIONS]]
