"""No command ever waits for an answer without a terminal, whatever is missing on its line."""

import click
import pytest
from tests.cli.conftest import Run
from tests.doubles.command_tree import all_commands, twin_commands
from tests.doubles.slices import crossed

from flagtui.cli.errors import EXIT_CODES

OPENS = {"demo", "serve", "watch"}
"""These run until they are stopped."""
WAITED = 130
"""How a command ends that asked and got no answer."""


GIVEN = ((), ("x",), ("x", "y"))
ASKED = [name for name in all_commands() if name not in OPENS]


@pytest.mark.parametrize(("name", "given"), [*((name, ()) for name in ASKED), *crossed(ASKED, GIVEN[1:])])
def test_no_command_asks_for_what_is_missing(signed_in: Run, name: str, given: tuple[str, ...]) -> None:
    done = signed_in(*name.split(), *given)
    assert done.code != WAITED, done.err
    assert done.code in {0, 1, *EXIT_CODES.values()}
    assert "Traceback" not in done.err


@pytest.mark.parametrize("name", [name for name, each in twin_commands().items() if each.writes])
def test_no_change_is_made_without_an_agreement(signed_in: Run, name: str) -> None:
    command = twin_commands()[name]
    words = [
        value
        for option in command.params
        if isinstance(option, click.Option) and option.required
        for value in (option.opts[0], "allow" if option.type.name == "choice" else "1")
    ]
    named = ["new-nav" if name.startswith("flags") else "$pageview" if name.startswith("events") else "1"]
    done = signed_in(*name.split(), *(named if name != "undo" else []), *words)
    assert done.code not in (0, WAITED), done.out
    assert "saved" not in done.out
