"""Errors by meaning, cheap to match and safe to show."""

import subprocess
import sys
from typing import Final

import pytest

from flagtui.api import errors
from flagtui.api.errors import ApiError, ErrorFacts

KINDS: Final = [
    kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, ApiError)
]


def test_matching_an_error_loads_nothing_heavy() -> None:
    code = (
        "import sys, flagtui.api.errors; print(*sorted({'httpx', 'pydantic', 'msgspec'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("is_write", [False, True])
def test_every_error_states_what_is_true_and_what_to_do(kind: type[ApiError], is_write: bool) -> None:
    error = kind("It went wrong.", facts=ErrorFacts(is_write=is_write))
    unsure = "Whether the server made the change is not known."
    assert error.now == (unsure if kind.sent and is_write else "Nothing was changed.")
    assert error.next.endswith(".")
    assert str(error) == f"It went wrong. {error.now} {error.next}"


def test_refusals_before_sending_are_wrong_values_without_a_scope() -> None:
    for kind in (errors.BadHost, errors.BadKey, errors.PlainHttpRefused):
        assert issubclass(kind, ValueError)
        assert not kind.sent
    assert errors.MissingScope("x", facts=ErrorFacts(detail="missing required scope")).scope == ""


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_advice_holds_on_the_command_line_too(kind: type[ApiError]) -> None:
    words = f" {kind.advice} {kind.advice_to_read} ".casefold()
    assert not [word for word in (" refresh", " press ", " key f", " f5", " esc ") if word in words]
