"""`flagtui demo COMMAND`: every command without an account, on the data of the demo."""

import os
import shlex
from pathlib import Path
from tempfile import TemporaryFile

import pytest
from tests.cli.conftest import FLAGTUI, Run
from tests.doubles import warm_start
from tests.doubles.command_tree import all_commands, is_on_a_screen
from tests.doubles.terminal import FOLDERS, Terminal, usual_environment

from flagtui.cli.launch.demo_app import Demonstration, profile_of, rules_of
from flagtui.cli.plumbing.errors import READER_GONE

OWN_KEY = "flagtui: the demo has a key of its own."


@pytest.fixture
def surroundings(tmp_path: Path) -> dict[str, str]:
    """A person's own folders, and a profile of theirs that the demo has nothing to do with."""
    return dict.fromkeys(FOLDERS, str(tmp_path)) | {"FLAGTUI_PROFILE": "prod"}


@pytest.mark.usefixtures("demo_data")
def test_demo_keeps_changes_of_commands_until_it_starts_over(run_demo: Run, tmp_path: Path) -> None:
    listing, changing = (each for each in all_commands()["demo"].examples if not is_on_a_screen("demo", each))
    assert run_demo(*listing.split()).out
    done = run_demo(*changing.split())
    assert (done.code, done.out) == (0, "new-nav\tsaved\tis off\t\n"), done.err
    assert run_demo("demo", "flags", "get", "new-nav", "--fields", "active").out == "false\n"
    assert run_demo("demo", "journal", "--fields", "verb").out == "turn off\n"
    assert not (tmp_path / "flagtui" / "journal").exists(), "the journal of the demo is its own"
    again = run_demo("demo", "--fresh", "flags", "get", "new-nav", "--fields", "active", "--json")
    assert again.records == [{"active": True}]
    assert run_demo("demo", "journal", "--fields", "verb").out == ""


@pytest.mark.usefixtures("demo_data")
def test_demo_names_its_own_command_for_staged_changes(run_demo: Run) -> None:
    planned = run_demo("demo", "flags", "disable", "new-nav", "--dry-run", "-o", "table")
    assert "in project 1 of the demo" in planned.out
    staged = run_demo("demo", "flags", "disable", "new-nav", "--stage")
    assert staged.err.endswith("1 change: flagtui demo staged list; flagtui demo apply staged\n")
    assert run_demo("demo", "staged", "drop", "--all").code == 0


REFUSED = [
    ("demo flags disable -tag:web", 2, ": flagtui demo flags disable -- -tag:web"),
    ("demo flags --limit 3", 2, ": flagtui demo flags list --limit N"),
    ("demo apply nothing-here", 6, "See: flagtui demo proposals list; "),
    ("demo flags get nothing-here", 6, "there is no flag nothing-here"),
    ("--read-only demo flags disable new-nav --yes", 3, "read-only"),
    ("demo flags nope", 2, "flagtui: No such command 'nope'. See: flagtui demo flags --help"),
    ("--profile prod demo flags list", 2, "has no profile"),
    ("demo demo", 2, "demo is no command of the demo"),
    ("demo --linear flags list", 2, "--linear and COMMAND contradict each other"),
    ("--linear demo flags list", 2, "--linear is for the app, which opens without a command"),
    (
        "demo auth login --with-token --host eu --keep file",
        2,
        f"{OWN_KEY} Use the same command without demo.",
    ),
    ("demo auth logout", 2, f"{OWN_KEY} Use the same command without demo."),
    ("demo flags get ''", 2, "FLAG is empty; give a value. See"),
]


@pytest.mark.usefixtures("demo_data")
def test_refused_line_in_the_demo_ends_as_anywhere(run_demo: Run, tmp_path: Path) -> None:
    for line, code, words in REFUSED:
        refused = run_demo(*shlex.split(line))
        assert (refused.code, refused.out, words in refused.err) == (code, "", True), refused
    assert not (tmp_path / "flagtui" / "config.toml").exists()


