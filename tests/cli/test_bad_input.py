"""What a person can get wrong before anything opens: each ends in one sentence that says what to do."""

import socket
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from tests.cli.conftest import Run, run_apart
from tests.doubles.command_tree import all_commands

from flagtui.cli.main import program
from flagtui.cli.plumbing.errors import Trouble
from flagtui.cli.plumbing.profile_choice import ProfileRequest, choose_signed_in, read_login_environment


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("FLAGTUI_HOST", "FLAGTUI_API_KEY", "FLAGTUI_PROJECT", "FLAGTUI_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    return tmp_path


@pytest.mark.parametrize("command", [(), ("demo",)])
def test_without_a_terminal_one_sentence_and_code_two(command: tuple[str, ...], tmp_path: Path) -> None:
    done = run_apart(*command, folder=tmp_path)
    assert done.code == 2
    assert done.out == ""
    assert done.err.startswith("flagtui: this opens a screen and needs a terminal")
    assert done.err.count("\n") == 1


def test_a_port_in_use_is_named_before_anything_is_written(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = run_apart("serve", "--port", str(port), "--db", "x.db", "--key", "phx_k", folder=tmp_path)
    assert done.code == 1
    assert f"Port {port} of 127.0.0.1 is in use" in done.err
    assert not (tmp_path / "x.db").exists()


def test_a_file_that_is_no_database_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "notes.db").write_text("my notes\n" * 100)
    done = run_apart("serve", "--port", "0", "--db", "notes.db", "--key", "phx_k", folder=tmp_path)
    assert done.code == 1
    assert "notes.db is not a database of this service" in done.err
    assert (tmp_path / "notes.db").read_text() == "my notes\n" * 100


def test_a_database_somebody_else_has_locked_is_said_to_be(tmp_path: Path) -> None:
    holder = sqlite3.connect(tmp_path / "held.db")
    holder.execute("BEGIN EXCLUSIVE")
    done = run_apart("serve", "--port", "0", "--db", "held.db", "--key", "phx_k", folder=tmp_path)
    holder.close()
    assert done.code == 1
    assert "held.db" in done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize("key", ["", "ab", "phx_with space", "phx_é"])
def test_a_key_that_could_not_be_sent_is_refused_before_a_database_is_made(key: str, tmp_path: Path) -> None:
    done = run_apart("serve", "--port", "0", "--db", "x.db", "--key", key, folder=tmp_path)
    assert done.code == 2
    assert done.err == "flagtui: --key: A key is 3 to 512 visible ASCII characters without spaces.\n"
    assert not (tmp_path / "x.db").exists()


@pytest.mark.parametrize("words", [("--nasty",), ("--flags", "5")])
def test_what_the_sample_holds_means_nothing_without_a_sample(words: tuple[str, ...], tmp_path: Path) -> None:
    done = run_apart("serve", "--port", "0", "--db", "x.db", *words, folder=tmp_path)
    assert done.code == 2
    assert "Say --sample as well" in done.err
    assert not (tmp_path / "x.db").exists()


def test_two_generations_at_once_are_a_usage_error(tmp_path: Path) -> None:
    done = run_apart("serve", "--port", "0", "--db", "x.db", "--newest", "--legacy", folder=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert "--newest and --legacy exclude each other. Give one of them, or neither." in done.err
    assert not (tmp_path / "x.db").exists()


def test_an_address_others_can_reach_is_refused_unless_asked_for(tmp_path: Path) -> None:
    done = run_apart("serve", "--host", "0.0.0.0", "--port", "0", "--db", "x.db", folder=tmp_path)
    assert done.code == 1
    assert "--allow-remote" in done.err


@pytest.mark.parametrize(
    ("environment", "sentence"),
    [
        ({}, "there is no API key and no profile"),
        (
            {"FLAGTUI_API_KEY": "phx_12345678", "FLAGTUI_HOST": "http://flags.example.com"},
            "without encryption",
        ),
        ({"FLAGTUI_API_KEY": "phx_12345678", "FLAGTUI_HOST": "ftp://x"}, "ftp is not a way"),
        ({"FLAGTUI_API_KEY": "phx_12345678", "FLAGTUI_PROJECT": "web"}, "'web' is no project"),
        ({"FLAGTUI_API_KEY": "phx_12345678", "FLAGTUI_PROFILE": "prod"}, "There is no profile prod"),
    ],
    ids=["nothing", "plain http", "scheme", "project", "profile"],
)
def test_what_the_environment_gets_wrong_is_said_before_a_screen_opens(
    home: Path, monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], sentence: str
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(Trouble, match=sentence.replace("(", r"\(")):
        choose_signed_in(read_login_environment(), ProfileRequest())


def test_a_typo_in_the_settings_names_file_line_and_key(home: Path) -> None:
    folder = home / "XDG_CONFIG_HOME" / "flagtui"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text('[profiles.prod]\nhost = "eu"\ngaurd = "strict"\n')
    with pytest.raises(Trouble) as caught:
        choose_signed_in(read_login_environment(), ProfileRequest())
    said = str(caught.value)
    assert "config.toml" in said
    assert "line 3" in said or ":3" in said
    assert "guard" in said


def test_the_key_leaves_the_environment_before_anything_else_starts(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import os

    monkeypatch.setenv("FLAGTUI_API_KEY", "phx_12345678")
    opening = choose_signed_in(read_login_environment(), ProfileRequest())
    assert "FLAGTUI_API_KEY" not in os.environ
    assert "phx_12345678" not in repr(opening)
    assert "phx_12345678" not in repr(opening.keys.find(opening.owner))


def options_with_a_value() -> Iterator[tuple[str, ...]]:
    """Every command of the program with every option of it that wants a value."""
    for name, command in all_commands().items():
        for option in command.params:
            if isinstance(option, click.Option) and not (option.is_flag or option.count):
                yield (*name.split(), option.opts[0])


def test_an_option_without_its_value_points_to_the_help_of_its_command() -> None:
    pointed: dict[tuple[str, ...], str] = {}
    for words in options_with_a_value():
        with pytest.raises(click.UsageError) as wrong:
            program.main([*words], prog_name="flagtui", standalone_mode=False)
        pointed[words] = wrong.value.ctx.command_path if wrong.value.ctx else ""
    assert pointed == {words: " ".join(["flagtui", *words[:-1]]) for words in pointed}
    assert {("serve", "--port"), ("auth", "login", "--host")} <= pointed.keys()


def test_a_missing_value_is_one_sentence_with_the_way_to_help(tmp_path: Path) -> None:
    done = run_apart("serve", "--port", folder=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert done.err == "flagtui: Option '--port' requires an argument. See: flagtui serve --help\n"


def options_with_a_number() -> Iterator[tuple[str, ...]]:
    """Every option of every command that takes a number with a fraction."""
    for name, command in all_commands().items():
        for option in command.params:
            if isinstance(option, click.Option) and isinstance(option.type, click.FloatRange):
                yield (*name.split(), option.opts[0])


@pytest.mark.parametrize("words", list(options_with_a_number()), ids=" ".join)
def test_what_is_no_number_is_refused(words: tuple[str, ...], run: Run) -> None:
    for given in ("nan", "soon", "inf", "-1"):
        done = run(*words, given)
        assert (done.code, done.err.startswith("flagtui: Invalid value for")) == (2, True), done.err


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("falgs list", "flags"),
        ("udno", "undo"),
        ("disable new-nav", "flags disable"),
        ("list", "flags list or experiments list or events list"),
        ("flags rollot new-nav", "rollout"),
        ("keys revok", "revoke"),
    ],
)
def test_a_command_that_is_misspelt_or_lacks_its_group_is_told_what_was_meant(
    run: Run, words: str, meant: str
) -> None:
    done = run(*words.split())
    assert (done.code, done.out) == (2, "")
    assert f"Did you mean {meant}?" in done.err
