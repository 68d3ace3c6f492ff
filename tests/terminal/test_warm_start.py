"""Programs of most tests are forked; they have to be as good as started ones."""

import sys
from pathlib import Path

import pytest
from tests.doubles.slices import story
from tests.doubles.terminal import Terminal, usual_environment
from tests.doubles.warm_start import Forked, run

FLAGTUI = [sys.executable, "-m", "flagtui"]


@story
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lets a process adopt another")
def test_the_program_is_forked_and_ends_with_its_own_code() -> None:
    for words, code, output in ((["--version"], 0, "flagtui "), (["demo", "--nonsense"], 2, "flagtui: ")):
        with Terminal([*FLAGTUI, *words]) as terminal:
            assert isinstance(terminal.process, Forked)
            assert terminal.wait_for_end() == code
            assert terminal.text.startswith(output)


@pytest.mark.parametrize(
    ("command", "environment", "is_cold"),
    [
        ([*FLAGTUI, "--version"], {"LANG": "C"}, False),
        ([*FLAGTUI, "--version"], {}, True),
        (["sh", "-c", "echo flagtui 1"], {}, False),
        ([sys.executable, "-c", "print('flagtui 1')"], {}, False),
    ],
    ids=["a variable that is read once", "a test of the start", "another program", "a line of code"],
)
def test_what_a_fork_would_hide_is_started(
    command: list[str], environment: dict[str, str], is_cold: bool
) -> None:
    with Terminal(command, environment=environment, is_cold=is_cold) as terminal:
        assert not isinstance(terminal.process, Forked)
        assert terminal.wait_for_end() == 0
        assert terminal.text.startswith("flagtui ")


def test_fork_without_terminal_keeps_streams_apart(tmp_path: Path) -> None:
    environment = usual_environment() | {"HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path)}
    done = run([*FLAGTUI, "demo", "--nonsense"], environment)
    assert (done.returncode, done.stdout, done.stderr.startswith("flagtui: ")) == (2, "", True)
    done = run([*FLAGTUI, "demo", "--linear"], environment, stdin="demo --nonsense\n")
    assert (done.returncode, "ended with 2" in done.stdout, "--nonsense" in done.stderr) == (0, True, True)
