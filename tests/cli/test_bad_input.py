"""What a person can get wrong before anything opens: each ends in one sentence that says what to do."""

import gc
import os
import socket
from pathlib import Path

import click
import pytest
from tests.cli.conftest import Run
from tests.cli.processes import run_apart
from tests.doubles.command_tree import all_commands
from tests.doubles.slices import one_in

from flagtui.cli.launch.app_session import make_session
from flagtui.cli.main import program
from flagtui.cli.plumbing.errors import Trouble
from flagtui.cli.plumbing.profile_choice import ProfileRequest, choose_signed_in, read_login_environment


@pytest.mark.parametrize("command", [(), ("demo",)])
def test_without_a_terminal_one_sentence_and_code_two(command: tuple[str, ...], tmp_path: Path) -> None:
    done = run_apart(*command, folder=tmp_path)
    assert done.code == 2
    assert done.out == ""
    needed = "its input, and the standard error on which it draws, must be a terminal."
    assert done.err.startswith(f"flagtui: this opens a screen: {needed}")
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


def test_a_file_that_is_no_database_is_left_alone(run: Run, tmp_path: Path) -> None:
    (tmp_path / "notes.db").write_text("my notes\n" * 100)
    done = run("serve", "--port", "0", "--db", f"{tmp_path / 'notes.db'}", "--key", "phx_k")
    # A port that was left open warns now, and a warning fails this test.
    gc.collect()
    assert done.code == 1
    assert "notes.db is not a database of this service" in done.err
    assert (tmp_path / "notes.db").read_text() == "my notes\n" * 100


KEY = {"FLAGTUI_API_KEY": "phx_12345678"}


@pytest.mark.parametrize(
    ("environment", "sentence"),
    [
        pytest.param({}, "there is no API key and no profile", id="nothing"),
        pytest.param(KEY | {"FLAGTUI_HOST": "http://x.example.com"}, "without encryption", id="plain http"),
        pytest.param(KEY | {"FLAGTUI_HOST": "ftp://x"}, "ftp is not a way", id="scheme"),
        pytest.param(KEY | {"FLAGTUI_PROFILE": "prod"}, "There is no profile prod", id="profile"),
        pytest.param(KEY | {"FLAGTUI_PROJECT": "web"}, "by its id, not by its name: web", id="project"),
    ],
)
@pytest.mark.usefixtures("home")
def test_invalid_environment_is_reported_before_a_screen_opens(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], sentence: str
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(Trouble, match=sentence):
        make_session(choose_signed_in(read_login_environment(), ProfileRequest()), read_only=False)


def test_read_only_app_opens_without_a_folder_for_the_journal(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FLAGTUI_API_KEY", "phx_12345678")
    opening = choose_signed_in(read_login_environment(), ProfileRequest())
    state = opening.environment.places.state
    assert state is not None
    state.parent.mkdir(parents=True, exist_ok=True)
    state.touch()
    with pytest.raises(Trouble, match="or set HOME to a folder that is") as refused:
        opening.state_to_open(read_only=False)
    assert refused.value.fix == "To look without changing anything: flagtui --read-only"
    assert opening.state_to_open(read_only=True) == state


@pytest.mark.usefixtures("home")
def test_the_key_leaves_the_environment_before_anything_else_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLAGTUI_API_KEY", "phx_12345678")
    opening = choose_signed_in(read_login_environment(), ProfileRequest())
    assert "FLAGTUI_API_KEY" not in os.environ
    assert "phx_12345678" not in repr(opening)
    assert "phx_12345678" not in repr(opening.keys.find(opening.owner))


OPTIONS = [
    ((*name.split(), option.opts[0]), option)
    for name, command in all_commands().items()
    for option in command.params
    if isinstance(option, click.Option)
]
"""Every option of every command, behind the words that name it."""


def test_option_without_value_points_to_the_command_help() -> None:
    pointed: dict[tuple[str, ...], str] = {}
    valued = [words for words, option in OPTIONS if not (option.is_flag or option.count)]
    for words in [("serve", "--port"), ("auth", "login", "--host"), *one_in(6, valued)]:
        with pytest.raises(click.UsageError) as wrong:
            program.main([*words], prog_name="flagtui", standalone_mode=False)
        pointed[words] = wrong.value.ctx.command_path if wrong.value.ctx else ""
    assert pointed == {words: " ".join(["flagtui", *words[:-1]]) for words in pointed}


NUMBERS = [words for words, option in OPTIONS if isinstance(option.type, click.FloatRange)]


@pytest.mark.parametrize("words", NUMBERS, ids=" ".join)
def test_what_is_no_number_is_refused(words: tuple[str, ...], run: Run) -> None:
    for given in ("nan", "soon", "inf", "-1"):
        done = run(*words, given)
        assert (done.code, done.err.startswith("flagtui: Invalid value for")) == (2, True), done.err
