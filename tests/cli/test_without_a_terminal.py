"""No command ever waits for an answer without a terminal, whatever is missing on its line."""

import pytest
from tests.cli.conftest import Run
from tests.doubles.command_tree import all_commands, required_options
from tests.doubles.slices import cross

from flagtui.cli.plumbing.errors import EXIT_CODES

OPENS = {"demo", "serve", "watch", "mirror run"}
"""These run until they are stopped."""
WAITED = 130
"""How a command ends that asked and got no answer."""


GIVEN = ((), ("x",), ("x", "y"))
ASKED = [name for name in all_commands() if name not in OPENS]


@pytest.mark.parametrize(("name", "given"), [*((name, ()) for name in ASKED), *cross(ASKED, GIVEN[1:])])
def test_no_command_asks_for_what_is_missing(signed_in: Run, name: str, given: tuple[str, ...]) -> None:
    done = signed_in(*name.split(), *given)
    assert done.code != WAITED, done.err
    assert done.code in {0, 1, *EXIT_CODES.values()}
    assert "Traceback" not in done.err


@pytest.mark.parametrize("name", [name for name, each in all_commands().items() if each.writes])
def test_no_change_is_made_without_an_agreement(signed_in: Run, name: str) -> None:
    command = all_commands()[name]
    words = required_options(command)
    named = ["new-nav" if name.startswith("flags") else "$pageview" if name.startswith("events") else "1"]
    done = signed_in(*name.split(), *(named if name != "undo" else []), *words)
    assert (done.code not in (0, WAITED)) == ("\tunchanged\t" not in done.out)
    assert "\tsaved\t" not in done.out
