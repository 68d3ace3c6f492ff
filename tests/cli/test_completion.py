"""Completion of names and tags, from the copies of lists on disk and without asking a server."""

import os
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.conftest import Run
from tests.cli.processes import loaded_by, run_shell
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


COMPLETIONS = [
    ("flags get che", ["cheese"]),
    ("flags get --profile prod che", ["checkout"]),
    ("flags tag chat --add o", ["ops"]),
    ("--profile prod flags tag chat --add o", ["ops"]),
    ("events tag --add x ch", []),
    ("flags get x", []),
    ("flags ro", ["rollout"]),
    ("flags rollout --dr", ["--dry-run"]),
    ("flags nope --h", ["--help"]),
    ("nope --prof", ["--profile"]),
    ("--json flags dif", ["diff"]),
    ("flags --json dif", ["diff"]),
    ("-o json flags --fields key dif", ["diff"]),
    ("demo --json flags dif", ["diff"]),
    ("demo flags --no-trunc dif", ["diff"]),
    ("demo fl", ["flags"]),
    ("demo --fresh flags ro", ["rollout"]),
    ("demo flags rollout --dr", ["--dry-run"]),
    ("demo --na", ["--nasty"]),
    # The demo has none of the names of a profile.
    ("demo flags get che", [""]),
    ("schema change-", ["change-plan", "change-result"]),
    ("flags wait x --until o", ["on", "off"]),
    ("flags list --project ''", ["1", "2"]),
    ("flags list --fields key,act", ["key,active"]),
    ("flags list --sort ke", ["key"]),
    ("flags disable tag:w", ["tag:web"]),
    ("events list is:unv", ["is:unverified"]),
    ('flags list "\'is:stale -tag:w"', ["is:stale -tag:web"]),
    ('flags disable "\'is:stale run"', ["is:stale runtime:"]),
    ("propose --profile prod -- flags archive che", ["checkout"]),
    ("propose -- flags archive che", ["cheese"]),
]


@pytest.mark.usefixtures("copies")
@pytest.mark.parametrize(("line", "words"), COMPLETIONS, ids=[line for line, _ in COMPLETIONS])
def test_last_word_of_a_line_is_completed(line: str, words: list[str], complete: Complete) -> None:
    assert complete(*shlex.split(line)) == [f"plain,{word}" if word else "" for word in words]


@pytest.mark.usefixtures("copies")
def test_words_have_the_form_of_the_shell(complete: Complete) -> None:
    for typed in ("che", "", "'che"):
        assert complete("flags", "get", typed, shell="fish") == ["plain,cheese"]
    assert "plain,rollout\tSet the rollout of flags" in complete("flags", "ro", shell="fish")
    for line in ("flags edit x --from n", "apply n"):
        assert complete(*line.split()) == ["file,n"]


@pytest.mark.usefixtures("copies")
def test_completion_loads_nothing_that_decodes_rows() -> None:
    cases = cross((("flags", "get", "c"), ("flags", "tag", "chat", "--add", "o")), ("bash", "fish"))
    for words, shell in cases:
        loaded = loaded_by(**asked_by_a_shell(*words, shell=shell))
        assert loaded.isdisjoint({"click", "msgspec", "pydantic", "httpx"})
        assert "flagtui.store.snapshot_files" in loaded


@pytest.mark.usefixtures("home")
def test_commands_and_options_are_completed_without_loading_them() -> None:
    loaded = loaded_by(**asked_by_a_shell("flags", "ro"))
    assert "click" in loaded
    assert "flagtui.cli.plumbing.record_command" not in loaded
    for variables in (asked_by_a_shell("flags", "rollout", "--d"), asked_by_a_shell("undo", "--d")):
        assert loaded_by(**variables).isdisjoint(
            {"pydantic", "msgspec", "httpx", "flagtui.cli.plumbing.record_command"}
        )


def test_cache_that_cannot_be_opened_completes_nothing(
    complete: Complete, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", f"/{'x' * 300}")
    assert complete("flags", "get", "che") == []


def test_demo_and_scans_complete_their_own_names(copies: Snapshots, complete: Complete) -> None:
    demo = SnapshotPlace("demo", DEMO_HOST, "1", "flags")
    assert copies.save(demo, [FlagRow(1, "cherry", tags=("red",))], FlagRow)
    assert complete("demo", "flags", "get", "che") == ["plain,cherry"]
    assert complete("demo", "flags", "list", "tag:r") == ["plain,tag:red"]
    scanned = SnapshotPlace("staging", HOST, "2", "flags", "code")
    assert copies.save(scanned, [FlagRow(8, "cheddar", deleted=True)], FlagRow)
    assert complete("flags", "get", "che") == ["plain,cheese"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_what_a_shell_needs_is_printed(run: Run, shell: str) -> None:
    done = run("completion", shell)
    assert (done.code, "_FLAGTUI_COMPLETE" in done.out) == (0, True)


def complete_in_bash(run: Run, words: str, offered: str, before: str = "", after: str = "") -> str:
    """What bash prints that completes the last of these words, offered these lines; no message of its own."""
    script = f"""
{before}
{run("completion", "bash").out}
flagtui() {{ :; }}
env() {{ printf '%s\\n' {offered}; }}
COMP_WORDS=({shlex.join(words.split())}) COMP_CWORD={len(words.split()) - 1} COMP_LINE={shlex.quote(words)}
_flagtui_completion flagtui
{after or 'echo "${COMPREPLY[*]}"'}
"""
    done = run_shell(script, os.environ, Path.cwd(), shell="bash")
    assert done.err == ""
    return done.out


OLD_BASH = """
complete() {
    [[ $* != *nosort* ]] || { echo "nosort: invalid option name" >&2; return 2; }
    builtin complete "$@"
}
compopt() { echo "compopt: command not found" >&2; return 127; }
"""
NEW_BASH = "compopt() { :; }"


def test_bash_without_newer_options_completes_without_messages(run: Run) -> None:
    shown = complete_in_bash(
        run, "flagtui x", "plain,is:", OLD_BASH, 'complete -p flagtui; echo "$COMPREPLY"'
    )
    assert shown == "complete -F _flagtui_completion flagtui\nis:\n"


@pytest.mark.parametrize("quote", ["", "'", '"'])
def test_bash_quotes_names_whatever_is_in_them(run: Run, quote: str) -> None:
    name = "a $(echo b) `echo c` \"d\" \\e 'f' & *"
    show = f'QUOTE={shlex.quote(quote)}; eval "printf %s $QUOTE${{COMPREPLY[0]}}$QUOTE"'
    assert complete_in_bash(run, f"flagtui {quote}a", shlex.quote(f"plain,{name}"), NEW_BASH, show) == name


def test_bash_offers_files_beside_words(run: Run, home: Path) -> None:
    (home / "staged.json").touch()
    shown = complete_in_bash(run, "flagtui apply st", "plain,staged file,st", NEW_BASH)
    assert shown == "staged staged.json\n"


def test_a_copy_that_cannot_be_read_offers_nothing(copies: Snapshots, home: Path) -> None:
    for path in (home / ".cache/flagtui/rows").glob("*.rows"):
        path.write_bytes(path.read_bytes()[:25])
    assert known_words("flags", "", "") == []


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