@pytest.mark.usefixtures("demo_data")
def test_options_may_precede_a_command_in_the_demo(run_demo: Run) -> None:
    pytest.importorskip("jq", reason="there is no wheel of jq for this Python or machine")
    ids = run_demo("demo", "flags", "list", "--project", "2", "--fields", "id").out
    for words in (
        ("demo", "--project", "2", "--jq=.records[].id", "--", "flags", "list"),
        ("--project", "2", "demo", "flags", "--jq", ".records[].id", "list"),
        ("--jq", ".records[].id", "demo", "--read-only", "flags", "list", "--project", "2"),
    ):
        done = run_demo(*words, "-L", "2")
        assert (done.code, done.out.splitlines(), done.err) == (0, ids.splitlines()[:2], "")


@pytest.mark.usefixtures("demo_data")
def test_demo_has_its_own_profile_and_ignores_other_keys(run_demo: Run, tmp_path: Path) -> None:
    assert run_demo("demo", "auth", "status").out.startswith("Profile demo, guarded. ")
    settings = tmp_path / "flagtui" / "config.toml"
    settings.write_text('[profiles.prod]\nhost = "https://flags.example.test"\nguard = "strict"\n')
    assert run_demo("demo", "flags", "list", "--profile", "prod").out == run_demo("demo", "flags", "list").out


def test_demo_command_help_is_its_own_and_makes_no_data(run_demo: Run, tmp_path: Path) -> None:
    assert run_demo("demo", "flags", "rollout", "--help").out == run_demo("flags", "rollout", "--help").out
    assert [*tmp_path.rglob("*.db")] == []


def test_unreadable_demo_data_is_reported_with_a_working_remedy(run_demo: Run, tmp_path: Path) -> None:
    data, remedy = tmp_path / "flagtui", [""]
    data.mkdir()
    for name, words in ("demo", ["demo"]), ("nasty-12", ["demo", "--nasty", "--flags", "12"]):
        (data / f"{name}.db").write_bytes(b"no database of ours" * 100)
        refused = run_demo(*words, "flags", "list")
        assert refused.code == 1
        remedy = refused.err.partition("Start over with: flagtui ")[2].split()
        assert remedy == [*words, "--fresh"]
    assert run_demo(*remedy, "flags", "list").code == 0


@pytest.mark.usefixtures("demo_data")
def test_app_and_commands_of_demo_share_changes_and_set(run_demo: Run, surroundings: dict[str, str]) -> None:
    screen = surroundings | {"TERM": "xterm-256color"}
    with Terminal([*FLAGTUI, "demo"], size=(132, 40), environment=screen) as terminal:
        terminal.wait_for("●  new-nav")
        assert run_demo("demo", "flags", "disable", "new-nav", "--yes").code == 0
        terminal.press("\x1b[15~")
        # The changed row moves to the top of the list, above the line of the cursor.
        terminal.press("/new-nav", until="○. new-nav")
        terminal.press("\r")
        terminal.press("+", until="STAGING 0")
        assert "the app (process" in run_demo("demo", "flags", "enable", "new-nav", "--stage").err
        assert terminal.press_to_end("\x11") == 0


def test_hint_in_another_sample_names_it(run_demo: Run) -> None:
    staged = run_demo("demo", "--nasty", "flags", "create", "plain", "--stage")
    assert staged.err.endswith(
        "1 change: flagtui demo --nasty staged list; flagtui demo --nasty apply staged\n"
    )
    listed = run_demo("demo", "--nasty", "staged", "list", "--fields", "key")
    assert listed.out == "plain\n"


@pytest.mark.usefixtures("demo_data")
def test_reader_that_stops_early_ends_a_demo_command_quietly(surroundings: dict[str, str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with TemporaryFile() as stderr, Path(os.devnull).open() as nothing:
        command = [*FLAGTUI, "demo", "flags", "list"]
        environment = usual_environment() | surroundings
        process = warm_start.start(command, environment, nothing.fileno(), writing, stderr.fileno())
        os.close(writing)
        assert process.wait(60) == READER_GONE
        stderr.seek(0)
        assert stderr.read() == b""


@pytest.mark.usefixtures("demo_data")
def test_command_in_the_demo_takes_empty_values_itself(run_demo: Run) -> None:
    cleared = run_demo("demo", "flags", "tag", "new-nav", "--set", "", "--dry-run", "--fields", "ending")
    assert (cleared.code, cleared.out) == (0, "saved\n"), cleared.err


@pytest.mark.parametrize("is_nasty", [False, True])
def test_questions_of_a_demo_name_the_badge_of_its_header(is_nasty: bool) -> None:
    options = Demonstration(nasty=is_nasty)
    assert rules_of(options).place == profile_of(options).word
