"""Commands that messages name act on the profile and project of the command that printed them."""

import os
import re
import shlex
from pathlib import Path

import pytest
from tests.cli.conftest import CLOSED, Run, require_done
from tests.cli.sets.conftest import FLAG, OTHER

from flagtui.cli.plumbing.next_commands import next_command

OPTIONS = ("--profile", "other", "--project", "1")


@pytest.fixture
def with_default(here: Run, home: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Commands of a user whose default profile has a server that does not listen."""
    address = os.environ["FLAGTUI_HOST"]
    for name in ("FLAGTUI_HOST", "FLAGTUI_PROJECT"):
        monkeypatch.delenv(name)
    settings = home / ".config/flagtui/config.toml"
    settings.parent.mkdir(parents=True)
    profiles = {"usual": CLOSED, "other": address}
    tables = (f'[profiles.{name}]\nhost = "{host}"\nproject = 1\n' for name, host in profiles.items())
    settings.write_text("\n".join(['default_profile = "usual"', *tables]))
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
    require_done(with_default("flags", "tag", FLAG, "--add", "late", "--yes", *OPTIONS))
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


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("flags", "get", "qqqqqqqqqq"), ["flags", "list", *OPTIONS]),
        (("flags", "history", FLAG, "--project", "qqqqqq"), ["projects", "--profile", "other"]),
        (("flags", "disable", FLAG, "--if-version", "99"), ["flags", "history", FLAG, *OPTIONS]),
        (("undo", "abcdef"), ["journal", "--profile", "other"]),
        (("flags", "schedule", FLAG, "--drop", "99"), ["flags", "due", FLAG, *OPTIONS]),
        (("flags", "payload", FLAG), ["flags", "list", "type:config", *OPTIONS]),
        (("flags", "edit", FLAG, "--field", "rollout=3"),
         ["flags", "rollout", "FLAG", "--to", "PERCENT", *OPTIONS]),
        (("flags", "create", "x", "--variant", "a b"), ["flags", "edit", *OPTIONS]),
    ],
)  # fmt: skip
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
