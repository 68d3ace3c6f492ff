"""Completion of names and tags, from the copies of lists on disk and without asking a server."""

import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.conftest import Run, loaded_by
from tests.doubles.slices import cross

from flagtui.cli.plumbing.completion_words import known_words, quick_words
from flagtui.cli.plumbing.demo_places import DEMO_HOST, sample_name, state_of
from flagtui.config.locations import find_locations, state_in
from flagtui.models.rows import EventDefinitionRow, FlagRow
from flagtui.store.snapshots import SnapshotPlace, Snapshots

HOST = "https://us.posthog.com"
Complete = Callable[..., list[str]]


@pytest.fixture
def copies(home: Path) -> Snapshots:
    snapshots = Snapshots(home / ".cache" / "flagtui" / "rows")
    flags = [
        FlagRow(1, "checkout", tags=("web",)),
        FlagRow(2, "chat", tags=("web", "ops")),
        FlagRow(3, "a\x1b[2J"),
    ]
    assert snapshots.save(SnapshotPlace("prod", HOST, "1", "flags"), flags, FlagRow)
    assert snapshots.save(SnapshotPlace("staging", HOST, "2", "flags"), [FlagRow(9, "cheese")], FlagRow)
    events = [EventDefinitionRow("u", "$pageview"), EventDefinitionRow("v", "Signed up")]
    assert snapshots.save(SnapshotPlace("prod", HOST, "1", "events"), events, EventDefinitionRow)
    return snapshots


def asked_by_a_shell(*words: str, shell: str = "bash") -> dict[str, str]:
    is_fish = shell == "fish"
    return {
        "COMP_WORDS": (" " if is_fish else "\n").join(("flagtui", *words)),
        "COMP_CWORD": words[-1] if is_fish else str(len(words)),
        "_FLAGTUI_COMPLETE": f"{shell}_complete",
    }


@pytest.fixture
def complete(run: Run, monkeypatch: pytest.MonkeyPatch) -> Complete:
    """As the shell asks, the last word is the one that is being typed; in this process, which is no start."""

    def complete_in(*words: str, shell: str = "bash") -> list[str]:
        with monkeypatch.context() as shell_asks:
            for name, value in asked_by_a_shell(*words, shell=shell).items():
                shell_asks.setenv(name, value)
            if (at_once := quick_words()) is not None:
                return "".join(f"{word}\n" for word in at_once).splitlines()
            done = run()
        assert done.err == ""
        return done.out.splitlines()

    return complete_in


def test_names_come_from_the_cache_of_the_profile(copies: Snapshots) -> None:
    assert known_words("flags", "prod", "") == ["chat", "checkout"]
    assert known_words("flags", "", "2") == ["cheese"]
    assert known_words("flags", "prod", "", is_tag=True) == ["ops", "web"]
    assert known_words("events", "prod", "") == ["$pageview", "Signed up"]
    assert known_words("experiments", "prod", "") == []
    assert copies.save(SnapshotPlace("prod-eu", HOST, "1", "flags"), [FlagRow(1, "eu")], FlagRow)
    assert copies.save(SnapshotPlace("my_own", HOST, "1", "flags"), [FlagRow(1, "mine")], FlagRow)
    assert known_words("flags", "prod", "") == ["chat", "checkout"]
    assert known_words("flags", "my_own", "") == ["mine"]


@pytest.mark.usefixtures("copies")
def test_completion_is_the_same_with_and_without_parsing(complete: Complete) -> None:
    at_once = complete("flags", "get", "che")
    assert at_once == ["plain,cheese"]
    assert complete("flags", "get", "--profile", "prod", "che") == ["plain,checkout"]
    assert complete("flags", "tag", "chat", "--add", "o") == ["plain,ops"]
    assert complete("--profile", "prod", "flags", "tag", "chat", "--add", "o") == ["plain,ops"]
    assert complete("events", "tag", "--add", "x", "ch") == []
    assert complete("flags", "get", "che", shell="fish") == at_once
    assert complete("flags", "get", "", shell="fish") == at_once
    assert complete("flags", "get", "'che", shell="fish") == at_once


@pytest.mark.usefixtures("copies")
def test_completion_loads_nothing_that_decodes_rows() -> None:
    cases = cross((("flags", "get", "c"), ("flags", "tag", "chat", "--add", "o")), ("bash", "fish"))
    for words, shell in cases:
        loaded = loaded_by(**asked_by_a_shell(*words, shell=shell))
        assert loaded.isdisjoint({"click", "msgspec", "pydantic", "httpx"})
        assert "flagtui.store.snapshot_files" in loaded


