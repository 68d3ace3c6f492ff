"""Every empty option exits with 2 before anything is sent, unless the empty value clears a text."""

import click
import pytest
from tests.cli.conftest import Run
from tests.doubles.command_tree import all_commands, missing_words
from tests.doubles.slices import one_in

from flagtui.cli.plumbing.command_tree import MAY_BE_EMPTY

OPTIONS = [
    (name, option)
    for name, command in all_commands().items()
    for option in command.params
    if isinstance(option, click.Option)
    and not option.is_flag
    and not option.count
    and option.name not in MAY_BE_EMPTY
]


@pytest.mark.parametrize(
    ("name", "option"),
    one_in(6, OPTIONS),
    ids=lambda value: value if isinstance(value, str) else value.opts[-1],
)
def test_empty_value_of_an_option(name: str, option: click.Option, closed: Run) -> None:
    words = [*name.split(), option.opts[-1], ""]
    words += missing_words(all_commands()[name], words)
    done = closed(*words)
    assert (done.code, done.out) == (2, ""), done
    assert "is empty; give a value" in done.err or f"Invalid value for '{option.opts[0]}'" in done.err
