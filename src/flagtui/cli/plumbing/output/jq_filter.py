"""Filters in the jq language, by the library of the extra `jq`."""

from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any

from flagtui.cli.plumbing.errors import Trouble
from flagtui.safe_text import safe_text


def compile_filter(expression: str) -> Callable[[str], Iterable[Any]]:
    """Return the filter of JSON. Raises Trouble for an invalid expression, and without the library."""
    try:
        jq: Any = import_module("jq")
    except ImportError:
        fix = "Install it beside flagtui."
        raise Trouble("--jq needs the package jq, which is not installed.", fix, code="usage") from None
    try:
        program = jq.compile(expression)
    except ValueError as fault:
        first_line = str(fault).partition("\n")[0]
        reason = safe_text(first_line.removeprefix("jq: error: ").rstrip(":. "), 200)
        raise Trouble(f"{expression[:80]!r} is not jq: {reason}.", code="usage") from None

    def apply(document: str) -> Iterable[Any]:
        try:
            results: list[Any] = program.input_text(document).all()
        except ValueError as fault:
            raise Trouble(f"--jq: {safe_text(str(fault), 300)}.", code="usage") from None
        return results

    return apply