@pytest.mark.usefixtures("home")
def test_commands_and_options_are_completed(complete: Complete) -> None:
    assert complete("flags", "ro") == ["plain,rollout"]
    assert "plain,rollout\tSet the rollout of flags" in complete("flags", "ro", shell="fish")
    loaded = loaded_by(**asked_by_a_shell("flags", "ro"))
    assert "click" in loaded
    assert "flagtui.cli.plumbing.record_command" not in loaded
    assert "plain,--dry-run" in complete("flags", "rollout", "--d")
    for variables in (asked_by_a_shell("flags", "rollout", "--d"), asked_by_a_shell("undo", "--d")):
        assert loaded_by(**variables).isdisjoint(
            {"pydantic", "msgspec", "httpx", "flagtui.cli.plumbing.record_command"}
        )
    assert complete("flags", "get", "x") == []


@pytest.mark.usefixtures("copies")
def test_demo_commands_complete_without_names_of_other_profiles(complete: Complete) -> None:
    assert complete("demo", "fl") == ["plain,flags"]
    assert complete("demo", "--fresh", "flags", "ro") == ["plain,rollout"]
    assert "plain,--dry-run" in complete("demo", "flags", "rollout", "--d")
    assert complete("demo", "--na") == ["plain,--nasty"]
    assert not any(complete("demo", "flags", "get", "che"))


