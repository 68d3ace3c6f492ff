"""Every command with contradictory options, and after a signal; `make check-matrix` runs all combinations."""

import os
import shlex
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, Final

import click
import pytest
from tests.cli.conftest import FLAGTUI, Run, server_variables
from tests.doubles import warm_start
from tests.doubles.command_tree import all_commands, missing_words, rules_of, words_of, words_of_use
from tests.doubles.faulty_service import serve
from tests.doubles.slices import cross, one_in
from tests.doubles.terminal import usual_environment

from flagtui.cli.plumbing.option_rules import RuledOption, contradiction, label_of, param_of

ENDLESS: Final = {"serve", "mirror run", "demo", "pick"}
"""These open a screen or a port."""


CONTRADICTIONS: Final = [
    (name, option, use)
    for name, command in all_commands().items()
    for option in rules_of(command)
    for use in option.excludes
    if param_of(command, use) is not None
]
LACKING: Final = [
    (name, option)
    for name, command in all_commands().items()
    for option in rules_of(command)
    if option.requires
]
REPEATED: Final = [
    (name, option)
    for name, command in all_commands().items()
    for option in command.params
    if isinstance(option, click.Option) and not (option.is_flag or option.count or option.multiple)
]
ASKING: Final = [name for name, each in all_commands().items() if each.is_online and name not in ENDLESS]


def name_of(value: object) -> str:
    return label_of(value) if isinstance(value, click.Parameter) else str(value)


@pytest.mark.parametrize(("name", "option", "use"), one_in(8, CONTRADICTIONS), ids=name_of)
def test_contradictory_options_exit_with_2(name: str, option: RuledOption, use: str, closed: Run) -> None:
    words = [*name.split(), *words_of(option), *words_of_use(all_commands()[name], use)]
    done = closed(*words, *missing_words(all_commands()[name], words))
    assert (done.code, done.out) == (2, ""), done
    either = (contradiction(label_of(option), use), contradiction(use, label_of(option)))
    assert any(sentence in done.err for sentence in either), done.err


@pytest.mark.parametrize(("name", "option"), one_in(2, LACKING), ids=name_of)
def test_option_without_the_required_one_exits_with_2(name: str, option: RuledOption, closed: Run) -> None:
    words = [*name.split(), *words_of(option)]
    done = closed(*words, *missing_words(all_commands()[name], words))
    assert (done.code, done.out) == (2, ""), done
    assert f"{label_of(option)} needs {' or '.join(option.requires)}." in done.err


@pytest.mark.parametrize(("name", "option"), one_in(12, REPEATED), ids=name_of)
def test_option_with_two_values_exits_with_2(name: str, option: click.Option, closed: Run) -> None:
    words = [*name.split(), *words_of(option), f"{label_of(option)}=2"]
    done = closed(*words)
    assert (done.code, done.out) == (2, ""), done
    assert f"{label_of(option)} is given twice with different values" in done.err


def test_every_rule_names_an_option_of_a_command() -> None:
    rules = [(command, option) for command in all_commands().values() for option in rules_of(command)]
    uses = [
        (command, option, use) for command, option in rules for use in (*option.excludes, *option.requires)
    ]
    declared = {(label_of(option), use) for _command, option, use in uses}
    assert {(label_of(option), use) for command, option, use in uses if param_of(command, use)} == declared


class Silent:
    """A server that takes requests and answers none."""

    def __init__(self) -> None:
        self.is_asked = threading.Event()

    async def __call__(self, _scope: Any, receive: Any, _send: Any) -> None:
        self.is_asked.set()
        while (await receive())["type"] != "http.disconnect":
            pass


@pytest.fixture(scope="module")
def silent() -> Iterator[tuple[Silent, str]]:
    server = Silent()
    with serve(server) as address:
        yield server, address


@pytest.mark.usefixtures("home")
@pytest.mark.parametrize(
    ("name", "number"), one_in(22, cross(ASKING, (signal.SIGHUP, signal.SIGTERM, signal.SIGINT)))
)
def test_signal_ends_a_command_that_waits(
    name: str, number: signal.Signals, silent: tuple[Silent, str]
) -> None:
    server, address = silent
    server.is_asked.clear()
    words = shlex.split(all_commands()[name].examples[0].partition(" < ")[0])
    if all_commands()[name].writes and "--yes" not in words:
        words.append("--yes")
    environment = usual_environment() | os.environ | server_variables(address)
    with TemporaryFile("w+") as output, Path(os.devnull).open() as nothing:
        process = warm_start.start(
            [*FLAGTUI, *words], environment, nothing.fileno(), output.fileno(), output.fileno()
        )
        while not server.is_asked.wait(0.02) and process.poll() is None:
            pass
        if process.poll() is None:
            os.kill(process.pid, number)
        code = process.wait(20)
        output.seek(0)
        text = output.read()
    if not server.is_asked.is_set():
        # It needs a file or something to undo, or asks nothing.
        assert code in range(8), text
        return
    # A shell reports a program that a signal ended by 128 and its number.
    assert code in (128 + number, -number), text
    assert "Traceback" not in text
    assert number != signal.SIGINT or "stopped" in text
