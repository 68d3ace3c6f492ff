"""Options of the program in any position, `--quiet`, and `--jq`."""

import json
from pathlib import Path

import pytest
from tests.cli.conftest import Run

from flagtui.cli.plumbing.global_options import move_options

LIST = ("flags", "list", "-L", "1", "--fields", "key")


@pytest.mark.parametrize(
    "words",
    [
        ("--json", *LIST),
        ("flags", "--json", *LIST[1:]),
        ("-o", "json", "--project", "1", *LIST),
        ("-ojson", *LIST),
        ("flags", "--output=json", "--fields", "key", "list", "-L1"),
    ],
)
def test_options_may_precede_their_command(words: tuple[str, ...], signed_in: Run) -> None:
    done = signed_in(*words)
    assert done.code == 0, done.err
    assert json.loads(done.out)["records"] == [{"key": signed_in(*LIST).out.strip()}]


@pytest.mark.parametrize(
    ("words", "moved"),
    [
        (["--json", "flags", "list", "-L1"], ["--", "flags", "list", "--json", "-L1"]),
        (["--json", "--", "flags", "list"], ["--", "flags", "list", "--json"]),
        (["-o", "json", "activity", "x"], ["--", "activity", "-o", "json", "x"]),
    ],
)
def test_options_before_another_command_follow_its_name(words: list[str], moved: list[str]) -> None:
    assert move_options(words, (), is_command=True) == moved


@pytest.mark.parametrize("words", [["--", "list"], ["--nonsense", "list"], ["-", "list"], ["--json"], []])
def test_other_words_stay_in_place(words: list[str]) -> None:
    assert move_options(words, ()) == words


def test_options_of_the_program_may_follow_a_command(signed_in: Run, tmp_path: Path) -> None:
    log = tmp_path / "requests.log"
    assert signed_in(*LIST, "--log", str(log)).code == 0
    assert "feature_flags" in log.read_text()
    done = signed_in("flags", "disable", "new-nav", "--yes", "--read-only")
    assert (done.code, "read-only" in done.err) == (3, True)


@pytest.mark.parametrize("place", [0, 2, 3])
def test_quiet_change_prints_nothing(place: int, signed_in: Run) -> None:
    words = ["flags", "tag", "new-nav", "checkout-redesign", "--add", f"quiet-{place}", "--yes"]
    loud = signed_in("flags", "tag", "new-nav", "--add", f"loud-{place}", "--yes", is_shown=True)
    assert "new-nav is changed" in " ".join(loud.out.split())
    words.insert(place, "-q")
    done = signed_in(*words, is_shown=True)
    assert (done.code, done.out, done.err) == (0, "", "")


def test_quiet_command_still_reports_errors(signed_in: Run) -> None:
    done = signed_in("-q", "flags", "get", "none-such")
    assert (done.code, "there is no flag none-such" in done.err) == (6, True)


def test_jq_filters_the_document(signed_in: Run) -> None:
    pytest.importorskip("jq", reason="there is no wheel of jq for this Python or machine")
    done = signed_in("flags", "get", "new-nav", "--jq", ".records[] | .key, {id, tags}")
    key, rest = done.out.splitlines()
    assert (key, {*json.loads(rest)}) == ("new-nav", {"id", "tags"})


@pytest.mark.parametrize("options", [("--jq", ".["), ("--jq", ".", "-o", "tsv"), ("--jq", ".key | error")])
def test_wrong_filter_exits_with_2(options: tuple[str, ...], signed_in: Run) -> None:
    pytest.importorskip("jq", reason="there is no wheel of jq for this Python or machine")
    done = signed_in("flags", "get", "new-nav", *options)
    assert (done.code, done.out) == (2, ""), done


def test_filter_that_fails_hides_no_change(signed_in: Run) -> None:
    pytest.importorskip("jq", reason="there is no wheel of jq for this Python or machine")
    done = signed_in("flags", "tag", "new-nav", "--add", "filtered", "--yes", "--jq", ".records.key")
    report = json.loads(done.out)
    assert (done.code, report["records"][0]["ending"]) == (0, "saved"), done
    assert "--jq: Cannot index array" in done.err
    assert signed_in("flags", "tag", "new-nav", "--remove", "filtered", "--yes").code == 0


@pytest.mark.parametrize(
    ("words", "suggestion"),
    [
        (("flags", "whoami"), "flagtui auth status"),
        (("flags", "help"), "flagtui flags --help"),
        (("events", "login"), "flagtui auth login"),
        (("flags", "show"), "get"),
    ],
)
def test_group_suggests_commands_elsewhere(words: tuple[str, ...], suggestion: str, run: Run) -> None:
    done = run(*words)
    assert (done.code, f"Did you mean {suggestion}?" in done.err) == (2, True), done.err


@pytest.mark.parametrize("line", ["flags list -- -tag:web --limit 1", "flags get -- new-nav --json"])
def test_option_behind_the_end_of_options_is_no_word(run: Run, line: str) -> None:
    done = run(*line.split())
    assert (done.code, "follows --, which ends the options; put it before --." in done.err) == (2, True)


@pytest.mark.parametrize(
    ("line", "step"),
    [
        ("--json", "Example: flagtui flags list --json"),
        ("--json keys", "Example: flagtui keys list --json"),
        ("-o tsv", "Example: flagtui flags list -o json"),
        ("--fields key", "Example: flagtui flags list --fields NAMES"),
        ("--yes flags disable new-nav", "See: flagtui --help"),
        ("flags --dry-run disable new-nav", "See: flagtui flags --help"),
    ],
)
def test_option_without_its_command_names_one(run: Run, line: str, step: str) -> None:
    option = next(word for word in line.split() if word.startswith("-"))
    done = run(*line.split())
    assert done.code == 2
    assert f"{option} is an option of commands, and follows one." in done.err
    assert step in done.err