def test_cache_that_cannot_be_opened_completes_nothing(
    complete: Complete, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", f"/{'x' * 300}")
    assert complete("flags", "get", "che") == []


def test_demo_and_proposals_complete_their_own_names(copies: Snapshots, complete: Complete) -> None:
    demo = SnapshotPlace("demo", DEMO_HOST, "1", "flags")
    assert copies.save(demo, [FlagRow(1, "cherry", tags=("red",))], FlagRow)
    assert complete("demo", "flags", "get", "che") == ["plain,cherry"]
    assert complete("demo", "flags", "list", "tag:r") == ["plain,tag:red"]
    scanned = SnapshotPlace("staging", HOST, "2", "flags", "code")
    assert copies.save(scanned, [FlagRow(8, "cheddar", deleted=True)], FlagRow)
    assert complete("flags", "get", "che") == ["plain,cheese"]
    assert complete("propose", "--profile", "prod", "--", "flags", "archive", "che") == ["plain,checkout"]
    assert complete("propose", "--", "flags", "archive", "che") == ["plain,cheese"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_what_a_shell_needs_is_printed(run: Run, shell: str) -> None:
    done = run("completion", shell)
    assert (done.code, "_FLAGTUI_COMPLETE" in done.out) == (0, True)
    assert run("completion", "tcsh").code == 2


def test_bash_without_newer_options_completes_without_messages(run: Run) -> None:
    old_bash = """
complete() {
    [[ $* != *nosort* ]] || { echo "nosort: invalid option name" >&2; return 2; }
    builtin complete "$@"
}
compopt() { echo "compopt: command not found" >&2; return 127; }
"""
    program = "flagtui() { :; }; env() { echo plain,is:; }"
    call = "COMP_WORDS=(flagtui x) COMP_CWORD=1 COMP_LINE='flagtui x'; _flagtui_completion flagtui"
    script = "\n".join((old_bash, run("completion", "bash").out, program, "complete -p flagtui", call))
    done = subprocess.run(
        ["bash", "-c", f'{script}; echo "${{COMPREPLY[*]}}"'], capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    assert done.stdout == "complete -F _flagtui_completion flagtui\nis:\n"


@pytest.mark.parametrize("quote", ["", "'", '"'])
def test_bash_quotes_names_whatever_is_in_them(run: Run, quote: str) -> None:
    name = "a $(echo b) `echo c` \"d\" \\e 'f' & *"
    program = f"env() {{ printf 'plain,%s\\n' {shlex.quote(name)}; }}; compopt() {{ :; }}"
    begun = shlex.quote(f"{quote}a")
    call = f"COMP_WORDS=(flagtui {begun}) COMP_CWORD=1 COMP_LINE={shlex.quote(f'flagtui {quote}a')}"
    script = "\n".join((run("completion", "bash").out, program, f"{call}; _flagtui_completion flagtui"))
    show = 'eval "printf %s $QUOTE${COMPREPLY[0]}$QUOTE"'
    done = subprocess.run(
        ["bash", "-c", f"{script}\nQUOTE={shlex.quote(quote)}\n{show}"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr) == (name, "")


def test_bash_offers_files_beside_words(run: Run, home: Path) -> None:
    (home / "staged.json").touch()
    program = "env() { printf 'plain,staged\nfile,st\n'; }; compopt() { :; }"
    call = (
        "COMP_WORDS=(flagtui apply st) COMP_CWORD=2 COMP_LINE='flagtui apply st'; _flagtui_completion flagtui"
    )
    script = "\n".join((run("completion", "bash").out, program, call, 'echo "${COMPREPLY[*]}"'))
    done = subprocess.run(["bash", "-c", script], cwd=home, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("staged staged.json\n", "")


def test_a_copy_that_cannot_be_read_offers_nothing(copies: Snapshots, home: Path) -> None:
    for path in (home / ".cache/flagtui/rows").glob("*.rows"):
        path.write_bytes(path.read_bytes()[:25])
    assert known_words("flags", "", "") == []


@pytest.mark.parametrize(
    "words",
    [
        ("--json", "flags", "dif"),
        ("flags", "--json", "dif"),
        ("-o", "json", "flags", "--fields", "key", "dif"),
        ("demo", "--json", "flags", "dif"),
        ("demo", "flags", "--no-trunc", "dif"),
    ],
)
def test_commands_are_completed_behind_options(complete: Complete, words: tuple[str, ...]) -> None:
    assert complete(*words) == ["plain,diff"]


def test_words_of_schema_wait_and_unknown_commands_are_completed(complete: Complete) -> None:
    assert complete("schema", "change-") == ["plain,change-plan", "plain,change-result"]
    assert complete("flags", "wait", "x", "--until", "o") == ["plain,on", "plain,off"]
    assert "plain,--help" in complete("flags", "nope", "--")
    assert "plain,--profile" in complete("nope", "--prof")


@pytest.mark.usefixtures("copies")
def test_options_with_values_are_completed(complete: Complete) -> None:
    assert complete("flags", "list", "--project", "") == ["plain,1", "plain,2"]
    assert complete("flags", "list", "--fields", "key,act") == ["plain,key,active"]
    assert complete("flags", "list", "--sort", "ke") == ["plain,key"]
    assert complete("flags", "disable", "tag:w") == ["plain,tag:web"]
    assert complete("events", "list", "is:unv") == ["plain,is:unverified"]
    assert complete("flags", "list", "'is:stale -tag:w") == ["plain,is:stale -tag:web"]
    assert complete("flags", "disable", "'is:stale run") == ["plain,is:stale runtime:"]
    assert complete("flags", "edit", "x", "--from", "n") == ["file,n"]
    assert complete("apply", "n") == ["file,n"]


def test_change_sets_are_completed(complete: Complete, online: Run) -> None:
    propose = ("propose", "--reason", "Unused since spring", "--", "flags", "tag", "new-nav", "--add", "old")
    assert online(*propose).code == 0
    (listed,) = online("proposals", "list", "--fields", "id").out.split()
    (proposal,) = complete("proposals", "get", "", shell="fish")
    assert proposal == f"plain,{listed}\tUnused since spring"
    for words in (("apply",), ("staged", "evaluate")):
        assert complete(*words, "") == ["plain,staged", f"plain,{listed}", "file,"]
        assert complete(*words, "stag") == ["plain,staged", "file,stag"]
    assert online("proposals", "drop", listed).code == 0


def test_changes_in_the_demo_are_completed(complete: Complete, online: Run, home: Path) -> None:
    change = ("flags", "tag", "new-nav", "--add", "demonstrated", "--yes")
    data = find_locations().data
    assert data is not None
    with state_in(state_of(data, sample_name(None, is_nasty=False))):
        assert online(*change).code == 0
    (words,) = complete("demo", "undo", "", shell="fish")
    assert "new-nav" in words
    assert not any(complete("undo", ""))
    assert not any(complete("demo", "--nasty", "undo", ""))


@pytest.mark.usefixtures("home")
def test_changes_to_undo_are_completed_with_what_they_did(complete: Complete, online: Run) -> None:
    assert not any(complete("undo", ""))
    assert online("flags", "tag", "new-nav", "--add", "audited", "--yes").code == 0
    (change,) = complete("undo", "", shell="fish")
    words, summary = change.split("\t")
    assert "new-nav" in summary
    assert online("undo", words.removeprefix("plain,"), "--yes").code == 0
