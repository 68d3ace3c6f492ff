"""Every command with contradictory, empty or missing words, and after a signal.

`make check-matrix` runs all combinations. No command waits for an answer without a terminal.
"""

import os
import shlex
import shutil
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, Final

import click
import pytest
from tests.cli.conftest import (
    FLAGTUI,
    KEY,
    Run,
    control_characters,
    server_variables,
    serving,
    write_settings,
)
from tests.doubles import warm_start
from tests.doubles.command_tree import (
    all_commands,
    missing_words,
    names_records,
    required_options,
    rules_of,
    words_of,
    words_of_use,
)
from tests.doubles.faulty_service import serve
from tests.doubles.slices import cross, one_in
from tests.doubles.templates import sample_database
from tests.doubles.terminal import usual_environment

from flagtui.cli.plumbing.command_tree import MAY_BE_EMPTY
from flagtui.cli.plumbing.errors import EXIT_CODES
from flagtui.cli.plumbing.option_rules import RuledOption, contradiction, label_of, param_of
from flagtui.service.sample_data.company import NASTY

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


EMPTIABLE: Final = [
    (name, option)
    for name, command in all_commands().items()
    for option in command.params
    if isinstance(option, click.Option) and not (option.is_flag or option.count)
    if option.name not in MAY_BE_EMPTY
]


@pytest.mark.parametrize(("name", "option"), one_in(6, EMPTIABLE), ids=name_of)
def test_empty_value_of_an_option_exits_with_2(name: str, option: click.Option, closed: Run) -> None:
    """Nothing is sent, unless the empty value clears a text."""
    words = [*name.split(), option.opts[-1], ""]
    done = closed(*words, *missing_words(all_commands()[name], words))
    assert (done.code, done.out) == (2, ""), done
    assert "is empty; give a value" in done.err or f"Invalid value for '{option.opts[0]}'" in done.err


NOT_ASKED: Final = [name for name in all_commands() if name not in {"demo", "serve", "watch", "mirror run"}]
"""All but those that run until they are stopped."""
WAITED: Final = 130
"""How a command ends that asked and got no answer."""


@pytest.mark.parametrize(
    ("name", "given"), [*((name, ()) for name in NOT_ASKED), *cross(NOT_ASKED, (("x",), ("x", "y")))]
)
def test_no_command_asks_for_what_is_missing(signed_in: Run, name: str, given: tuple[str, ...]) -> None:
    done = signed_in(*name.split(), *given)
    assert done.code in {0, 1, *EXIT_CODES.values()}, done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize("name", [name for name, each in all_commands().items() if each.writes])
def test_no_change_is_made_without_an_agreement(signed_in: Run, name: str) -> None:
    words = required_options(all_commands()[name])
    named = ["new-nav" if name.startswith("flags") else "$pageview" if name.startswith("events") else "1"]
    done = signed_in(*name.split(), *(named if name != "undo" else []), *words)
    assert (done.code not in (0, WAITED)) == ("\tunchanged\t" not in done.out)
    assert "\tsaved\t" not in done.out


LISTED = {"flags", "experiments", "events"}
NAMES = [
    name
    for name, each in all_commands().items()
    if each.kind is not None and (name.split()[0] in LISTED or name in ("activity", "projects"))
]
COUNT = 3
"""Records of each kind that are named together."""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    database = tmp_path_factory.mktemp("nasty") / "service.db"
    shutil.copy(sample_database(tmp_path_factory, one_in=16, nasty=True), database)
    with serving(database) as service:
        yield service.address


@pytest.fixture(scope="module")
def ids() -> dict[str, list[str]]:
    """Of the first records of each kind; no test changes them."""
    return {}


@pytest.fixture
def nasty(run: Run, address: str, home: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    profile = f'[profiles.nasty]\nhost = "{address}"\nproject = {NASTY}\nkey_command = "echo {KEY}"\n'
    write_settings(home, profile)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "dumb")
    return run


@pytest.mark.parametrize(("name", "is_shown"), cross(NAMES, (True, False)))
def test_no_text_of_a_server_is_obeyed_by_the_terminal(
    name: str, is_shown: bool, nasty: Run, ids: dict[str, list[str]]
) -> None:
    command, group = all_commands()[name], name.split()[0]
    words = [*name.split(), *required_options(command), *(["--dry-run"] if command.writes else [])]
    if name == "flags wait":
        words += ["--wait", "1"]
    if names_records(command):
        if group not in ids:
            listed = nasty(group, "list", "--limit", str(COUNT), "--json")
            ids[group] = [str(each["id"]) for each in listed.records]
        words += ids[group]
    # One printer shows the plans of all changes to programs, and one the columns of all records to pipes.
    is_json = not (is_shown or command.writes)
    done = nasty(*words, *(["--json"] if is_json else []), is_shown=is_shown)
    assert "fault of its own" not in done.err
    assert control_characters(done.out + done.err) == []
    assert not is_json or done.out.isascii()
    assert done.out or done.err
